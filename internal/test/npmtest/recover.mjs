// Reads a signed transaction with ethers: what it does, and who signed it.
import { Transaction } from "ethers";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const tx = Transaction.from(JSON.parse(Buffer.concat(chunks).toString()).raw);
process.stdout.write(JSON.stringify({
  hash: tx.hash, from: tx.from, to: tx.to, data: tx.data, type: tx.type, nonce: tx.nonce,
  chainId: tx.chainId.toString(), value: tx.value.toString(), gasLimit: tx.gasLimit.toString(), serialized: tx.serialized,
}) + "\n");

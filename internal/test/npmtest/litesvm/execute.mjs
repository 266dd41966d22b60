// Solana's own runtime executes transactions: one question a line, one answer a line.
import { createInterface } from "node:readline";
import { address, getTransactionDecoder, lamports } from "@solana/kit";
import { FailedTransactionMetadata, LiteSVM, Rent } from "litesvm";

let svm;

// told is [lamports, owner, data in base64], or null where there is nothing. Programs and sysvars are told without data.
function told(at) {
  const a = svm.getAccount(address(at));
  if (a.exists && (a.executable || a.programAddress.startsWith("Sysvar1"))) return ["0", a.programAddress, ""];
  return a.exists ? [String(a.lamports), a.programAddress, Buffer.from(a.data).toString("base64")] : null;
}

function put(at, [amount, owner, data]) {
  const bytes = Buffer.from(data, "base64");
  svm.setAccount({
    address: address(at), lamports: lamports(BigInt(amount)), programAddress: address(owner), data: bytes,
    executable: false, space: BigInt(bytes.length),
  });
}

// error is the number of a transaction's error, with the place and the error of an instruction or an account where it
// has one.
function error(e) {
  if (typeof e === "number") return { kind: e };
  const name = e.constructor.name.replace("TransactionError", "");
  if (name !== "InstructionError") return { name, index: e.index ?? e.accountIndex };
  const why = e.err();
  if (typeof why === "number") return { name, index: e.index, code: why };
  return { name, index: e.index, custom: why.code ?? -1 };
}

function run(q) {
  let tx;
  try {
    tx = getTransactionDecoder().decode(Buffer.from(q.raw, "base64"));
  } catch (e) {
    return { broken: String(e.message) };
  }
  const result = svm.sendTransaction(tx);
  const failed = result instanceof FailedTransactionMetadata;
  return { error: failed ? error(result.err()) : null, post: q.accounts.map(told) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const q = JSON.parse(line);
  let a = {};
  switch (q.ask) {
    case "begin":
      svm = new LiteSVM().withTransactionHistory(0n);
      svm.setRent(new Rent(BigInt(q.rent), 1, 50));
      break;
    case "put": for (const [at, account] of Object.entries(q.accounts)) put(at, account); break;
    case "expire": svm.expireBlockhash(); break;
    case "run": a = run(q); break;
  }
  process.stdout.write(JSON.stringify({ ...a, blockhash: svm.latestBlockhash() }) + "\n");
}
process.exit(0);

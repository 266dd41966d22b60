// Buys from a shop with @x402/fetch and @x402/svm as they come. In: {url, seed, rpc}. Out: what the shop answered, and
// what the client made of the receipt.
import { x402Client, x402HTTPClient, wrapFetchWithPayment } from "@x402/fetch";
import { ExactSvmScheme } from "@x402/svm/exact/client";
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { url, seed, rpc } = JSON.parse(Buffer.concat(chunks).toString());
const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(seed, "hex"));
const client = new x402Client().register("solana:*", new ExactSvmScheme(signer, { rpcUrl: rpc }));
const response = await wrapFetchWithPayment(fetch, client)(url);
const body = await response.text();
const told = ["PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"].some((name) => response.headers.has(name));
const settled = () => new x402HTTPClient(client).getPaymentSettleResponse((name) => response.headers.get(name));
const receipt = told ? settled() : null; // of null the client would make an error, and hide what the shop answered
process.stdout.write(JSON.stringify({ status: response.status, body, receipt }) + "\n");

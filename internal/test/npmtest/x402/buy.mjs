// Buys from a shop with @x402/fetch as it comes. In: {url, key, version}. Out: what the shop answered, and what the
// client made of the receipt.
import { x402Client, x402HTTPClient, wrapFetchWithPayment } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { privateKeyToAccount } from "viem/accounts";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { url, key, version } = JSON.parse(Buffer.concat(chunks).toString());
const account = privateKeyToAccount(key);
const client = new x402Client()
  .register("eip155:84532", new ExactEvmScheme(account))
  .registerV1("base-sepolia", new ExactEvmSchemeV1(account));
const sent = [];
const plain = async (input, init) => {
  const request = new Request(input, init);
  sent.push(["PAYMENT-SIGNATURE", "X-PAYMENT"].find((name) => request.headers.has(name)) ?? "");
  const response = await fetch(request);
  if (version !== 1) return response;
  const headers = new Headers(response.headers); // as a shop of version 1 answers
  headers.delete("PAYMENT-REQUIRED");
  return new Response(await response.text(), { status: response.status, headers });
};
const response = await wrapFetchWithPayment(plain, client)(url);
const body = await response.text();
const told = ["PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"].some((name) => response.headers.has(name));
const settled = () => new x402HTTPClient(client).getPaymentSettleResponse((name) => response.headers.get(name));
const receipt = told ? settled() : null; // of null the client would make an error, and hide what the shop answered
process.stdout.write(JSON.stringify({ status: response.status, body, receipt, sent }) + "\n");

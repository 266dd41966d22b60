// Sells with @x402/express as it comes, until its input ends. In: {facilitator, payTo, asset}. Out: {port}.
// /crowd answers once ten requests are there that were verified.
import { createInterface } from "node:readline";
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { facilitator, payTo, asset } = JSON.parse((await lines.next()).value);
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }))
  .register("eip155:84532", new ExactEvmScheme());
const price = (extra) => ({ amount: "10000", asset, extra: { name: "USDC", version: "2", ...extra } });
const accepts = (extra) => ({ scheme: "exact", network: "eip155:84532", payTo, price: price(extra) });
const app = express();
app.use(paymentMiddleware({
  "GET /eip3009": { accepts: accepts({}), description: "weather" },
  "GET /permit2": { accepts: accepts({ assetTransferMethod: "permit2" }), description: "weather" },
  "GET /crowd": { accepts: accepts({}), description: "weather" },
}, server));
let crowd = [];
app.get("/crowd", (_, res) => {
  if (crowd.push(res) < 10) return;
  for (const each of crowd) each.send("the goods");
  crowd = [];
});
app.get("/:path", (_, res) => { res.send("the goods"); });
const listening = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(JSON.stringify({ port: listening.address().port }) + "\n");
});
await lines.next();
process.exit(0);

// Sells with @x402/express and @x402/svm as they come, until its input ends. In: {facilitator, payTo}. Out: {port}.
import { createInterface } from "node:readline";
import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactSvmScheme } from "@x402/svm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { facilitator, payTo } = JSON.parse((await lines.next()).value);
const network = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }))
  .register(network, new ExactSvmScheme());
const app = express();
app.use(paymentMiddleware({
  "GET /weather": { accepts: { scheme: "exact", network, payTo, price: "$0.01" }, description: "weather" },
}, server));
app.get("/weather", (_, res) => { res.send("the goods"); });
const listening = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(JSON.stringify({ port: listening.address().port }) + "\n");
});
await lines.next();
process.exit(0);

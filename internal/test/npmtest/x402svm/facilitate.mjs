// A facilitator of @x402/core and @x402/svm as they come, until its input ends. In: {rpc, seed}. Out: {port, address}.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorSvmSigner } from "@x402/svm";
import { ExactSvmScheme } from "@x402/svm/exact/facilitator";
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { rpc, seed } = JSON.parse((await lines.next()).value);
const key = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(seed, "hex"));
const signer = toFacilitatorSvmSigner(key, { defaultRpcUrl: rpc });
const facilitator = new x402Facilitator()
  .register("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", new ExactSvmScheme(signer));
const served = {
  "/verify": (body) => facilitator.verify(body.paymentPayload, body.paymentRequirements),
  "/settle": (body) => facilitator.settle(body.paymentPayload, body.paymentRequirements),
};
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  try {
    answer(200, await served[request.url](JSON.parse(Buffer.concat(chunks))));
  } catch (error) {
    answer(500, { error: String(error) });
  }
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(JSON.stringify({ port: server.address().port, address: key.address }) + "\n");
});
await lines.next();
process.exit(0);

// A facilitator of @x402/core and @x402/evm as they come, until its input ends. In: {rpc, key}. Out: {port, address}.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/facilitator";
import { UptoEvmScheme } from "@x402/evm/upto/facilitator";
import { createWalletClient, defineChain, http, nonceManager, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { rpc, key } = JSON.parse((await lines.next()).value);
const chain = defineChain({
  id: 84532, name: "devnet", nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [rpc] } },
  contracts: { multicall3: { address: "0xcA11bde05977b3631167028862bE2a173976CA11" } },
});
const account = privateKeyToAccount(key, { nonceManager });
const client = createWalletClient({ account, chain, transport: http(), pollingInterval: 50 }).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (args) => client.getCode(args),
  readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
  verifyTypedData: (args) => client.verifyTypedData(args),
  writeContract: (args) => client.writeContract({ ...args, args: args.args ?? [] }),
  sendTransaction: (args) => client.sendTransaction(args),
  waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
});
const facilitator = new x402Facilitator()
  .register("eip155:84532", new ExactEvmScheme(signer, { simulateInSettle: true }))
  .register("eip155:84532", new UptoEvmScheme(signer))
  .registerV1("base-sepolia", new ExactEvmSchemeV1(signer));
const served = {
  "/verify": (body) => facilitator.verify(body.paymentPayload, body.paymentRequirements),
  "/settle": (body) => facilitator.settle(body.paymentPayload, body.paymentRequirements),
  "/supported": () => facilitator.getSupported(),
};
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  try {
    answer(200, await served[request.url](chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks))));
  } catch (error) {
    answer(500, { error: String(error) });
  }
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(JSON.stringify({ port: server.address().port, address: account.address }) + "\n");
});
await lines.next();
process.exit(0);

// tronweb, as it comes, sends and reads through a chain: each part of what it did is a line of the answer.
import { createInterface } from "node:readline";
import { TronWeb } from "tronweb";

const [line] = await new Promise((done) => createInterface({ input: process.stdin }).once("line", (l) => done([l])));
const q = JSON.parse(line);
const web = new TronWeb({ fullHost: q.url, privateKey: q.secret });
const me = web.defaultAddress.base58;

function expect(is, want, what) {
  if (String(is) !== String(want)) throw new Error(`${what} is ${is}, not ${want}`);
}

const thrown = async (f) => {
  try { await f(); } catch (e) { return String(e?.message ?? e?.error ?? e); }
  return "";
};

const parts = {
  async blocks() {
    expect(await web.isConnected().then((c) => c.fullNode && c.solidityNode), true, "the connection");
    const block = await web.trx.getCurrentBlock();
    expect((await web.trx.getBlock(block.block_header.raw_data.number)).blockID, block.blockID, "a block by number");
    expect((await web.trx.getBlockByHash(block.blockID)).blockID, block.blockID, "a block by id");
    const prices = Object.fromEntries((await web.trx.getChainParameters()).map((p) => [p.key, p.value]));
    expect(prices.getEnergyFee > 0 && prices.getTransactionFee > 0, true, "the prices");
  },
  async accounts() {
    expect(await web.trx.getUnconfirmedBalance(me), q.sun, "the balance");
    const other = (await TronWeb.createAccount()).address.base58;
    expect(Object.keys(await web.trx.getUnconfirmedAccount(other)).length, 0, "what is told of no account");
    expect((await web.trx.getAccountResources(me)).freeNetLimit, 600, "the free bandwidth");
  },
  async coin() {
    const to = (await TronWeb.createAccount()).address.base58;
    const sent = await web.trx.sendTransaction(to, 2_000_000);
    expect(sent.result, true, "the sending");
    expect(await web.trx.getUnconfirmedBalance(to), 2_000_000, "what arrived");
    const info = await web.trx.getUnconfirmedTransactionInfo(sent.txid);
    expect(info.fee, 1_100_000, "the price of an account");
    expect((await web.fullNode.request("wallet/gettransactionbyid", { value: sent.txid }, "post")).txID, sent.txid, "its id");
  },
  async token() {
    const token = await web.contract().at(q.token);
    expect(await token.symbol().call(), "USDT", "the symbol");
    expect(await token.decimals().call(), 6n, "the decimals");
    expect(await token.balanceOf(me).call(), q.tokens, "the balance");
    const to = (await TronWeb.createAccount()).address.base58;
    const id = await token.transfer(to, 1_250_000).send({ feeLimit: 100_000_000 });
    expect(await token.balanceOf(to).call(), 1_250_000n, "what arrived");
    const info = await web.trx.getUnconfirmedTransactionInfo(id);
    expect(info.receipt.result, "SUCCESS", "the result");
    expect(BigInt("0x" + info.contractResult[0]), 0n, "what transfer returns");
    expect(info.log.length, 1, "the events");
    expect(info.fee, (info.receipt.energy_fee ?? 0) + (info.receipt.net_fee ?? 0), "the fee");
  },
  async local() {
    const to = (await TronWeb.createAccount()).address.base58;
    const { transaction } = await web.transactionBuilder.triggerSmartContract(
      q.token, "transfer(address,uint256)", { feeLimit: 50_000_000, txLocal: true },
      [{ type: "address", value: to }, { type: "uint256", value: 7 }], me);
    const signed = await web.trx.sign(transaction);
    const sent = await web.trx.sendHexTransaction(hexOf(signed));
    expect(sent.result, true, "the sending");
    expect(sent.txid, transaction.txID, "the id");
  },
  async estimates() {
    const { energy_required: energy } = await web.transactionBuilder.estimateEnergy(
      q.token, "transfer(address,uint256)", {}, [{ type: "address", value: q.other }, { type: "uint256", value: 7 }], me);
    const would = await web.transactionBuilder.triggerConstantContract(
      q.token, "transfer(address,uint256)", {}, [{ type: "address", value: q.other }, { type: "uint256", value: 7 }], me);
    expect(would.energy_used, energy, "the energy");
    expect(would.constant_result[0], "0".repeat(64), "what transfer returns");
  },
  async failures() {
    const token = await web.contract().at(q.token);
    const id = await token.transfer(q.other, 10n ** 30n).send({ feeLimit: 100_000_000 });
    const info = await web.trx.getUnconfirmedTransactionInfo(id);
    expect(info.receipt.result, "REVERT", "the result");
    expect(info.result, "FAILED", "the end");
    const tx = await web.transactionBuilder.sendTrx(q.other, 10 ** 15, me);
    const refused = await web.trx.sendRawTransaction(await web.trx.sign(tx));
    expect(refused.code, "CONTRACT_VALIDATE_ERROR", "the refusal");
    expect(/balance is not sufficient/.test(TronWeb.toUtf8(refused.message)), true, "its words");
    const good = await web.trx.sign(await web.transactionBuilder.sendTrx(q.other, 1, me));
    const forged = { ...good, signature: [good.signature[0].replace(/^../, (b) => (b === "01" ? "02" : "01"))] };
    expect((await web.trx.sendRawTransaction(forged)).code, "SIGERROR", "a forged signature");
    expect((await thrown(() => web.trx.getTransaction("00".repeat(32)))) !== "", true, "an unknown id");
  },
};

// The bytes of a signed transaction: raw_data and the signature, as protocol buffers have them.
function hexOf(tx) {
  const length = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
  const raw = Buffer.from(tx.raw_data_hex, "hex"), signature = Buffer.from(tx.signature[0].replace(/^0x/, ""), "hex");
  return Buffer.from([0x0a, ...length(raw.length), ...raw, 0x12, 65, ...signature]).toString("hex");
}

for (const [part, run] of Object.entries(parts)) {
  let error = "";
  try { await run(); } catch (e) { error = String(e?.stack ?? JSON.stringify(e)); }
  process.stdout.write(JSON.stringify({ part, error }) + "\n");
}
process.exit(0);

// Two libraries of others read, make and sign transactions of Tron: one question a line, one answer a line.
import { createInterface } from "node:readline";
import wallet from "@trustwallet/wallet-core";
import { TronWeb, utils } from "tronweb";

const { initWasm, TW } = wallet;
const core = await initWasm();
const { Tron } = TW;
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const big = (n) => ({ low: Number(BigInt(n) & 0xffffffffn) | 0, high: Number(BigInt(n) >> 32n) | 0, unsigned: false });

// Both readers give the same form: what a transaction says, in names of our own. Numbers are decimal.
function said(raw, json) {
  const c = json.contract[0], v = c.parameter.value;
  return {
    refBytes: json.ref_block_bytes.toLowerCase(), refHash: json.ref_block_hash.toLowerCase(),
    expiration: String(json.expiration), timestamp: String(json.timestamp), feeLimit: String(json.fee_limit ?? 0),
    owner: TronWeb.address.fromHex(v.owner_address), to: TronWeb.address.fromHex(v.contract_address ?? v.to_address),
    amount: String(v.amount ?? v.call_value ?? 0), data: (v.data ?? "").toLowerCase(), raw,
  };
}

function readByTronWeb(q) {
  const json = utils.deserializeTx.deserializeTransaction(q.type, q.raw);
  const pb = utils.transaction.txJsonToPb({ raw_data: json, visible: false });
  const raw = utils.transaction.txPbToRawDataHex(pb).toLowerCase();
  return { ...said(raw, json), id: utils.transaction.txPbToTxID(pb).replace("0x", "") };
}

// Trust Wallet's core writes a transaction again from the JSON that nodes give of it, and signs it only where it gets
// the same bytes and the same id.
function readByCore(q) {
  const json = utils.deserializeTx.deserializeTransaction(q.type, q.raw);
  const { value } = json.contract[0].parameter;
  for (const name of ["call_value", "call_token_value", "token_id"]) if (!value[name]) delete value[name];
  const contract = [{ ...json.contract[0], Permission_id: undefined }];
  const rawData = {
    contract, ref_block_bytes: json.ref_block_bytes, ref_block_hash: json.ref_block_hash, expiration: json.expiration,
    timestamp: json.timestamp, fee_limit: json.fee_limit || undefined,
  };
  const whole = { raw_data: rawData, raw_data_hex: q.raw, txID: q.id, visible: false };
  const out = signed({ privateKey: bytes("01".repeat(32)), rawJson: JSON.stringify(whole) });
  return { id: hex(out.id) };
}

function signed(fields) {
  const input = Tron.Proto.SigningInput.create(fields);
  const out = Tron.Proto.SigningOutput.decode(core.AnySigner.sign(
    Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron));
  if (out.error) throw new Error(out.errorMessage);
  return out;
}

function signByCore(q) {
  const what = q.data
    ? { triggerSmartContract: {
        ownerAddress: q.owner, contractAddress: q.to, callValue: big(q.amount), data: bytes(q.data),
      } }
    : { transfer: { ownerAddress: q.owner, toAddress: q.to, amount: big(q.amount) } };
  const out = signed({ privateKey: bytes(q.secret), transaction: Tron.Proto.Transaction.create({
    ...what, timestamp: big(q.timestamp), expiration: big(q.expiration), feeLimit: big(q.feeLimit),
    blockHeader: {
      timestamp: big(q.timestamp), number: big(q.number), parentHash: bytes(q.parent), txTrieRoot: bytes(q.parent),
      witnessAddress: bytes("41" + "11".repeat(20)), version: 30,
    },
  }) });
  return { raw: JSON.parse(out.json).raw_data_hex, id: hex(out.id), signature: hex(out.signature) };
}

const attempt = (f, q) => {
  try { return f(q); } catch (e) { return { error: String(e?.message ?? e) }; }
};

for await (const line of createInterface({ input: process.stdin })) {
  const q = JSON.parse(line);
  let a;
  switch (q.ask) {
    case "read": a = { tronweb: attempt(readByTronWeb, q), core: attempt(readByCore, q) }; break;
    case "core": a = signByCore(q); break;
    case "sign":
      a = {
        address: TronWeb.address.fromPrivateKey(q.secret),
        signature: utils.crypto.signTransaction(q.secret, { txID: q.id }).signature[0].replace("0x", "").toLowerCase(),
        recovered: TronWeb.address.fromHex(utils.crypto.ecRecover(q.id, q.signature)),
      };
      break;
    case "text":
      a = {
        tronweb: utils.message.signMessage(q.text, q.secret), signer: utils.message.verifyMessage(q.text, q.signature),
        core: core.TronMessageSigner.signMessage(core.PrivateKey.createWithData(bytes(q.secret)), q.text),
      };
      break;
    case "address":
      a = { tronweb: TronWeb.isAddress(q.text) && !/^(0x)?41/i.test(q.text), core: core.AnyAddress.isValid(q.text, core.CoinType.tron) };
      break;
  }
  process.stdout.write(JSON.stringify(a) + "\n");
}
process.exit(0);

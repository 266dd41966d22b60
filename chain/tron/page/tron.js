// Tron, as far as a reader has to be sure of it: addresses, and what the bytes pay whom. The other side of it is
// chain/tron. What these bytes do the page reads by itself and holds against the signer's preview.

import { base58, fromBase58, fromHex, hex, must, sha256, utf8 } from "../../page/bytes.js";

// is goes by the form alone: 25 bytes, of which the first makes the text begin with T.
export const is = (text) => fromBase58(text, 25)?.[0] === 0x41;

export const unit = "sun";
export const highFee = 10n ** 8n; // 100 TRX: a payment of tokens burns some ten

// addressOf writes 0x41 and 20 bytes with the first four of their hash's hash behind them.
export async function addressOf(bytes) {
  must(bytes?.length === 21 && bytes[0] === 0x41, "the transaction names an address that is none of Tron");
  return base58(Uint8Array.from([...bytes, ...(await sha256(await sha256(bytes))).slice(0, 4)]));
}

// varint reads a number in the fewest bytes of seven bits, the least first.
function varint(bytes, at) {
  let n = 0n;
  for (let shift = 0n; ; shift += 7n) {
    must(at < bytes.length && shift < 63n, "the transaction ends too early");
    const byte = bytes[at++];
    n |= BigInt(byte & 127) << shift;
    must(byte > 0 || shift === 0n, "the transaction has a number in more bytes than it needs");
    if (byte < 128) return [n, at];
  }
}

// read takes the fields of a message (protocol buffers) by their numbers: in order, each once or not at all, none that is
// zero or empty, and no other than those that are named.
function read(bytes, numbers, parts) {
  const found = {};
  for (let at = 0, last = 0, tag, value; at < bytes.length; ) {
    [tag, at] = varint(bytes, at);
    const field = Number(tag >> 3n);
    must(field > last && (tag & 7n ? parts : numbers).includes(field), "the transaction has a field that this page does not know");
    [value, at] = varint(bytes, at);
    must(value > 0n && [0n, 2n].includes(tag & 7n), "the transaction has a field that is empty");
    if (tag & 7n) {
      const end = at + Number(value);
      must(end <= bytes.length, "the transaction ends too early");
      [value, at] = [bytes.slice(at, end), end];
    }
    [found[field], last] = [value, field];
  }
  return found;
}

// The two types of contract, and how their parameters are called.
const transfers = 1n;
const triggers = 31n;
const urls = { [transfers]: "TransferContract", [triggers]: "TriggerSmartContract" };

const none = new Uint8Array();

// readRaw reads what a key signs: raw_data of a transfer of TRX, or of a call of a contract.
export async function readRaw(bytes) {
  const raw = read(bytes, [8, 14, 18], [1, 4, 11]);
  const contract = read(raw[11] ?? none, [1], [2]);
  const parameter = read(contract[2] ?? none, [], [1, 2]);
  const calls = contract[1] === triggers;
  must(hex(parameter[1] ?? none) === hex(utf8("type.googleapis.com/protocol." + urls[contract[1]])), "the transaction is of a type that this page does not know");
  const value = read(parameter[2] ?? none, [3], calls ? [1, 2, 4] : [1, 2]);
  const tx = { owner: await addressOf(value[1]), to: await addressOf(value[2]), amount: value[3] ?? 0n, data: value[4] ?? none };
  must(calls === tx.data.length > 0, "the transaction calls a contract with no data");
  return { ...tx, fee: calls ? raw[18] ?? 0n : activation };
}

// activation is what a transfer of TRX burns in sun where it is the first to name its payee: no limit in the bytes holds
// that, and they do not tell whether the account is there.
const activation = 1_100_000n;

// functions are those of TRC-20 that are understood, with the names of their words, of which the last is an amount.
const functions = {
  a9059cbb: ["transfer", "to"], "23b872dd": ["transfer", "from", "to"], "095ea7b3": ["approve", "spender"],
};

// effectsOf tells what a transfer or a call does. The last is null where this page does not read the call: another
// function, or words that are not written as encoders write them.
async function effectsOf({ owner, to, amount, data }) {
  const coin = { kind: "transfer", asset: "native", from: owner, to, amount: amount.toString() };
  if (data.length === 0) return [coin];
  return [...(amount > 0n ? [coin] : []), await callOf(owner, to, data)];
}

async function callOf(from, asset, data) {
  const [kind, ...names] = functions[hex(data.slice(0, 4))] ?? [];
  const words = Array.from({ length: names.length + 1 }, (_, i) => data.slice(4 + 32 * i, 36 + 32 * i));
  if (!kind || data.length !== 4 + 32 * words.length || names.some((_, i) => words[i].slice(0, 12).some(Boolean))) return null;
  const parties = await Promise.all(names.map(async (name, i) => [name, await addressOf(Uint8Array.from([0x41, ...words[i].slice(12)]))]));
  return { kind, asset, from, ...Object.fromEntries(parties), amount: BigInt("0x" + hex(words.at(-1))).toString() };
}

const same = (own, shown) => (own ? ["kind", "asset", "from", "to", "spender", "amount"].every((name) => own[name] === shown[name]) : shown.kind === "unknown_call");

const alike = (own, shown) => own.length === shown.length && own.every((effect, i) => same(effect, shown[i]));

// check holds what a body makes the signer sign, an intent or exact bytes, against its preview.
export async function check(intent, parameters, preview) {
  const tx = intent ? intentOf(parameters) : await readRaw(fromHex(parameters.unsignedTransaction.replace(/^0x/, "")));
  must(tx.owner === preview.signWith, "the transaction is of another owner than the preview shows");
  must(intent || preview.maxTotalFee === tx.fee.toString(), "bytes and preview name different fees");
  const own = await effectsOf(tx);
  must(alike(own, preview.effects ?? []), `${intent ? "body" : "bytes"} and preview name different payments`);
  const { transfer: words } = parameters;
  const last = own.at(-1);
  must(!words || (last && words.token === last.asset && words.to === last.to && words.amount === last.amount), "the body’s words are of another payment than its data");
}

const intentOf = ({ signWith, to, value, data }) => ({ owner: signWith, to, amount: BigInt(value), data: fromHex(data.slice(2)) });

// checkSigned wants that what was signed is what was stamped: the very bytes, or the payment of the intent.
export async function checkSigned(intent, parameters, { signedTransaction, txHash }) {
  const signed = read(fromHex(signedTransaction.replace(/^0x/, "")), [], [1, 2]);
  must(signed[1] && signed[2]?.length === 65, "the transaction has another number of signatures than one");
  must(txHash === hex(await sha256(signed[1])), "the transaction’s name is not the hash of what was signed");
  if (!intent) return must(hex(signed[1]) === parameters.unsignedTransaction.replace(/^0x/, ""), "other bytes were signed than were stamped");
  const tx = await readRaw(signed[1]);
  const [paid, own] = [await effectsOf(tx), await effectsOf(intentOf(parameters))];
  must(tx.fee <= BigInt(parameters.maxTotalFee), "the signed transaction costs more than was stamped");
  const shown = paid.map((effect) => effect ?? { kind: "unknown_call" });
  must(tx.owner === parameters.signWith && tx.to === parameters.to && hex(tx.data) === parameters.data.slice(2) && alike(own, shown), "another payment was signed than was stamped");
}

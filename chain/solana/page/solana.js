// Solana, as far as a reader has to be sure of it: addresses, token accounts, and what the bytes pay whom. The other side
// of it is chain/solana. What these bytes do the page reads by itself and holds against the signer's preview.

import { base58, fromBase58, fromHex, hex, must, sha256, utf8 } from "../../page/bytes.js";
import { checkCharges } from "./charges.js";

// addressBytes are the 32 bytes of an address, or null of what is none.
export const addressBytes = (text) => fromBase58(text, 32);

export const is = (text) => addressBytes(text) !== null;
export const unit = "lamports";
export const highFee = 10n ** 8n;

// -x² + y² = 1 + D x² y² modulo P. The bytes are y, the least first, with the sign of x in the highest bit.
const P = 2n ** 255n - 19n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

// onCurve reports whether a key of these bytes can exist: x² = (y²-1) / (Dy²+1) is 0 or has a root.
export function onCurve(bytes) {
  const y = BigInt("0x" + hex(bytes.slice().reverse())) & ((1n << 255n) - 1n);
  const x2 = ((y * y - 1n) * (D * y * y + 1n)) % P;
  let root = 1n;
  for (let base = (x2 + P) % P, n = (P - 1n) / 2n; n > 0n; n >>= 1n, base = (base * base) % P) if (n & 1n) root = (root * base) % P;
  return x2 === 0n || root === 1n;
}

const [system, token, associated, budget, memo, oldMemo] = [
  "11111111111111111111111111111111", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  "ComputeBudget111111111111111111111111111111", "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
];

// tokenAccount is the one account of an owner for a mint that counts as his: the first of 256 hashes that is no key.
export async function tokenAccount(owner, mint) {
  const seeds = [owner, token, mint].map(addressBytes);
  for (let bump = 255; bump >= 0; bump--) {
    const hash = await sha256(joined(...seeds, [bump], addressBytes(associated), utf8("ProgramDerivedAddress")));
    if (!onCurve(hash)) return base58(hash);
  }
  return null;
}

const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

// Bytes are read to their end, each once.
class Reader {
  constructor(bytes) { Object.assign(this, { bytes, at: 0 }); }
  take(n) {
    must(this.at + n <= this.bytes.length, "the transaction ends too early");
    return this.bytes.slice(this.at, (this.at += n));
  }
  byte() { return this.take(1)[0]; }
  number(n) { return BigInt("0x" + hex(this.take(n).reverse())); }
  address() { return base58(this.take(32)); }
  count() { // in one or two bytes of seven bits: longer lists do not fit
    const first = this.byte();
    if (first < 128) return first;
    const second = this.byte();
    must(second > 0 && second < 128, "the transaction has a length that nothing has");
    return (first & 127) + second * 128;
  }
  list(read) { return Array.from({ length: this.count() }, () => read(this)); }
  end() { must(this.at === this.bytes.length, "the transaction goes on behind its end"); }
}

// readTransaction reads a whole transaction, with a slot for each signature: before a legacy or v0 message, behind a v1.
export function readTransaction(text) {
  const r = new Reader(fromHex(text.replace(/^0x/, "")));
  const last = r.bytes[0] >= 128;
  const slots = last ? [] : r.list(() => r.take(64));
  const begin = r.at;
  const m = readMessage(r);
  const message = r.bytes.slice(begin, r.at);
  if (last) for (let i = 0; i < m.signs; i++) slots.push(r.take(64));
  r.end();
  must(slots.length === m.signs && last === (m.version === 1), "the transaction has no slot for each of its signatures");
  return { ...m, message, slots, signers: m.keys.slice(0, m.signs) };
}

function readMessage(r) {
  const version = r.bytes[r.at] >= 128 ? r.byte() - 128 : -1;
  must(version <= 1, "the transaction is of a version that this page does not know");
  const [signs] = r.take(3);
  if (version === 1) return { version, signs, ...readLast(r) };
  const keys = r.list(() => r.address());
  r.take(32);
  const calls = r.list(() => callOf(keys, r.byte(), r.list(() => r.byte()), r.list(() => r.byte())));
  const tables = version === 0 ? r.list(() => [r.address(), r.list(() => r.byte()), r.list(() => r.byte())]).length : 0;
  return { version, signs, keys, calls, tables, priority: priced(calls) };
}

// readLast reads the rest of a v1 message: the priority is in it, and the instructions' lengths stand before them.
function readLast(r) {
  const mask = r.number(4);
  r.take(32);
  const [count, keyCount] = r.take(2);
  const keys = Array.from({ length: keyCount }, () => r.address());
  must(mask < 32n && [0n, 3n].includes(mask & 3n), "the transaction says what nobody knows of its fee");
  const priority = mask & 3n ? r.number(8) : 0n;
  for (const bit of [4n, 8n, 16n]) if (mask & bit) r.take(4);
  const heads = Array.from({ length: count }, () => [r.byte(), r.byte(), Number(r.number(2))]);
  const calls = heads.map(([program, accounts, size]) => callOf(keys, program, [...r.take(accounts)], [...r.take(size)]));
  return { keys, calls, tables: 0, priority };
}

const callOf = (keys, program, accounts, data) => ({ program: keys[program], accounts: accounts.map((i) => keys[i]), data });

const little = (data, from, to) => new Reader(Uint8Array.from(data.slice(from, to))).number(to - from);

// priced is what Compute Budget instructions offer: millionths of a lamport for each unit, rounded up.
function priced(calls) {
  const said = (kind, size) => calls.filter(({ program, data }) => program === budget && data[0] === kind && data.length === size + 1).map(({ data }) => little(data, 1, size + 1))[0];
  const units = said(2, 4) ?? BigInt(200000 * calls.length);
  return ((said(3, 8) ?? 0n) * (units < 1400000n ? units : 1400000n) + 999999n) / 1000000n;
}

// isDurable reports whether a transaction begins with AdvanceNonceAccount: it can be sent until that account advances.
const isDurable = ({ calls: [first] }) => first?.program === system && first.data.length >= 4 && little(first.data, 0, 4) === 4n;

// silent instructions pay nothing.
const silent = [budget, memo, oldMemo];

// paymentsOf has a payment for each instruction that is not silent, and null for one that this page does not read.
function paymentsOf(tx) {
  const owners = [...tx.signers, ...tx.calls.filter(({ program }) => program === associated).map(({ accounts }) => accounts[2])];
  return Promise.all(tx.calls.filter(({ program }) => !silent.includes(program)).map((call) => paymentOf(call, owners)));
}

async function paymentOf({ program, accounts: a, data }, owners) {
  if (program === system && data.length === 12 && little(data, 0, 4) === 2n) return sends("native", a[0], a[1], little(data, 4, 12));
  if (program === associated && data.length <= 1 && (data[0] ?? 0) < 2) return { ...sends("native", a[0], a[2], null), account: a[1] };
  if (program !== token || data[0] !== 12 || data.length !== 10) return null;
  for (const owner of [...owners, a[4]].filter(Boolean)) {
    if ((await tokenAccount(owner, a[1])) === a[2] && (await tokenAccount(a[3], a[1])) === a[0]) return sends(a[1], a[3], owner, little(data, 1, 9));
  }
  return null;
}

// sends is a payment; without an amount it is the rent of an account, which the bytes do not say.
const sends = (asset, from, to, amount) => ({ kind: "transfer", asset, from, to, amount: amount?.toString() });

const same = (one, other) => ["kind", "asset", "from", "to"].every((name) => one[name] === other[name]) && (one.amount ?? other.amount) === other.amount;

// check holds what a body makes the signer sign, an intent or exact bytes, against its preview.
export async function check(intent, parameters, preview) {
  if (intent) checkIntent(parameters, preview.effects ?? []);
  else await checkBytes(readTransaction(parameters.unsignedTransaction), preview);
  checkCharges(preview);
}

// checkHeld is for a payment that is voted on, of which this page has no body: an intent, or one of an agent. Where its
// preview tells a rent, that is what comes first.
export function checkHeld(activity, held) {
  if (!["ACTIVITY_TYPE_SIGN_INTENT", "ACTIVITY_TYPE_AGENT_PAYMENT"].includes(activity)) return;
  const [first, ...more] = held.effects ?? [];
  must(more.length === (held.maxRent ? 1 : 0), "the preview shows other payments than its rent tells");
  if (held.maxRent) first.rent = first.kind === "transfer" && first.asset === "native";
  checkCharges(held);
}

// intentOf is what an intent pays: lamports, or the amount of a mint, for whose account at most the rent is paid.
function intentOf({ signWith, to, value, data, maxRent }) {
  if (data === "0x") return [sends("native", signWith, to, value)];
  const r = new Reader(fromHex(data.slice(2)));
  must(r.byte() === 116 && value === "0", "the body’s data are not a payment of a token");
  const [mint, amount] = [r.address(), r.number(8)];
  r.byte();
  r.end();
  return [maxRent && sends("native", signWith, to, maxRent), sends(mint, signWith, to, amount)].filter(Boolean);
}

function checkIntent(parameters, effects) {
  const own = intentOf(parameters);
  must(own.length === effects.length && own.every((payment, i) => same(payment, effects[i])), "body and preview name different payments");
  if (own.length > 1) effects[0].rent = true;
  const { transfer: words } = parameters;
  const { asset, to, amount } = own.at(-1);
  must(!words || (words.token === asset && words.to === to && words.amount === amount), "the body’s words are of another payment than its data");
}

// checkBytes lets the signer show less than the page reads, as an unknown call, and never more or something else.
async function checkBytes(tx, { signWith, maxTotalFee, effects = [], warnings = [] }) {
  must(tx.signers.includes(signWith), "the transaction does not ask for this signature");
  const fee = tx.signers[0] === signWith ? 5000n * BigInt(tx.signs) + tx.priority : 0n;
  must(maxTotalFee === fee.toString(), "bytes and preview name different fees");
  const told = (word) => warnings.some((warning) => warning.includes(word));
  must(tx.signers.every((key) => key === signWith || told(key)), "the preview does not say who else signs");
  const unknown = effects.filter(({ kind }) => kind === "unknown_call").length;
  if (isDurable(tx)) must(told(`${later} until nonce account ${tx.calls[0].accounts[0]} advances`), "the preview does not say that the transaction can be sent at any later time");
  if (isDurable(tx) || tx.tables > 0) return must(unknown === 1 && effects.length === 1, "the preview shows what nobody can know of this transaction");
  if (unknown === 1 && effects.length === 1) return;
  const shown = effects.filter(({ kind, contract }) => kind !== "unknown_call" || !silent.includes(contract)); // of such a one that is malformed
  const own = await paymentsOf(tx);
  if (own.length === 0 && shown.length === effects.length) own.push(sends("native", signWith, signWith, 0n)); // so the signer shows nothing
  must(own.length === shown.length, "bytes and preview name another number of payments");
  own.forEach((payment, i) => {
    must(!payment || shown[i].kind === "unknown_call" || same(payment, shown[i]), "bytes and preview name different payments");
    if (payment?.account) shown[i].rent = true;
  });
}

// checkSigned wants that what was signed is what was stamped: the very bytes, or the payments of the intent.
export async function checkSigned(intent, parameters, { signedTransaction, txHash = "" }) {
  const tx = readTransaction(signedTransaction);
  must(txHash === (tx.slots[0].some(Boolean) ? base58(tx.slots[0]) : ""), "the transaction’s name is not its first signature");
  if (!intent) return must(hex(tx.message) === hex(readTransaction(parameters.unsignedTransaction).message), "other bytes were signed than were stamped");
  const paid = await paymentsOf(tx);
  const own = intentOf(parameters);
  if (paid.length < own.length) own.shift(); // the account was there
  must(tx.signs === 1 && 5000n + tx.priority <= BigInt(parameters.maxTotalFee), "the signed transaction costs more than was stamped");
  must(tx.calls.every(({ program }) => [system, token, associated, budget].includes(program)), "the signed transaction calls what was not stamped");
  must(paid.length === own.length && paid.every((payment, i) => payment && same(payment, own[i])), "another payment was signed than was stamped");
}

export const later = "can be sent at any later time";

// offCurve are those who get something and of whom nobody can have the key: the wallet of several people, perhaps.
export const offCurve = (preview) =>
  (is(preview.signWith) ? [...new Set((preview.effects ?? []).flatMap(({ to, spender }) => [to, spender]))] : []).filter((text) => addressBytes(text) && !onCurve(addressBytes(text)));

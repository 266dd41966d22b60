// Solana, as far as a widget pays there: addresses, token accounts, and the bytes of a payment. The other side of it is
// chain/solana.

import { programs } from "./networks.js";

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const number = (bytes) => bytes.reduce((n, byte) => (n << 8n) + BigInt(byte), 0n);

// base58 writes bytes: a 1 for each zero byte in front, then the number.
export function base58(bytes) {
  let text = "";
  for (let n = number([...bytes]); n > 0n; n /= 58n) text = digits[n % 58n] + text;
  const zeros = bytes.findIndex((b) => b !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}

// bytesOf are the 32 bytes of an address, or of a blockhash; null of what is none.
export function bytesOf(text) {
  if (typeof text !== "string" || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return null;
  let n = [...text].reduce((sum, c) => sum * 58n + BigInt(digits.indexOf(c)), 0n);
  if (n >> 256n) return null;
  const bytes = new Uint8Array(32);
  for (let i = 31; i >= 0; i--, n >>= 8n) bytes[i] = Number(n & 255n);
  return base58(bytes) === text ? bytes : null;
}

// unpayable says what an address is of which nobody has the key; "": somebody may have it.
export const unpayable = (address) => programs.includes(address) || /^Sysvar.*1111111111$/.test(address)
  ? "It would pay to a program of Solana itself, from which nothing returns." : "";

// -x² + y² = 1 + D x² y² modulo P. The bytes are y, the least first, with the sign of x in the highest bit.
const P = 2n ** 255n - 19n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

// onCurve reports whether a key of these bytes can exist: x² = (y²-1) / (Dy²+1) is 0 or has a root.
export function onCurve(bytes) {
  const y = number([...bytes].reverse()) & ((1n << 255n) - 1n);
  const x2 = ((((y * y - 1n) * (D * y * y + 1n)) % P) + P) % P;
  let root = 1n;
  for (let base = x2, n = (P - 1n) / 2n; n > 0n; n >>= 1n, base = (base * base) % P) if (n & 1n) root = (root * base) % P;
  return x2 === 0n || root === 1n;
}

// warn is what people should know of an address before they pay it.
export const warn = (address) => onCurve(bytesOf(address)) ? []
  : ["No key can sign for this address: it belongs to a program, such as a wallet of several people. What a program does not expect is lost there."];

const system = "11111111111111111111111111111111";
const tokens = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

// tokenAccount is the one account of an owner for a mint that counts as his: the first of 256 hashes that is no key.
export async function tokenAccount(owner, mint) {
  const seeds = [owner, tokens, mint].flatMap((text) => [...bytesOf(text)]);
  const end = [...bytesOf(associated), ...new TextEncoder().encode("ProgramDerivedAddress")];
  for (let bump = 255; bump >= 0; bump--) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from([...seeds, bump, ...end])));
    if (!onCurve(hash)) return base58(hash);
  }
  throw new Error("no token account");
}

const little = (n, size) => Array.from({ length: size }, (_, i) => Number((BigInt(n) >> BigInt(8 * i)) & 255n));

// calls are the instructions of a payment. Each names its accounts, and whether it writes to them. A token is paid into
// the associated account of its receiver, which the payer makes where it is missing.
async function calls({ to, amount, token }, from) {
  if (!token) return [{ program: system, accounts: [[from, true], [to, true]], data: [...little(2, 4), ...little(amount, 8)] }];
  const [source, target] = [await tokenAccount(from, token.address), await tokenAccount(to, token.address)];
  return [
    { program: associated, data: [1], accounts: [[from, true], [target, true], [to, false], [token.address, false], [system, false], [tokens, false]] },
    { program: tokens, data: [12, ...little(amount, 8), token.decimals], accounts: [[source, true], [token.address, false], [target, true], [from, true]] },
  ];
}

// unsigned writes the transaction of a payment that one key signs and pays for: a slot of zeros for its signature, and
// the message in its oldest form, which every wallet reads.
export async function unsigned(payment, from, blockhash) {
  const all = await calls(payment, from);
  const written = new Map([[from, true]]);
  for (const { program, accounts } of all) {
    for (const [key, writes] of [...accounts, [program, false]]) written.set(key, writes || written.get(key) === true);
  }
  const keys = [...written.keys()].sort((a, b) => written.get(b) - written.get(a)); // who signs stays the first
  const readOnly = keys.filter((key) => !written.get(key)).length;
  const called = all.flatMap(({ program, accounts, data }) =>
    [keys.indexOf(program), accounts.length, ...accounts.map(([key]) => keys.indexOf(key)), data.length, ...data]);
  return Uint8Array.from([1, ...new Array(64).fill(0), 1, 0, readOnly, keys.length, ...keys.flatMap((key) => [...bytesOf(key)]),
    ...bytesOf(blockhash), all.length, ...called]);
}

// What the readers of each family need: bytes and their spellings. The passkey page has more in its own bytes.js.

// NotVerified is thrown for whatever does not fit together. The page then ends.
export class NotVerified extends Error {}

export function must(holds, otherwise) {
  if (!holds) throw new NotVerified(otherwise);
}

export const utf8 = (text) => new TextEncoder().encode(text);

export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

// base58 writes bytes: a 1 for each zero byte in front, then the number.
export function base58(bytes) {
  let text = "";
  for (let n = BigInt("0x0" + hex(bytes)); n > 0n; n /= 58n) text = digits[n % 58n] + text;
  const zeros = bytes.findIndex((b) => b !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}

// fromBase58 reads so many bytes in their one spelling; null where the text is none of that.
export function fromBase58(text, size) {
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,64}$/.test(text ?? "")) return null;
  const number = [...text].reduce((n, c) => n * 58n + BigInt(digits.indexOf(c)), 0n);
  const bytes = number < 1n << BigInt(8 * size) ? fromHex(number.toString(16).padStart(2 * size, "0")) : new Uint8Array();
  return base58(bytes) === text ? bytes : null;
}

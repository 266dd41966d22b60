// Bytes, their spellings, and JSON with one meaning only.

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

export function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64url(text) {
  must(typeof text === "string" && /^[A-Za-z0-9_-]*$/.test(text), "something is not base64url");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  must(base64url(bytes) === text, "something is not base64url in its one spelling");
  return bytes;
}

// parseStrict reads JSON and refuses a name given twice, which JSON.parse lets
// the last one win: another reader might have taken the first.
export function parseStrict(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotVerified("something is not JSON");
  }
  const open = []; // of each open bracket the names so far
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g) ?? [];
  tokens.forEach((token, i) => {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (tokens[i + 1] === ":") {
      const names = open.at(-1);
      const name = JSON.parse(token);
      must(!names.has(name), "a name in the JSON is given twice");
      names.add(name);
    }
  });
  return value;
}

// only refuses an object with members that nobody here would look at.
export function only(object, what, names) {
  must(object !== null && typeof object === "object" && !Array.isArray(object), `${what} is not an object`);
  for (const name of Object.keys(object)) must(names.includes(name), `${what} has a member that this page does not know`);
  return object;
}

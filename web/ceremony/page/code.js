// The recovery key and its code: the private half as text that people can write
// down. 32 bytes and three of checksum are 56 digits of base 32, in fours. The
// digits leave out I, L, O and U, and who writes one of these is understood.

import { base64url, fromBase64url, fromHex, hex, sha256, utf8 } from "./bytes.js";
import { compress, isScalar, publicOf } from "./curve.js";

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const domain = "railkit recovery code v1\n"; // of the checksum
const length = 56;

// CodeError is a code that was mistyped: its message is for whoever typed it.
export class CodeError extends Error {}

// newRecoveryKey makes a key. Its private half is the code, and nowhere else.
export async function newRecoveryKey() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const { d, x, y } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  return {
    publicKey: compress(hex(fromBase64url(x)), hex(fromBase64url(y))),
    code: await writeCode(fromBase64url(d)),
  };
}

// writeCode spells 32 bytes: AAAA-BBBB-…
export async function writeCode(secret) {
  let number = BigInt("0x" + hex(secret) + hex(await checksum(secret)));
  let text = "";
  for (let i = 0; i < length; i++, number >>= 5n) text = digits[Number(number & 31n)] + text;
  return text.match(/.{4}/g).join("-");
}

// readCode is the other way, for what people type.
export async function readCode(text) {
  const typed = text.toUpperCase().replace(/[\s\u2010-\u2015-]/g, "").replace(/[IL]/g, "1").replaceAll("O", "0").replaceAll("U", "V");
  const odd = Array.from(typed).find((c) => !digits.includes(c));
  if (odd !== undefined) throw new CodeError(`A recovery code has letters and digits only, not “${odd}”.`);
  if (typed.length !== length) throw new CodeError(`A recovery code has ${length} letters and digits. These are ${typed.length}.`);
  const number = Array.from(typed).reduce((sum, c) => (sum << 5n) | BigInt(digits.indexOf(c)), 0n);
  const bytes = fromHex(number.toString(16).padStart(70, "0"));
  const secret = bytes.slice(0, 32);
  const same = hex(await checksum(secret)) === hex(bytes.slice(32));
  if (!same || !isScalar(hex(secret))) throw new CodeError("One of the letters or digits is not right. Compare it with what you have saved.");
  return secret;
}

const checksum = async (secret) => (await sha256(new Uint8Array([...utf8(domain), ...secret]))).slice(0, 3);

// signWith signs a text with the recovery key.
export async function signWith(secret, text) {
  const [x, y] = publicOf(hex(secret));
  const jwk = { kty: "EC", crv: "P-256", d: base64url(secret), x: base64url(fromHex(x)), y: base64url(fromHex(y)) };
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  return base64url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, utf8(text)));
}

// The signer's statements: is this one by the pinned key, and what does it say?
// The other side of it is enclave/wire/proof.go.

import { base64url, fromBase64url, fromHex, must, only, parseStrict, utf8 } from "./bytes.js";

const domain = "railkit proof v1\n"; // keeps these signatures from meaning anything else

// P-256: y² = x³ - 3x + B modulo P.
const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

// openProof gives the statement of a proof by the pinned key, for the pinned
// environment, with its place in the journal as a number.
export async function openProof(proof, pin) {
  only(proof, "the proof", ["payload", "signature", "publicKey"]);
  must(typeof proof.payload === "string" && proof.payload !== "", "the proof says nothing");
  must(typeof proof.publicKey === "string" && proof.publicKey.toLowerCase() === pin.identityKey, "the proof is by another key than the signer's");
  const signature = fromBase64url(proof.signature);
  const key = await crypto.subtle.importKey("raw", decompress(pin.identityKey), { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  const holds = signature.length === 64 &&
    (await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, signature, utf8(domain + proof.payload)));
  must(holds, "the proof's signature is not the signer's");
  return readStatement(proof.payload, pin);
}

function readStatement(payload, pin) {
  const statement = only(parseStrict(payload), "the statement", [
    "kind", "environment", "organizationId", "fingerprint", "activity", "seq", "head", "time", "preview", "result", "state",
  ]);
  must(statement.environment === pin.environment, "the statement is for another environment");
  must(/^(0|[1-9][0-9]{0,19})$/.test(statement.seq) && /^[0-9a-f]{64}$/.test(statement.head), "the statement has no place in the signer's journal");
  return statement;
}

// decompress turns a compressed point (hex) into 4, X, Y, which is what every
// browser takes.
export function decompress(compressed) {
  must(/^0[23][0-9a-f]{64}$/.test(compressed), "the pinned key is not a compressed P-256 key");
  const x = BigInt("0x" + compressed.slice(2));
  const square = mod(x ** 3n - 3n * x + B);
  let y = power(square, (P + 1n) / 4n);
  must(x < P && mod(y * y) === square, "the pinned key is not a point of P-256");
  if (y % 2n !== BigInt(compressed[1] === "3")) y = P - y;
  return fromHex("04" + compressed.slice(2) + y.toString(16).padStart(64, "0"));
}

const mod = (n) => ((n % P) + P) % P;

function power(base, exponent) {
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

// holdsKey reports whether an authenticator's answer about a new passkey has this
// public key (COSE, base64url) in its place. Extensions may follow the key.
export function holdsKey(authenticatorData, publicKey) {
  const data = new Uint8Array(authenticatorData);
  const key = fromBase64url(publicKey);
  const at = 55 + data[53] * 256 + data[54]; // after hash, flags, counter, make, length and id
  return (data[32] & 0x40) !== 0 && key.length > 0 && base64url(data.slice(at, at + key.length)) === publicKey;
}

// HPKE (RFC 9180), base mode with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and
// AES-256-GCM: opening one message. WebCrypto has the parts.

import { utf8 } from "./bytes.js";

const kem = new Uint8Array([...utf8("KEM"), 0, 16]);
const suite = new Uint8Array([...utf8("HPKE"), 0, 16, 0, 1, 0, 2]);
const none = new Uint8Array();
const encapsulated = 65; // bytes of an uncompressed point

const joined = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));

async function hmac(key, data) {
  const padded = key.length > 0 ? key : new Uint8Array(32); // the same to HMAC, and WebCrypto takes no empty key
  const imported = await crypto.subtle.importKey("raw", padded, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

const extract = (id, salt, label, secret) => hmac(salt, joined(utf8("HPKE-v1"), id, utf8(label), secret));

// expand gives up to 32 bytes, which is one round of HKDF.
async function expand(id, key, label, info, length) {
  const round = joined([0, length], utf8("HPKE-v1"), id, utf8(label), info, [1]);
  return (await hmac(key, round)).slice(0, length);
}

// open opens encapsulated key and ciphertext. The receiver's key pair is a private
// WebCrypto key for ECDH and the raw bytes of its public half.
export async function open({ privateKey, publicKey }, info, sealed, aad = none) {
  const [enc, ciphertext] = [sealed.slice(0, encapsulated), sealed.slice(encapsulated)];
  const sender = await crypto.subtle.importKey("raw", enc, { name: "ECDH", namedCurve: "P-256" }, false, []);
  const dh = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: sender }, privateKey, 256));
  const shared = await expand(kem, await extract(kem, none, "eae_prk", dh), "shared_secret", joined(enc, publicKey), 32);
  const context = joined([0], await extract(suite, none, "psk_id_hash", none), await extract(suite, none, "info_hash", info));
  const secret = await extract(suite, shared, "secret", none);
  const key = await crypto.subtle.importKey("raw", await expand(suite, secret, "key", context, 32), "AES-GCM", false, ["decrypt"]);
  const nonce = await expand(suite, secret, "base_nonce", context, 12);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce, additionalData: aad }, key, ciphertext));
}

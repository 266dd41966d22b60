// The signer's statements: is this one by the pinned key, and what does it say?
// The other side of it is enclave/wire/proof.go.

import { base64url, fromBase64url, must, only, parseStrict, utf8 } from "./bytes.js";
import { decompress } from "./curve.js";

const domain = "railkit proof v1\n"; // keeps these signatures from meaning anything else

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
    "kind", "environment", "organizationId", "fingerprint", "activity", "seq", "head", "time", "preview", "result", "outcome", "state", "heads", "sealed", "recoveryPending",
  ]);
  must(statement.environment === pin.environment, "the statement is for another environment");
  must(/^(0|[1-9][0-9]{0,19})$/.test(statement.seq) && /^[0-9a-f]{64}$/.test(statement.head), "the statement has no place in the signer's journal");
  return statement;
}

// readHeads gives the heads that a statement about the signer's journal names, by
// their numbers. Each entry that this browser has seen has to be among them, as it
// was: else the signer goes on from an older copy of its journal.
export function readHeads(statement, seen) {
  must(statement.kind === "journal" && Array.isArray(statement.heads), "the signer's statement is not about its journal");
  const heads = new Map(statement.heads.map((entry) => {
    const { seq, head } = only(entry, "an entry of the journal", ["seq", "head"]);
    return [seq, head];
  }));
  for (const { seq, head } of seen) {
    must(heads.has(seq), "the signer was not asked for all that this browser has seen of its journal");
    must(heads.get(seq) === head, `entry ${seq} of the signer's journal is not the one that this browser has seen: ${older}`);
  }
  return heads;
}

export const older = "the signer was put back to an older copy of itself, and what it says of the time since then is not what it said before";

// holdsKey reports whether an authenticator's answer about a new passkey has this
// public key (COSE, base64url) in its place. Extensions may follow the key.
export function holdsKey(authenticatorData, publicKey) {
  const data = new Uint8Array(authenticatorData);
  const key = fromBase64url(publicKey);
  const at = 55 + data[53] * 256 + data[54]; // after hash, flags, counter, make, length and id
  return (data[32] & 0x40) !== 0 && key.length > 0 && base64url(data.slice(at, at + key.length)) === publicKey;
}

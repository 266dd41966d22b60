import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { copy, vectors } from "./vectors.js";
import { base64url, fromBase64url, fromHex, hex, NotVerified, utf8 } from "../page/bytes.js";
import { checkRecovery, recoveryMessage } from "../page/body.js";
import { open } from "../page/hpke.js";

const rfc = JSON.parse(readFileSync(new URL("hpke.json", import.meta.url)));

async function receiver(secret, point) {
  const bytes = fromHex(point);
  const jwk = { kty: "EC", crv: "P-256", d: base64url(fromHex(secret)), x: base64url(bytes.slice(1, 33)), y: base64url(bytes.slice(33)) };
  return { publicKey: bytes, privateKey: await crypto.subtle.importKey("jwk", jwk, { name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]) };
}

test("the vector of RFC 9180 is opened", async () => {
  const to = await receiver(rfc.skRm, rfc.pkRm);
  assert.equal(hex(await open(to, fromHex(rfc.info), fromHex(rfc.enc + rfc.ct), fromHex(rfc.aad))), rfc.pt);
});

test("what Go sealed is opened, and nothing else", async () => {
  const { secret, point, info, bundle, plain } = vectors.bundle;
  const [to, sealed] = [await receiver(secret, point), fromBase64url(bundle)];
  assert.equal(hex(await open(to, utf8(info), sealed)), plain);
  const other = await receiver(rfc.skRm, rfc.pkRm);
  const flipped = (at) => sealed.map((b, i) => (i === at ? b ^ 1 : b));
  for (const [name, opening] of [
    ["another key", () => open(other, utf8(info), sealed)],
    ["another recovery", () => open(to, utf8(info + "x"), sealed)],
    ["the encapsulated key changed", () => open(to, utf8(info), flipped(40))],
    ["the ciphertext changed", () => open(to, utf8(info), flipped(70))],
    ["cut", () => open(to, utf8(info), sealed.slice(0, 90))],
    ["empty", () => open(to, utf8(info), sealed.slice(0, 0))],
  ]) await assert.rejects(opening(), undefined, name);
});

test("the recovery key signs what the signer will verify", async () => {
  for (const { environment, subOrganizationId, userId, handed, message } of vectors.recoveries) {
    assert.equal(await recoveryMessage(environment, { subOrganizationId, userId }, handed), message);
  }
});

test("a recovery is of the passkey that was made", () => {
  const made = { authenticatorData: Uint8Array.from([...Array(32).fill(0), 0x45, ...Array(20).fill(0), 0, 1, 1, 7, 7]).buffer };
  const it = { email: "ada@example.com", subOrganizationId: "org", made };
  const handed = { recoveryId: "r", credentialId: "AQ", recoverySignature: "s" };
  const statement = {
    kind: "result", outcome: "held", activity: "ACTIVITY_TYPE_RECOVER_USER", organizationId: "org",
    result: { recovery: { recoveryId: "r", credentialId: "AQ", publicKey: "Bwc", email: "Ada@example.com", emailOnly: false } },
  };
  const check = (change) => checkRecovery(it, handed, copy(statement, change));
  check();
  for (const [name, change] of [
    ["another passkey", (s) => { s.result.recovery.credentialId = "Ag"; }],
    ["another key", (s) => { s.result.recovery.publicKey = "CAg"; }],
    ["another person", (s) => { s.result.recovery.email = "eve@example.com"; }],
    ["another recovery", (s) => { s.result.recovery.recoveryId = "q"; }],
    ["another organization", (s) => { s.organizationId = "x"; }],
    ["the code did not count", (s) => { s.result.recovery.emailOnly = true; }],
    ["another act", (s) => { s.activity = "x"; }],
    ["nothing", (s) => { delete s.result.recovery; }],
  ]) assert.throws(() => check(change), NotVerified, name);
});

import assert from "node:assert/strict";
import test from "node:test";

import { copy, vectors } from "./vectors.js";
import { NotVerified, parseStrict } from "../page/bytes.js";
import { checkPreview, checkRegistration, checkResult, digest } from "../page/body.js";
import { openProof } from "../page/proof.js";

const { body, preview, result } = vectors.transfer;
const open = (proof) => openProof(proof, vectors.pin);

test("what the passkey signs is the text of the body's hash", async () => {
  assert.equal(await digest(body), vectors.transfer.digest);
  assert.equal(await digest(vectors.unicode.body), vectors.unicode.digest);
});

test("a preview of the body is shown", async () => {
  const shown = await checkPreview("transaction", body, await open(preview));
  assert.equal(shown.effects[0].amount, "25500000");
});

test("a preview of anything else is not", async () => {
  const statement = await open(preview);
  for (const [name, kind, otherBody, change] of [
    ["body with a space", "transaction", body + " "],
    ["another body", "transaction", vectors.wallet.body],
    ["no body", "transaction", undefined],
    ["another kind of ceremony", "wallet", body],
    ["a kind nobody knows", "payout", body],
    ["a result", "transaction", body, (s) => { s.kind = "result"; }],
    ["no preview in it", "transaction", body, (s) => { delete s.preview; }],
    ["another activity", "transaction", body, (s) => { s.activity = "ACTIVITY_TYPE_SIGN_TRANSACTION"; }],
    ["another environment", "transaction", body, (s) => { s.environment = "production"; }],
    ["another organization", "transaction", body, (s) => { s.organizationId = "x"; }],
    ["another expiry", "transaction", body, (s) => { s.preview.expiresAt = "2030-01-01T00:00:00.000Z"; }],
    ["another sender", "transaction", body, (s) => { s.preview.signWith = "0x00"; }],
    ["another chain", "transaction", body, (s) => { s.preview.chainId = "1"; }],
    ["another fee", "transaction", body, (s) => { s.preview.maxTotalFee = "1"; }],
  ]) {
    await assert.rejects(checkPreview(kind, otherBody, copy(statement, change)), NotVerified, name);
  }
});

test("a replacement shows whose place it takes", async () => {
  const { body: odd, preview: proof } = vectors.replacement;
  const statement = await open(proof);
  const shown = copy(statement, (s) => { [s.preview.replaces, s.preview.nonce] = ["sha256:ab", "7"]; });
  assert.equal((await checkPreview("transaction", odd, shown)).nonce, "7");
  for (const [name, change] of [
    ["none", (s) => { delete s.preview.replaces; }],
    ["another", (s) => { s.preview.replaces = "sha256:cd"; }],
    ["another nonce", (s) => { s.preview.nonce = "8"; }],
    ["no nonce", (s) => { delete s.preview.nonce; }],
  ]) {
    await assert.rejects(checkPreview("transaction", odd, copy(shown, change)), NotVerified, name);
  }
});

test("an agent's secret is for whom the body says", async () => {
  const { body: own, preview: proof, result: done } = vectors.agent;
  const [statement, made] = [await open(proof), await open(done)];
  assert.equal((await checkPreview("agent", own, statement)).agentName, "Buyer");
  assert.equal((await checkResult(own, statement, made)).agent.id, "a");
  await assert.rejects(checkPreview("wallet", own, statement), NotVerified);
  for (const [name, change] of [
    ["nobody, so that it is answered in clear", (s) => { delete s.preview.recipientPublicKey; }],
    ["another", (s) => { s.preview.recipientPublicKey = "03"; }],
    ["another agent", (s) => { s.preview.agentId = "b"; }],
  ]) {
    await assert.rejects(checkPreview("agent", own, copy(statement, change)), NotVerified, name);
  }
  for (const [name, change] of [
    ["another recipient", (s) => { s.result.agent.sealedSecret.recipientPublicKey = "03"; }],
    ["not sealed", (s) => { delete s.result.agent.sealedSecret; }],
    ["no agent", (s) => { delete s.result.agent; }],
  ]) {
    await assert.rejects(checkResult(own, statement, copy(made, change)), NotVerified, name);
  }
  const { body: clear, preview: shown } = vectors.clearAgent;
  const plain = await open(shown);
  await checkPreview("agent", clear, plain);
  await assert.rejects(checkPreview("agent", clear, copy(plain, (s) => { s.preview.recipientPublicKey = "02"; })), NotVerified);
});

test("what an agent may do is shown as the body says it", async () => {
  const { agents } = vectors;
  const swapped = ({ allowedChains, ...more }) => ({ ...more, allowedChains });
  for (const { body: own, preview: proof } of Object.values(agents)) {
    const statement = await open(proof);
    await checkPreview("agent", own, statement);
    await checkPreview("agent", own, copy(statement, ({ preview: p }) => { if (p.agent?.limits) p.agent.limits = swapped(p.agent.limits); }));
  }
  for (const [name, of, change] of [
    ["another name", "create", (p) => { p.agentName = "Seller"; }],
    ["a secret that nobody asked for", "create", (p) => { p.newSecret = true; }],
    ["another agent's id", "limits", (p) => { p.agentId = "b"; }],
    ["no id", "limits", (p) => { delete p.agentId; }],
    ["another agent", "limits", (p) => { p.agent.id = "b"; }],
    ["another limit", "limits", (p) => { p.agent.limits.perTxUsdc = "2"; }],
    ["one limit more", "limits", (p) => { p.agent.limits.anyRecipient = true; }],
    ["one limit less", "limits", (p) => { delete p.agent.limits.allowedRecipients; }],
    ["other networks", "limits", (p) => { p.agent.limits.allowedChains = ["base", "polygon"]; }],
    ["one host more", "limits", (p) => { p.agent.limits.allowedHosts.push("evil.example"); }],
    ["no host", "limits", (p) => { delete p.agent.limits.allowedHosts; }],
    ["no limits", "limits", (p) => { delete p.agent.limits; }],
    ["no agent", "limits", (p) => { delete p.agent; }],
    ["a new secret, too", "limits", (p) => { p.newSecret = true; }],
    ["another status", "suspend", (p) => { p.agent.status = "active"; }],
    ["no status", "suspend", (p) => { delete p.agent; }],
    ["nothing of the new secret", "rotate", (p) => { delete p.newSecret; }],
    ["another's secret", "rotate", (p) => { p.agentId = "b"; }],
    ["a recipient that the body has not", "rotate", (p) => { p.recipientPublicKey = "02"; }],
    ["an agent that stays", "delete", (p) => { delete p.agentDeleted; }],
    ["an agent that goes", "suspend", (p) => { p.agentDeleted = true; }],
    ["agents that go on", "stop", (p) => { p.killSwitch = false; }],
    ["agents that stop", "go on", (p) => { p.killSwitch = true; }],
    ["nothing of the agents", "go on", (p) => { delete p.killSwitch; }],
  ]) {
    const { body: own, preview: proof } = agents[of];
    await assert.rejects(checkPreview("agent", own, copy(await open(proof), (s) => change(s.preview))), NotVerified, name);
  }
  const { body: own, preview: proof } = vectors.agent;
  for (const [name, change] of [
    ["no new secret", (p) => { delete p.newSecret; }],
    ["other limits", (p) => { p.agent.limits.paymentsMonthlyUsdc = "1000"; }],
  ]) {
    await assert.rejects(checkPreview("agent", own, copy(await open(proof), (s) => change(s.preview))), NotVerified, name);
  }
});

test("a body whose members are not known is refused, however it is signed", async () => {
  for (const name of ["twice", "unknown"]) {
    const { body: odd, preview: proof } = vectors[name];
    await assert.rejects(checkPreview("transaction", odd, await open(proof)), NotVerified, name);
  }
});

test("a result is of the body that was stamped, and later than its preview", async () => {
  const [before, after] = [await open(preview), await open(result)];
  assert.equal((await checkResult(body, before, after)).transaction.txHash, "0xab");
  for (const [name, change] of [
    ["a preview", (s) => { s.kind = "preview"; }],
    ["of another body", (s) => { s.fingerprint = "sha256:00"; }],
    ["of another activity", (s) => { s.activity = "x"; }],
    ["as old as its preview", (s) => { s.seq = before.seq; }],
    ["nothing in it", (s) => { delete s.result; }],
  ]) {
    await assert.rejects(checkResult(body, before, copy(after, change)), NotVerified, name);
  }
});

test("a registration is of the passkey that was made, and of no other", () => {
  const made = { attestation: { credentialId: "AQ" }, authenticatorData: Uint8Array.from([...Array(32).fill(0), 0x45, ...Array(20).fill(0), 0, 1, 1, 7, 7]).buffer };
  const statement = {
    kind: "result", activity: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION", organizationId: "org",
    result: { subOrganization: { id: "org" }, owners: { credentials: [{ credentialId: "AQ", publicKey: "Bwc", email: "Ada@example.com" }] } },
  };
  const check = (change) => checkRegistration("ada@example.com", made, undefined, { subOrganizationId: "org" }, copy(statement, change));
  check();
  const withKey = (change) => checkRegistration("ada@example.com", made, "02aa", { subOrganizationId: "org" }, copy(statement, change));
  withKey((s) => { s.result.owners.recoveryPublicKey = "02aa"; });
  assert.throws(() => withKey(), NotVerified, "the recovery key is not registered");
  assert.throws(() => withKey((s) => { s.result.owners.recoveryPublicKey = "02bb"; }), NotVerified, "another is");
  for (const [name, change] of [
    ["another credential", (s) => { s.result.owners.credentials[0].credentialId = "Ag"; }],
    ["the same id with another key", (s) => { s.result.owners.credentials[0].publicKey = "CAg"; }],
    ["a second owner", (s) => { s.result.owners.credentials.push(s.result.owners.credentials[0]); }],
    ["a recovery key nobody asked for", (s) => { s.result.owners.recoveryPublicKey = "02"; }],
    ["a mail is enough", (s) => { s.result.owners.emailOnlyRecovery = true; }],
    ["another person", (s) => { s.result.owners.credentials[0].email = "eve@example.com"; }],
    ["another organization", (s) => { s.result.subOrganization.id = "other"; }],
    ["another act", (s) => { s.activity = "ACTIVITY_TYPE_CREATE_WALLET"; }],
    ["no owners", (s) => { delete s.result.owners; }],
  ]) {
    assert.throws(() => check(change), NotVerified, name);
  }
});

test("JSON has one meaning", () => {
  assert.deepEqual(parseStrict('{"a":[{"b":"a\\":1"},{"b":2}],"c":"{"}'), { a: [{ b: 'a":1' }, { b: 2 }], c: "{" });
  for (const text of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"x":[{"a":1 , "b":{} , "a" : 3}]}', "{", "", '{"a":1} {}']) {
    assert.throws(() => parseStrict(text), NotVerified, text);
  }
});

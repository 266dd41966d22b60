// A passkey is made, and with it a recovery key.

import { checkRegistration } from "./body.js";
import { must } from "./bytes.js";
import { newRecoveryKey } from "./code.js";
import { declinable } from "./decline.js";
import { ask, expireAt, verified } from "./flow.js";
import { finishCeremony } from "./open.js";
import { createPasskey } from "./passkey.js";
import { actions, emailName, note, quietly, resultRows, rowsOf, say, serverWords, show } from "./render.js";
import { showCode } from "./saved.js";

export function readyToRegister(pin, token, opened) {
  const { register, expiresAt, now } = opened;
  const { email, options } = register;
  must(options.rp?.id === pin.rpId, "the passkey would be for another website than the signer is set up for");
  must(options.user?.name === email, "the passkey would be for another person");
  const it = { pin, token, email, options, opened, title: "create a passkey" };
  offer(it);
  expireAt(now, expiresAt);
}

function offer(it) {
  show("ready", "Create your passkey",
    note("plain", "It will sign for you, and nothing else can. It stays on your device or in its password manager."),
    rowsOf([["E-mail", emailName(it.email)], ["Website", it.pin.rpId]]),
    serverWords(it.opened),
    note("plain", "You get a recovery code as well, for the day the passkey is lost."),
    actions("Create passkey", () => create(it, newRecoveryKey)),
    quietly("Go on without a recovery code", () => offerWithout(it)),
    declinable(it, () => offer(it)));
  say("Nothing is made until you agree.");
}

function offerWithout(it) {
  show("ready", "Without a recovery code",
    note("warning", "If this passkey is lost, and you have no other, nobody can bring back what it signs for. The operator cannot either."),
    note("plain", "You can add a second passkey or a recovery code later, as long as you have this one."),
    actions("Create passkey without a code", () => create(it, () => null), true),
    quietly("Back", () => offer(it)));
  say("Nothing is made until you agree.");
}

// create makes the recovery key first: its public half is registered with the
// passkey, and the private one never leaves this page.
const create = (it, newKey) => ask("Your device asks you to create a passkey.", async () => {
  const key = await newKey();
  const made = await createPasskey(it.options, it.pin.rpId, it.email);
  return () => finish(it, made, key);
});

async function finish({ pin, token, email }, made, key) {
  const answer = await finishCeremony(token, { attestation: made.attestation, ...(key && { recoveryPublicKey: key.publicKey }) });
  const result = checkRegistration(email, made, key?.publicKey, answer, await verified(answer.proof, pin));
  const done = () => show("done", "Your passkey is ready",
    note("good", "The signer has confirmed it: this passkey, and nothing else, can sign for you. You can close this page."),
    !key && note("warning", "There is no recovery code. Add a second passkey, so that losing this one loses nothing."),
    resultRows(result));
  if (!key) return done();
  showCode(key.code, email, pin.rpId, done);
}

// A lost passkey is replaced: the mailed secret is the new one's challenge, and
// the recovery key vouches for it.

import { checkRecovery, recoveryMessage } from "./body.js";
import { base64url, fromBase64url, must, utf8 } from "./bytes.js";
import { CodeError, newRecoveryKey, readCode, signWith } from "./code.js";
import { end } from "./ends.js";
import { ask, expireAt, verified } from "./flow.js";
import { finishCeremony, ServerError } from "./open.js";
import { createPasskey } from "./passkey.js";
import { actions, checkbox, emailName, field, note, passkeyName, rowsOf, say, show, when } from "./render.js";
import { showCode } from "./saved.js";
import { openBundle } from "./target.js";

export async function readyToRecover(pin, token, { recover, expiresAt, now }, bundle) {
  must(recover.options.rp?.id === pin.rpId, "the passkey would be for another website than the signer is set up for");
  if (!bundle) return end("unknown", "This link is not complete", "Copy it out of the mail as a whole, to its last letter.");
  const secret = await openBundle(fromBase64url(bundle), utf8(`railkit recovery bundle v1|${pin.environment}|${recover.recoveryId}`));
  if (!secret) {
    return end("elsewhere", "Open it where you began",
      "The mail is sealed to the browser in which the recovery was asked for. Open the link there, or paste it into the page that waits there. If that browser is gone, ask for a new recovery.");
  }
  const it = { pin, token, ...recover, options: { ...recover.options, challenge: base64url(secret) } };
  askCode(it);
  expireAt(now, expiresAt);
}

// askCode asks for the code, and says what was wrong with the last one.
function askCode(it, wrong) {
  const code = it.needsCode && field("Recovery code", { class: "typed", autocapitalize: "characters" });
  const others = checkbox("Remove my other passkeys: they are lost, or somebody else has them");
  show("ready", "Make a new passkey",
    note("plain", code ? "Type the recovery code that you saved when you made your passkey. It does not leave this page." : "You have allowed that this mail alone is enough."),
    wrong && note("warning", wrong),
    rowsOf([["E-mail", emailName(it.email)], ["Website", it.pin.rpId]]),
    code, !it.made && others,
    actions("Create a new passkey", () => vouch(it, code && code.value(), it.made ? it.others : others.checked())));
  say("Upper or lower case, with hyphens or without: all the same.");
}

async function vouch(it, typed, others) {
  let secret;
  try {
    secret = typed === false ? null : await readCode(typed);
  } catch (error) {
    if (error instanceof CodeError) return say(error.message);
    throw error;
  }
  await ask("Your device asks you to create a passkey.", async () => {
    it.key ??= await newRecoveryKey();
    it.made ??= await createPasskey(it.options, it.pin.rpId, it.email);
    it.others = others;
    return () => handIn(it, secret);
  });
}

// handIn hands the passkey in. With a code that is not the right one the signer
// takes nothing, and the same passkey can come again with another.
async function handIn(it, secret) {
  const recovery = {
    recoveryId: it.recoveryId, ...it.made.attestation, removeOtherPasskeys: it.others, newRecoveryPublicKey: it.key.publicKey,
  };
  if (secret) recovery.recoverySignature = await signWith(secret, await recoveryMessage(it.pin.environment, it, recovery));
  let answer;
  try {
    answer = await finishCeremony(it.token, { recovery });
  } catch (error) {
    if (error instanceof ServerError && error.code === "recovery_code_invalid") {
      return askCode(it, "This is a recovery code, but not the one of this account, or it was replaced since.");
    }
    throw error;
  }
  const pending = checkRecovery(it, recovery, await verified(answer.proof, it.pin));
  showCode(it.key.code, it.email, it.pin.rpId, () => done(it, pending));
}

const done = (it, pending) => show("done", `You can sign from ${when(pending.readyAt)}`,
  note("good", "The signer has the new passkey, and lets it wait. You have nothing more to do. You can close this page."),
  it.others && note("plain", "Your other passkeys end then."),
  rowsOf([["Passkey", passkeyName(pending)], ["Until then", "every other passkey of this account can stop it, and whoever has one is told by mail"]]));

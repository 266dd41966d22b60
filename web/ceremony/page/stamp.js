// A body is stamped.

import { checkPreview, checkResult } from "./body.js";
import { must } from "./bytes.js";
import { ask, expireAt, memory, verified } from "./flow.js";
import { finishCeremony } from "./open.js";
import { stampBody } from "./passkey.js";
import { actions, copyable, facts, note, resultRows, rowsOf, say, show, showMore } from "./render.js";
import { act, risky, status } from "./words.js";

export async function readyToStamp(pin, token, { kind, stamp, expiresAt, now }) {
  must(stamp.rpId === pin.rpId, "the passkey of another website is asked for");
  const statement = await verified(stamp.preview, pin, memory.journal(pin.identityKey).seq);
  const preview = await checkPreview(kind, stamp.body, statement);
  const name = act(kind, preview);
  const sign = () => ask("Your device asks for your passkey.", async () => {
    const stamped = await stampBody(stamp.body, pin.rpId, stamp.allowCredentials);
    return () => finishStamp(pin, token, name, stamp.body, statement, stamped);
  });
  show("ready", name, facts(kind, preview), actions(name, sign, risky(preview)));
  showMore(statement, stamp.body);
  say("Verified: this is what the signer says it will do.");
  expireAt(now, preview.expiresAt, expiresAt);
}

async function finishStamp(pin, token, name, body, preview, stamped) {
  const answer = await finishCeremony(token, { stamp: stamped });
  if (!answer.proof) {
    must(answer.status === "awaiting_approval", "the answer has no proof by the signer, so it is not known what was done");
    return show("done", name, note("plain", `Your passkey has signed. The server says: ${status(answer)}`));
  }
  const result = await checkResult(body, preview, await verified(answer.proof, pin));
  const { transaction } = result;
  must(!transaction || transaction.txHash === answer.txHash, "the answer names another transaction than the signer signed");
  show("done", `Done: ${name}`,
    note("good", transaction ? "The signer has signed it: this, once. You can close this page." : "The signer has made it. You can close this page.", transaction && note("plain", `The server says: ${status(answer)}`)),
    resultRows(result), explorer(answer));
}

// explorer is the server's own link, shown as text: nobody here vouches for it.
const explorer = ({ explorer: link }) =>
  /^https:\/\/[a-z0-9.-]+\//.test(link ?? "") && rowsOf([["Look it up at", copyable(link)]]);

// A body is stamped.

import { checkMade, checkPreview, checkResult, checkStanding } from "./body.js";
import { must } from "./bytes.js";
import { declinable } from "./decline.js";
import { facts } from "./facts.js";
import { ask, expireAt, verified } from "./flow.js";
import { finishCeremony } from "./open.js";
import { stampBody } from "./passkey.js";
import { actions, checkbox, copyable, el, emailName, note, resultRows, rowsOf, say, serverWords, show, showMore, when } from "./render.js";
import { act, consentWords, risky, status } from "./words.js";

// readyToStamp shows a body and asks for the passkey. Made is the passkey that the
// body has to add, where this page has just made one.
export async function readyToStamp(pin, token, opened, made) {
  const { kind, stamp, expiresAt, now, least, heads } = opened;
  must(stamp.rpId === pin.rpId, "the passkey of another website is asked for");
  const statement = await verified(stamp.preview, pin, least, heads);
  const preview = await checkPreview(kind, stamp.body, statement);
  if (made) checkMade(made, preview);
  if (preview.approves && stamp.state) preview.who = checkStanding(statement, await verified(stamp.state, pin, least, heads));
  offer({ pin, token, opened, stamp, statement, preview, name: act(statement.activity, preview) });
  expireAt(now, preview.expiresAt, expiresAt);
}

// offer shows what the body does, and asks for the passkey. What the rules refuse
// is not asked for: the signer would not do it.
function offer(it) {
  const { statement, preview, name, stamp, opened } = it;
  const { activity } = statement;
  const refused = Boolean(preview.denial ?? preview.held?.denial);
  const danger = preview.approves ? risky(preview.approves.activity, preview.held) : risky(activity, preview);
  const agreed = consent(preview.held ?? preview);
  show(refused && !preview.approves ? "denied" : "ready", name, banner(statement, activity), facts(activity, preview),
    serverWords(opened, preview.held ?? preview),
    !refused && agreed,
    !refused && actions(name, () => (agreed && !agreed.checked() ? say(unsaid) : sign(it)), danger),
    (!refused || preview.approves) && declinable({ ...it, vote: Boolean(preview.approves), title: name.replace("Approve: ", "") }, () => offer(it)));
  showMore(statement, stamp.body);
  say(refused ? "Verified: this is what the signer says of it." : "Verified: this is what the signer says it will do.");
}

// consent is the word that some things take: without it the passkey is not asked.
function consent(preview) {
  const words = consentWords(preview);
  return words && checkbox(words);
}

const unsaid = "Nothing was signed: tick the box above the button first, if you mean it.";

const sign = (it) => ask("Your device asks for your passkey.", async () => {
  const stamped = await stampBody(it.stamp.body, it.pin.rpId, it.stamp.allowCredentials);
  return () => finish(it, stamped);
});

// banner is for whoever does not know that somebody without a passkey of his is
// about to get one.
function banner({ recoveryPending: pending }, activity) {
  if (!pending || activity === "ACTIVITY_TYPE_CANCEL_RECOVERY") return null;
  return note("bad", el("h2", {}, "Somebody is recovering this account"),
    el("p", {}, "A new passkey for ", emailName(pending.email), " was asked for on ", when(pending.startedAt), ". From ", when(pending.readyAt), " on it can sign."),
    el("p", {}, pending.emailOnly ? "A mail was enough for it." : "The recovery code was shown."),
    el("p", {}, "If this is not you, stop here and cancel it at once: ask where you got this link for one that cancels the recovery. Any passkey of the account can."));
}

async function finish({ pin, token, name, stamp, statement, preview }, stamped) {
  const answer = await finishCeremony(token, { stamp: stamped });
  const proof = preview.approves ? answer.vote : answer.proof;
  if (!proof) {
    must(["awaiting_approval", "pending_approval"].includes(answer.status), "the answer has no proof by the signer, so it is not known what was done");
    return show("done", name, note("plain", `Your passkey has signed. The server says: ${status(answer)}`));
  }
  const result = await checkResult(stamp.body, statement, await verified(proof, pin));
  if (preview.approves) return voted(name, preview, result, answer);
  const { transaction } = result;
  must(!transaction || (transaction.txHash ?? "") === (answer.txHash ?? ""), "the answer names another transaction than the signer signed");
  const done = /_(CREATE|ADD)_/.test(statement.activity) ? "made" : "done";
  show("done", `Done: ${name}`,
    note("good", transaction ? "The signer has signed it: this, once. You can close this page." : `The signer has ${done} it. You can close this page.`,
      transaction && note("plain", `The server says: ${status(answer)}`)),
    resultRows(result), explorer(answer));
}

// voted says how the request stands with this vote. That it was done then is the
// server's word: its proof is for who asked.
function voted(name, { approves }, { approval }, answer) {
  must(approval?.fingerprint === approves.fingerprint, "the signer counted the vote for another request");
  const votes = approval.votes ?? [];
  const missing = Number(approval.requiredApprovers) - votes.length;
  show("done", "You have agreed",
    note("good", approval.approved ? "That was the last vote it needed. You can close this page." : `It waits for ${missing} more. You can close this page.`,
      answer.transaction && note("plain", `The server says: ${status(answer.transaction)}`)),
    rowsOf([["Request", name.replace("Approve: ", "")], ["Agreed", `${votes.length} of ${approval.requiredApprovers}`, votes.map((v) => el("div", {}, emailName(v.email)))]]),
    answer.transaction?.txHash && rowsOf([["Transaction, as the server says", copyable(answer.transaction.txHash)]]));
}

// explorer is the server's own link, shown as text: nobody here vouches for it.
const explorer = ({ explorer: link }) =>
  /^https:\/\/[a-z0-9.-]+\//.test(link ?? "") && rowsOf([["Look it up at", copyable(link)]]);

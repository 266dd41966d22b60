// The flow: open, verify, show, ask for the passkey, finish, verify again.

import { checkPreview, checkRegistration, checkResult } from "./body.js";
import { must, NotVerified } from "./bytes.js";
import { Memory, storageOf } from "./memory.js";
import { failed, expired, wrongLink } from "./ends.js";
import { fetchPin, finishCeremony, openCeremony } from "./open.js";
import { createPasskey, stampBody } from "./passkey.js";
import { openProof } from "./proof.js";
import { actions, copyable, emailName, environment, facts, note, resultRows, rowsOf, say, show, showMore, state } from "./render.js";
import { act, risky, status } from "./words.js";

const memory = new Memory(storageOf(window));
const token = location.hash.slice(1);

// The token leaves the address bar and the history at once.
history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload()); // another link in the same tab

start();

async function start() {
  if (token === "") return wrongLink();
  show("loading", "One moment", note("plain", "The page checks what you are asked to sign."), actions("Checking", null));
  say("Loading.");
  try {
    must(globalThis.crypto?.subtle && navigator.credentials, "this browser has no passkeys here: the page needs HTTPS, and a browser of these years");
    const pin = checkPin(await fetchPin());
    memory.meet(pin.identityKey);
    environment(pin.environment);
    const opened = await openCeremony(token);
    must(opened.environment === pin.environment, "the server is of another environment than this page");
    await (opened.kind === "register" ? readyToRegister(pin, opened) : readyToStamp(pin, opened));
  } catch (error) {
    failed(error, start);
  }
}

function checkPin(pin) {
  must(/^0[23][0-9a-f]{64}$/.test(pin.identityKey) && pin.rpId && pin.environment, "the page does not say which signer it belongs to");
  return pin;
}

// verified opens a proof of something later than least, and takes note of how far
// the signer's journal is.
async function verified(proof, pin, least = 0n) {
  const statement = await openProof(proof, pin);
  must(BigInt(statement.seq) >= least, "the signer's statement is older than what this browser has seen of it already");
  memory.see(pin.identityKey, statement);
  memory.trust(pin.identityKey);
  return statement;
}

// ---- a passkey is made

function readyToRegister(pin, { register, expiresAt, now }) {
  const { email, options } = register;
  must(options.rp?.id === pin.rpId, "the passkey would be for another website than the signer is set up for");
  must(options.user?.name === email, "the passkey would be for another person");
  const create = () => ask("Your device asks you to create a passkey.", async () => {
    const made = await createPasskey(options, pin.rpId, email);
    return () => finishRegistration(pin, email, made);
  });
  show("ready", "Create your passkey",
    note("plain", "It will sign for you, and nothing else can. It stays on your device or in its password manager."),
    rowsOf([["E-mail", emailName(email)], ["Website", pin.rpId]]),
    actions("Create passkey", create));
  say("Nothing is made until you agree.");
  expireAt(now, expiresAt);
}

async function finishRegistration(pin, email, made) {
  const answer = await finishCeremony(token, { attestation: made.attestation });
  const result = checkRegistration(email, made, answer, await verified(answer.proof, pin));
  show("done", "Your passkey is ready",
    note("good", "The signer has confirmed it: this passkey, and nothing else, can sign for you. You can close this page."),
    resultRows(result));
}

// ---- a body is stamped

async function readyToStamp(pin, { kind, stamp, expiresAt, now }) {
  must(stamp.rpId === pin.rpId, "the passkey of another website is asked for");
  const statement = await verified(stamp.preview, pin, memory.journal(pin.identityKey).seq);
  const preview = await checkPreview(kind, stamp.body, statement);
  const name = act(kind, preview);
  const sign = () => ask("Your device asks for your passkey.", async () => {
    const stamped = await stampBody(stamp.body, pin.rpId, stamp.allowCredentials);
    return () => finishStamp(pin, name, stamp.body, statement, stamped);
  });
  show("ready", name, facts(kind, preview), actions(name, sign, risky(preview)));
  showMore(statement, stamp.body);
  say("Verified: this is what the signer says it will do.");
  expireAt(now, preview.expiresAt, expiresAt);
}

async function finishStamp(pin, name, body, preview, stamped) {
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

// ---- asking, sending, running out of time

// ask has the passkey act, then sends what it gave. A refusal leaves the page
// as it is, to try again.
async function ask(waiting, passkey) {
  state("waiting", waiting);
  let finish;
  try {
    finish = await passkey();
  } catch (error) {
    if (over) return expired();
    if (error.name === "NotAllowedError") return state("refused", "The passkey was not used, and nothing was signed. You can try again.");
    if (error.name === "InvalidStateError") return state("refused", "This device has a passkey for this account already.");
    return failed(error);
  }
  await send(finish);
}

// send can be repeated: the signer does a body once, however often it comes.
async function send(finish) {
  state("sending", "Sending it to the signer.");
  try {
    await finish();
  } catch (error) {
    failed(error, () => send(finish), true);
  }
}

let timer, over;

// expireAt ends the page when the time is up. It counts from the server's now:
// the clock of a device may be wrong by hours, and only the signer's decides.
function expireAt(now, ...times) {
  clearTimeout(timer);
  over = false;
  const left = Math.min(...times.map((t) => new Date(t) - new Date(now)).filter((ms) => !Number.isNaN(ms)));
  timer = setTimeout(() => {
    over = true;
    if (["ready", "refused"].includes(document.getElementById("page").dataset.state)) expired();
  }, Math.max(0, Math.min(left, 2 ** 31 - 1)));
}

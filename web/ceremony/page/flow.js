// What every ceremony shares: the link, the verified statements, asking the
// passkey, sending what it gave, and running out of time.

import { must, NotVerified } from "./bytes.js";
import { failed, expired } from "./ends.js";
import { Memory, storageOf } from "./memory.js";
import { openCeremony, ServerError } from "./open.js";
import { older, openProof, readHeads } from "./proof.js";
import { state } from "./render.js";

export const memory = new Memory(storageOf(window));

// open asks what a link is for. What this browser remembers of the signer's journal
// the signer has to state again, together with the proofs that come with it (heads):
// all of them are entries of one journal. Least is the highest entry seen before.
export async function open(pin, token) {
  const seen = memory.seen(pin.identityKey);
  const least = memory.journal(pin.identityKey).seq;
  try {
    const opened = await openCeremony(token, seen.map(({ seq }) => seq));
    return { ...opened, least, heads: seen.length > 0 ? await oneJournal(opened.journal, pin, seen) : null };
  } catch (error) {
    if (error instanceof ServerError && error.code === "journal_shorter") throw new NotVerified(`its journal ends before an entry that this browser has seen: ${older}`);
    throw error;
  }
}

async function oneJournal(proof, pin, seen) {
  const statement = await openProof(proof, pin);
  const heads = readHeads(statement, seen);
  memory.see(pin.identityKey, statement);
  memory.checked(pin.identityKey, seen, statement);
  memory.trust(pin.identityKey);
  return heads;
}

// verified opens a proof of something later than least and, where the page was opened
// with heads of the signer's journal, of that journal. It takes note of the entry.
export async function verified(proof, pin, least = 0n, heads = null) {
  const statement = await openProof(proof, pin);
  must(BigInt(statement.seq) >= least, "the signer's statement is older than what this browser has seen of it already");
  must(heads === null || heads.get(statement.seq) === statement.head, "the signer's statement is not of the journal that this browser knows");
  memory.see(pin.identityKey, statement);
  memory.trust(pin.identityKey);
  return statement;
}

// ask has the passkey act, then sends what it gave. A refusal leaves the page
// as it is, to try again.
export async function ask(waiting, passkey) {
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

// send can be repeated: the signer does a body once, however often it comes. Sent
// says what it is: what the passkey gave, or that the link is declined.
export async function send(finish, sent = "stamp") {
  state("sending", "Sending it to the signer.");
  try {
    await finish();
  } catch (error) {
    failed(error, () => send(finish, sent), sent);
  }
}

let timer, over;

// expireAt ends the page when the time is up. It counts from the server's now:
// the clock of a device may be wrong by hours, and only the signer's decides.
export function expireAt(now, ...times) {
  clearTimeout(timer);
  over = false;
  const left = Math.min(...times.map((t) => new Date(t) - new Date(now)).filter((ms) => !Number.isNaN(ms)));
  timer = setTimeout(() => {
    over = true;
    if (["ready", "refused"].includes(document.getElementById("page").dataset.state)) expired();
  }, Math.max(0, Math.min(left, 2 ** 31 - 1)));
}

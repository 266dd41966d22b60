// What every ceremony shares: the link, the verified statements, asking the
// passkey, sending what it gave, and running out of time.

import { must } from "./bytes.js";
import { failed, expired } from "./ends.js";
import { Memory, storageOf } from "./memory.js";
import { openProof } from "./proof.js";
import { state } from "./render.js";

export const memory = new Memory(storageOf(window));

// verified opens a proof of something later than least, and takes note of how far
// the signer's journal is.
export async function verified(proof, pin, least = 0n) {
  const statement = await openProof(proof, pin);
  must(BigInt(statement.seq) >= least, "the signer's statement is older than what this browser has seen of it already");
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

// send can be repeated: the signer does a body once, however often it comes.
export async function send(finish) {
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
export function expireAt(now, ...times) {
  clearTimeout(timer);
  over = false;
  const left = Math.min(...times.map((t) => new Date(t) - new Date(now)).filter((ms) => !Number.isNaN(ms)));
  timer = setTimeout(() => {
    over = true;
    if (["ready", "refused"].includes(document.getElementById("page").dataset.state)) expired();
  }, Math.max(0, Math.min(left, 2 ** 31 - 1)));
}

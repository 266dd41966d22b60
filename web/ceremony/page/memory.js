// What this browser has seen of the signer, kept for this origin: the identity
// key it met first, and how far its journal was. That is how a changed signer,
// or an older copy of it, is noticed.

import { must, NotVerified } from "./bytes.js";

const keyName = "railkit.identityKey";
const seqName = (key) => "railkit.journal." + key;

export class Memory {
  constructor(storage) {
    this.storage = storage;
  }

  // meet refuses another key than the one that was met first.
  meet(key) {
    const known = this.storage.getItem(keyName);
    if (known === null || known === key) return;
    throw new NotVerified(
      `this page now names another signer than the one this browser knows. Known: ${known}. Now: ${key}. ` +
        "Either the operator has replaced the signer, and can tell you so by another way, or somebody stands between you and it",
    );
  }

  // trust keeps the key. It is called when a statement under it was verified.
  // Another tab may have met another one meanwhile.
  trust(key) {
    this.meet(key);
    this.keep(keyName, key);
  }

  // keep does without where the storage is full, as where there is none.
  keep(name, value) {
    try {
      this.storage.setItem(name, value);
    } catch {
      // What is not kept is met again as if it were new.
    }
  }

  // journal is the highest place seen of a signer's journal.
  journal(key) {
    const [seq, head] = (this.storage.getItem(seqName(key)) ?? "0 ").split(" ");
    return { seq: BigInt(seq), head };
  }

  // see takes note of a statement's place. Two heads for one place are two journals.
  see(key, statement) {
    const known = this.journal(key);
    const seq = BigInt(statement.seq);
    must(seq !== known.seq || known.head === "" || known.head === statement.head, "the signer's journal has two versions of one entry");
    if (seq > known.seq) this.keep(seqName(key), `${seq} ${statement.head}`);
  }
}

// storageOf gives the browser's storage or, where it refuses, one that forgets.
export function storageOf(window) {
  try {
    window.localStorage.setItem("railkit.test", "1");
    window.localStorage.removeItem("railkit.test");
    return window.localStorage;
  } catch {
    const kept = new Map();
    return { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
  }
}

// What this browser has seen of the signer, kept for this origin: the identity
// key it met first, and entries of its journal. That is how a changed signer, or an
// older copy of it, is noticed.

import { must, NotVerified } from "./bytes.js";

const keyName = "railkit.identityKey";
const mostSeen = 16;
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

  // seen are the entries of a signer's journal that are remembered. All but the
  // first were seen since the signer was last asked about them.
  seen(key) {
    const words = (this.storage.getItem(seqName(key)) ?? "").split(" ");
    return Array.from({ length: Math.floor(words.length / 2) }, (_, i) => ({ seq: words[2 * i], head: words[2 * i + 1] }));
  }

  // journal is the highest entry seen of a signer's journal.
  journal(key) {
    return this.seen(key).reduce((most, { seq, head }) => (BigInt(seq) > most.seq ? { seq: BigInt(seq), head } : most), { seq: 0n, head: "" });
  }

  // see takes note of a statement's entry. Two heads for one entry are two journals.
  see(key, { seq, head }) {
    const seen = this.seen(key);
    const same = seen.find((known) => known.seq === seq);
    must(!same || same.head === head, "the signer's journal has two versions of one entry");
    if (!same) this.keepSeen(key, [...seen, { seq, head }]);
  }

  // checked puts the journal as it is now in the place of the entries that it was
  // found to have. Another tab may have seen others meanwhile.
  checked(key, entries, { seq, head }) {
    const others = this.seen(key).filter((known) => known.seq !== seq && !entries.some((e) => e.seq === known.seq));
    this.keepSeen(key, [{ seq, head }, ...others]);
  }

  // keepSeen forgets the oldest beyond the most, but not the first.
  keepSeen(key, [first, ...others]) {
    this.keep(seqName(key), [first, ...others.slice(-(mostSeen - 1))].map(({ seq, head }) => `${seq} ${head}`).join(" "));
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

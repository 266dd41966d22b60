import assert from "node:assert/strict";
import test from "node:test";

import { Memory, storageOf } from "../page/memory.js";

const forgetful = () => storageOf({ get localStorage() { throw new Error("refused"); } });

test("the first key met stays the one", () => {
  const memory = new Memory(forgetful());
  memory.meet("02aa");
  memory.trust("02aa");
  memory.meet("02aa");
  assert.throws(() => memory.meet("02bb"), /names another signer.*02aa.*02bb/s);
});

test("the journal only goes on", () => {
  const memory = new Memory(forgetful());
  assert.equal(memory.journal("02aa").seq, 0n);
  memory.see("02aa", { seq: "7", head: "cc" });
  memory.see("02aa", { seq: "5", head: "bb" });
  assert.deepEqual(memory.journal("02aa"), { seq: 7n, head: "cc" });
  assert.equal(memory.journal("02bb").seq, 0n, "another signer's is another journal");
  assert.throws(() => memory.see("02aa", { seq: "7", head: "dd" }), /two versions/);
});

test("what was seen since the signer was asked is kept, and the rest is one entry", () => {
  const memory = new Memory(forgetful());
  assert.deepEqual(memory.seen("02aa"), []);
  for (const [seq, head] of [["7", "cc"], ["9", "dd"], ["8", "ee"]]) memory.see("02aa", { seq, head });
  const asked = memory.seen("02aa");
  assert.deepEqual(asked, [{ seq: "7", head: "cc" }, { seq: "9", head: "dd" }, { seq: "8", head: "ee" }]);
  memory.see("02aa", { seq: "12", head: "ff" }); // another tab
  memory.checked("02aa", asked, { seq: "10", head: "ab", kind: "journal" });
  assert.deepEqual(memory.seen("02aa"), [{ seq: "10", head: "ab" }, { seq: "12", head: "ff" }]);
  for (let n = 20; n < 60; n++) memory.see("02aa", { seq: `${n}`, head: "aa" });
  assert.equal(memory.seen("02aa").length, 16);
  assert.deepEqual(memory.seen("02aa")[0], { seq: "10", head: "ab" });
  assert.equal(memory.journal("02aa").seq, 59n);
});

test("what a browser kept before it asked is read", () => {
  const memory = new Memory({ getItem: () => "41 cc" });
  assert.deepEqual(memory.seen("02aa"), [{ seq: "41", head: "cc" }]);
});

test("a full storage forgets, and a key that another tab has met stays", () => {
  const kept = new Map();
  const storage = { full: false, getItem: (k) => kept.get(k) ?? null, setItem(k, v) { if (this.full) throw new Error("QuotaExceededError"); kept.set(k, v); } };
  const [one, other] = [new Memory(storage), new Memory(storage)];
  one.meet("02aa");
  other.meet("02bb");
  other.trust("02bb");
  assert.throws(() => one.trust("02aa"), /another signer/);
  storage.full = true;
  other.see("02bb", { seq: "7", head: "cc" });
});

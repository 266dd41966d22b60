import assert from "node:assert/strict";
import test from "node:test";

import { copy, vectors } from "./vectors.js";
import { hex, NotVerified } from "../page/bytes.js";
import { decompress } from "../page/curve.js";
import { holdsKey, openProof, readHeads } from "../page/proof.js";

test("a proof of the signer is opened", async () => {
  for (const { name, proof, seq } of vectors.good) {
    const statement = await openProof(proof, vectors.pin);
    assert.equal(statement.seq, seq, name);
  }
});

test("anything else is not", async () => {
  assert.ok(vectors.bad.length >= 10);
  for (const { name, proof } of vectors.bad) {
    await assert.rejects(openProof(proof, vectors.pin), NotVerified, name);
  }
});

test("a key is decompressed to the point that Go has", () => {
  for (const { compressed, point } of vectors.keys) assert.equal(hex(decompress(compressed)), point);
  assert.ok(new Set(vectors.keys.map((k) => k.compressed.slice(0, 2))).size === 2, "both signs");
});

test("what is no point is refused", () => {
  for (const compressed of vectors.noKeys) assert.throws(() => decompress(compressed), NotVerified, compressed);
});

test("the public key of a new passkey is found where the authenticator put it", () => {
  const key = [0xa5, 1, 2, 3, 4];
  const data = (flags, more = []) => Uint8Array.from([...Array(32).fill(0), flags, ...Array(20).fill(0), 0, 2, 9, 9, ...key, ...more]).buffer;
  assert.ok(holdsKey(data(0x45), "pQECAwQ"));
  assert.ok(holdsKey(data(0xc5, [0xa0]), "pQECAwQ"), "an extension follows");
  assert.ok(!holdsKey(data(0x05), "pQECAwQ"), "no key is attested");
  assert.ok(!holdsKey(data(0x45), "pQECAwU"), "another key");
  assert.ok(!holdsKey(data(0x45), ""), "no key");
});

test("the journal is the one that was seen, or nothing", () => {
  const seen = [{ seq: "7", head: "cc" }, { seq: "9", head: "dd" }];
  const good = { kind: "journal", heads: [{ seq: "7", head: "cc" }, { seq: "9", head: "dd" }, { seq: "12", head: "ff" }] };
  assert.equal(readHeads(good, seen).get("12"), "ff");
  for (const [name, change, why] of [
    ["another kind", (s) => { s.kind = "preview"; }, /not about its journal/],
    ["no heads", (s) => { delete s.heads; }, /not about its journal/],
    ["one left out", (s) => { s.heads.shift(); }, /not asked for all/],
    ["another head", (s) => { s.heads[0].head = "ee"; }, /entry 7.*older copy/],
    ["another head beside it", (s) => { s.heads.push({ seq: "9", head: "ee" }); }, /entry 9.*older copy/],
    ["an unknown member", (s) => { s.heads[0].more = 1; }, /does not know/],
  ]) {
    assert.throws(() => readHeads(copy(good, change), seen), why, name);
  }
});

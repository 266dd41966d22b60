import assert from "node:assert/strict";
import test from "node:test";

import { clabe, compact, exactly, iban, routing } from "../page/check.js";
import { currencies } from "../page/fields.js";
import { ServerError } from "../page/server.js";

const right = {
  clabe: [clabe, ["032180000118359719", "002010077777777771"]],
  routing: [routing, ["111000025", "021000021", "011401533"]],
  iban: [iban, ["DE89370400440532013000", "gb29nwbk60161331926819", "NO9386011117947"]],
};

test("published numbers pass, and none with one digit changed", () => {
  for (const [check, numbers] of Object.values(right)) {
    for (const number of numbers) {
      assert.equal(check(number), "", number);
      for (const [at] of [...number].entries()) {
        if (!/\d/.test(number[at])) continue;
        const wrong = number.slice(0, at) + ((Number(number[at]) + 1) % 10) + number.slice(at + 1);
        assert.notEqual(check(wrong), "", wrong);
      }
    }
  }
});

test("what is too short or no number is told so", () => {
  for (const check of [clabe, routing, iban, exactly(6, "A sort code")]) {
    for (const text of ["", "1", "x".repeat(18), "٠".repeat(18)]) assert.notEqual(check(text), "");
  }
  assert.equal(exactly(6, "A sort code")("202959"), "");
});

test("groups are written as people write them", () => {
  assert.equal(compact("032 180 0001\u00a01835–9719"), "032180000118359719");
});

test("every field has a name and a label, and no currency a field twice", () => {
  for (const { label, fields } of Object.values(currencies)) {
    assert.ok(label && fields.every((f) => f.name && f.label));
    assert.equal(new Set(fields.map((f) => f.name)).size, fields.length);
  }
});

test("the server's word about a field is told apart from its other words", () => {
  const answer = (status, error, message) => new ServerError(status, { error, message });
  assert.deepEqual(answer(400, "validation_failed", "Validation failed: clabe must have 18 digits").wrong, { name: "clabe", constraint: "must have 18 digits" });
  assert.deepEqual(answer(400, "validation_failed", "Validation failed: account.clabe is long").wrong, { name: "clabe", constraint: "is long" });
  assert.equal(new ServerError(422, { error: "partner_refused", details: { field: "iban" } }).wrong.name, "iban");
  assert.equal(answer(422, "other", "Validation failed: clabe x").wrong, null);
  assert.ok(answer(503).passing && new ServerError(0).passing && answer(429).passing && answer(409).passing && !answer(422).passing && !answer(410).passing);
});

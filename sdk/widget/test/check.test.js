import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { read } from "../src/check.js";
import { readJSON } from "../src/json.js";
import { production, sandbox } from "../src/networks.js";
import { isVisible, names } from "../src/text.js";

const file = (name) => readFileSync(new URL("../testdata/" + name, import.meta.url), "utf8").trim();

test("metadata are judged as the server judges them", () => {
  const whole = file("whole.json");
  for (const { name, old, new: now, field, production: inProduction } of JSON.parse(file("cases.json"))) {
    assert.ok(whole.includes(old), name);
    const at = whole.indexOf(old);
    const text = whole.slice(0, at) + now + whole.slice(at + old.length);
    const networks = inProduction ? production : sandbox;
    const { problem } = read(text, { networks, local: !inProduction });
    assert.equal(problem?.field ?? "", field, name);
  }
});

test("JSON has one meaning", () => {
  for (const text of ['{"a":1,"a":2}', "{} {}", "[1,]", "{,}", "01", "+1", "'a'", '"\t"', "", " ", "nul", "[".repeat(100), "1\u00a0", "\ufeff1"]) {
    assert.throws(() => readJSON(text), SyntaxError, text);
  }
  assert.equal(readJSON(' [ 0.12345678901234567890 ] ')[0].text, "0.12345678901234567890");
  assert.equal(Object.getPrototypeOf(readJSON('{"__proto__":{}}')), null);
});

test("what passes for a symbol is found", () => {
  for (const text of ["Pay 5 USDC", "usdc", "USDС", "ＵＳＤＣ now", "(U\u0301SDC)", "USDC.e", "5USDC", "U5DC"]) {
    assert.ok(names(text, "USDC"), text);
  }
  for (const text of ["Pay in dollars", "USD", "", "A CUSDCX"]) assert.ok(!names(text, "USDC"), text);
  assert.ok(!isVisible("a\u202eb"));
});

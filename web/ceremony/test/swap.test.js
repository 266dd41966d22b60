import assert from "node:assert/strict";
import test from "node:test";

import { html, text } from "./dom.js";
import { facts } from "../page/facts.js";
import { denialWords, policyRows } from "../page/rules.js";
import { lossOf, lossWords, risky } from "../page/words.js";

const sign = "ACTIVITY_TYPE_SIGN_INTENT";
const [wallet, router] = ["0x3CFa4B1b3dd5e6e2A0f2c0a1E9d2b7C3F4a5791a", "0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34"];
const swap = (slippage) => ({
  chain: "base", chainId: "84532", signWith: wallet, maxTotalFee: "1", expiresAt: "2027-01-01T00:00:00.000Z", slippage,
  effects: [
    { kind: "transfer", asset: "native", symbol: "ETH", decimals: 18, from: wallet, to: router, amount: "1" },
    { kind: "receive", asset: "native", symbol: "ETH", decimals: 18, from: router, to: wallet, amount: "1", ends: 1 },
  ],
});
const shown = (slippage) => text(facts(sign, swap(slippage)));

test("what a swap may lose is shown in per cent, and red above three", () => {
  for (const percent of ["0", "0.82", "3", "3.00"]) {
    assert.ok(shown({ percent }).includes(`|May lose|${percent} % of what is sold, in the signer’s prices|`), percent);
    assert.equal(lossOf(swap({ percent })), null);
    assert.ok(!risky(sign, swap({ percent })));
  }
  for (const percent of ["3.01", "49", "100"]) {
    const page = html(facts(sign, swap({ percent })));
    assert.match(page, new RegExp(`<strong class="bad">(<[^>]*>)*${percent}`), percent);
    assert.match(lossWords(lossOf(swap({ percent }))), new RegExp(`lose ${percent} %`));
    assert.ok(risky(sign, swap({ percent })));
  }
});

test("without a price it is red, and takes a word", () => {
  const unpriced = { "no price": { unknown: "no price of WETH" }, "an older signer": undefined, "no number": { percent: "-1" }, "nothing": {} };
  for (const [name, slippage] of Object.entries(unpriced)) {
    assert.ok(lossOf(swap(slippage))?.unknown, name);
    assert.ok(risky(sign, swap(slippage)), name);
    assert.match(lossWords(lossOf(swap(slippage))), /without a price/);
  }
  assert.ok(shown({ unknown: "no price of WETH" }).includes("|May lose|nobody can tell: no price of WETH|"));
  assert.ok(shown({ percent: "1", later: "x" }).includes("|later|"), "what the page does not know is shown");
  assert.equal(lossOf({ effects: [swap().effects[0]] }), null, "a transfer is no swap");
});

test("the warning of the signer's is told once", () => {
  const said = { ...swap({ percent: "49" }), warnings: ["swap: it may bring back 49 % less than it sells, in signed prices"] };
  assert.equal(text(facts(sign, said)).split("49 % less").length, 2);
});

test("the rule has words, and so has its denial", () => {
  const rules = text(policyRows({ policy: { walletId: "w", rules: { maxSlippagePercent: "3" } }, walletName: "Main" }));
  assert.ok(rules.includes("|A swap may lose, at most|3 % of what it sells, in signed prices|"));
  const denial = { rule: "maxSlippagePercent", field: "minimum", observed: "49 %", limit: "3 %" };
  assert.match(text(denialWords(denial)), /may bring back 49 % less than it sells.*The rules allow 3 %/);
});

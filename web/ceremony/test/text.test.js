import assert from "node:assert/strict";
import test from "node:test";

import { decimal, foreign, groups, plain, units, usdAtMost, visible } from "../page/text.js";
import { fieldWords } from "../page/rules.js";
import { act, addressWords, alarms, amountOf, effectTitle, risky, secretWords } from "../page/words.js";

const sign = "ACTIVITY_TYPE_SIGN_INTENT";

test("what is not seen, moves other text or passes for a separator is escaped", () => {
  for (const [code, escaped] of [
    [0x202e, "202E"], [0x202d, "202D"], [0x2066, "2066"], [0x2069, "2069"], [0x200e, "200E"], [0x61c, "061C"], // bidi
    [0x200b, "200B"], [0x200c, "200C"], [0x200d, "200D"], [0xfeff, "FEFF"], [0x2060, "2060"], [0xad, "00AD"], // zero width
    [0, "0000"], [0x0a, "000A"], [0x0d, "000D"], [0x09, "0009"], [0x1b, "001B"], [0x7f, "007F"], [0x85, "0085"], // control
    [0x2028, "2028"], [0x2029, "2029"], [0xa0, "00A0"], [0x3000, "3000"], [0x2003, "2003"], // lines and spaces
    [0x3164, "3164"], [0x115f, "115F"], [0x2800, "2800"], [0xfe0f, "FE0F"], [0x180e, "180E"], [0xe0041, "E0041"], // show nothing
    [0xe000, "E000"], [0x378, "0378"], [0xffff, "FFFF"], [0xd800, "D800"], // private, unassigned, half a pair
    [0x2024, "2024"], [0xff0e, "FF0E"], [0x201a, "201A"], [0x2044, "2044"], [0x2215, "2215"], [0xff0f, "FF0F"], // separators
    [0xa789, "A789"], [0xff1a, "FF1A"], [0xff20, "FF20"], [0x2010, "2010"], [0x2212, "2212"], [0x5c, "005C"],
  ]) {
    assert.equal(visible(`a${String.fromCodePoint(code)}b`), `a\\u{${escaped}}b`);
  }
});

test("an allowance that no token reaches is unlimited", () => {
  const allowance = (amount) => amountOf({ kind: "approve", amount, symbol: "USDC", decimals: 6 });
  for (const all of [2n ** 256n - 1n, 2n ** 255n, 2n ** 160n - 1n]) assert.equal(allowance(`${all}`), "unlimited USDC");
  assert.equal(allowance(`${2n ** 160n - 2n}`).startsWith("unlimited"), false);
});

test("times of typed data are dates, and an amount without end is the word", () => {
  assert.match(fieldWords("deadline: 1899333859"), /^deadline: 1899333859 \(.*2030.*\)$/);
  assert.match(fieldWords("details[0].expiration: 1899333859"), /2030/);
  assert.equal(fieldWords(`permit.deadline: ${2n ** 256n - 1n}`), `permit.deadline: ${2n ** 256n - 1n} (without end)`);
  assert.equal(fieldWords("validAfter: 0"), "validAfter: 0 (from now on)");
  assert.equal(fieldWords("validBefore: 0"), "validBefore: 0 (long past)");
  assert.equal(fieldWords("expiry: 0"), "expiry: 0 (without end)");
  assert.equal(fieldWords("details.expiration: 0"), "details.expiration: 0 (in one block only)");
  assert.equal(fieldWords(`details.amount: ${2n ** 160n - 1n}`), "details.amount: unlimited");
  for (const line of ["value: 25500000", "nonce: 0", 'note: "deadline: 1"', "owner: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]) {
    assert.equal(fieldWords(line), line);
  }
});

test("ordinary text stays", () => {
  for (const text of ["Ada's wallet", "Größe 5 €", "財布", "محفظة", "a.b,c/d:e-f_g@h", "– — … “x”", "25.50 USDC"]) assert.equal(visible(text), text);
});

test("an escape cannot be forged", () => {
  assert.notEqual(visible("\\u{202E}"), visible("\u202e"));
});

test("what has no reason to be foreign is ASCII", () => {
  assert.equal(plain("аda@example.com"), "\\u{0430}da@example.com");
  assert.ok(foreign("pаypal") && !foreign("paypal"));
});

test("addresses are cut into fours and lose nothing", () => {
  const address = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
  assert.deepEqual(groups(address).slice(0, 3), ["0x", "036C", "bD53"]);
  assert.equal(groups(address).join(""), address);
  assert.equal(groups("abcdef").join("|"), "abcd|ef");
});

test("amounts keep every digit", () => {
  for (const [amount, decimals, text] of [
    ["25500000", 6, "25.50"], ["25000000", 6, "25"], ["1", 6, "0.000001"], ["0", 6, "0"], ["1234567890", 6, "1,234.567890".slice(0, -1)],
    ["1000000000000000000", 18, "1"], ["1000000000000000001", 18, "1.000000000000000001"], ["12345678", 0, "12,345,678"],
  ]) assert.equal(units(amount, decimals), text);
});

test("the button names the act", () => {
  const usdc = { asset: "0x1", symbol: "USDC", decimals: 6, amount: "25500000" };
  const button = (...effects) => act("ACTIVITY_TYPE_SIGN_INTENT", { effects });
  assert.equal(button({ kind: "transfer", ...usdc }), "Send 25.50 USDC");
  assert.equal(button({ kind: "transfer", asset: "0x1", amount: "25500000" }), "Send 25,500,000 units of an unlisted token");
  assert.equal(button({ kind: "approve", ...usdc, amount: (2n ** 256n - 1n).toString() }), "Allow spending unlimited USDC");
  assert.equal(button({ kind: "unknown_call" }), "Sign an unknown call");
  assert.equal(button({ kind: "transfer", ...usdc }, { kind: "unknown_call" }), "Send 25.50 USDC and sign an unknown call");
  assert.equal(button({ kind: "new" }), "Sign an unknown act");
  assert.equal(act("ACTIVITY_TYPE_SIGN_INTENT", { effects: [{ kind: "transfer", ...usdc }], replaces: "sha256:ab" }), "Replace: send 25.50 USDC");
  assert.throws(() => button(), /says nothing/);
  assert.equal(act("ACTIVITY_TYPE_CREATE_WALLET", { walletName: "Main" }), "Create wallet “Main”");
  assert.equal(act("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", { accounts: [{}] }), "Add 1 address");
  assert.equal(act("ACTIVITY_TYPE_CREATE_AGENT", { agentName: "Buyer" }), "Create agent “Buyer”");
  assert.match(secretWords({}), /in clear.*until the agent’s first call/);
  assert.doesNotMatch(secretWords({}), /once/, "the same body is answered with it again");
  assert.doesNotMatch(secretWords({ recipientPublicKey: "02ab" }), /in clear/);
  for (const amount of ["-1", "01", "1e3", "", undefined, "9".repeat(79)]) assert.throws(() => amountOf({ ...usdc, amount }));
});

test("marks that pile up over other lines are escaped, those of a language are not", () => {
  assert.equal(visible("e\u0301\u0323"), "e\u0301\u0323");
  assert.equal(visible("e\u0301\u0301\u0301\u0301\u0301"), "e\u0301\u0301\u0301\\u{0301}\\u{0301}");
  assert.equal(visible("a\u20dd"), "a\\u{20DD}", "a mark that encloses");
});

test("a fee that no network asks for is an alarm", () => {
  const effects = [{ kind: "transfer", symbol: "USDC", decimals: 6, amount: "1" }];
  const high = { effects, maxTotalFee: "100000000000000001", maxTotalFeeDisplay: "0.100000000000000001 ETH" };
  assert.deepEqual(alarms(sign, { ...high, maxTotalFee: "100000000000000000" }), []);
  assert.match(alarms(sign, high).join(), /0\.100000000000000001 ETH/);
  assert.ok(risky(sign, high) && !risky(sign, { ...high, maxTotalFee: "1" }));
  assert.equal(alarms(sign, { ...high, warnings: ["creates a contract"] }).length, 2);
});

test("amounts have no tails of zeros, and what something costs at most is whole cents, rounded up", () => {
  for (const [text, shown] of [["1234.500000", "1,234.50"], ["1.000", "1"], ["0.000001", "0.000001"], ["7", "7"], ["10", "10"]]) {
    assert.equal(decimal(text), shown);
  }
  for (const [text, shown] of [
    ["25.508421", "$25.51"], ["25.51", "$25.51"], ["25.510000", "$25.51"], ["0.999001", "$1"], ["1234.5", "$1,234.50"], ["0.000042", "less than $0.01"],
    ["0", "$0"], ["0.01", "$0.01"], ["1e21", "$1e21"],
  ]) assert.equal(usdAtMost(text), shown);
});

test("forms of addresses and keys are words, and one that is not known here is shown as it is", () => {
  assert.equal(addressWords({ curve: "CURVE_SECP256K1", addressFormat: "ADDRESS_FORMAT_ETHEREUM" }), "an address of Ethereum and networks like it, with a secp256k1 key");
  assert.equal(addressWords({ curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" }), "an address of Solana, with an Ed25519 key");
  assert.equal(addressWords({ curve: "CURVE_X", addressFormat: "ADDRESS_FORMAT_Y" }), "ADDRESS_FORMAT_Y, CURVE_X");
  assert.equal(addressWords({}), "");
});

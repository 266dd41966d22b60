import assert from "node:assert/strict";
import test from "node:test";

import { html, text } from "./dom.js";
import { copy, vectors } from "./vectors.js";
import { checkPreview, checkResult } from "../page/body.js";
import { base58, fromHex, hex, NotVerified } from "../page/bytes.js";
import { facts } from "../page/facts.js";
import { openProof } from "../page/proof.js";
import { addressBytes, onCurve, readTransaction, tokenAccount } from "../../../chain/solana/page/solana.js";
import { act, consentWords, risky } from "../page/words.js";

const { accounts, intents, exact } = vectors.solana;
const open = (proof) => openProof(proof, vectors.pin);
const checked = async (v, change) => checkPreview("transaction", v.body, copy(await open(v.preview), change));
const refused = (v, change, name) => assert.rejects(checked(v, change), NotVerified, name);

test("addresses, the curve and token accounts are those of chain/solana", async () => {
  for (const { bytes, owner, mint, account, onCurve: on } of accounts) {
    assert.equal(base58(fromHex(bytes)), owner);
    assert.equal(hex(addressBytes(owner)), bytes);
    assert.equal(onCurve(fromHex(bytes)), on, owner);
    assert.equal(await tokenAccount(owner, mint), account);
  }
  assert.equal(new Set(accounts.map(({ onCurve: on }) => on)).size, 2);
  const [{ owner }] = accounts.slice(1);
  for (const no of ["", "1" + owner, owner.slice(0, 20), owner.replace(/.$/, "0"), "0x" + owner.slice(2), "z".repeat(44), undefined]) {
    assert.equal(addressBytes(no), null, no);
  }
});

test("an intent is shown with its owner, fee and rent", async () => {
  for (const [name, v] of Object.entries(intents)) {
    const statement = await open(v.preview);
    const preview = await checkPreview("transaction", v.body, statement);
    const shown = text(facts(statement.activity, preview));
    const { to } = preview.effects.at(-1);
    assert.ok(shown.includes(`|To|`) && shown.includes(to) && shown.includes("cluster devnet") && shown.includes("10000 lamports"), name);
    assert.ok(shown.includes(name.includes("SOL") ? "$0.23" : name.includes("rent") ? "$1.82" : "$1.51"), name);
    assert.ok(shown.includes("|Fee, at most|0.00001 SOL") && shown.includes("10000 lamports: $0.0015"), name);
    assert.equal(name.includes("rent"), shown.includes("|Rent, at most|0.0021 SOL") && shown.includes("2100000 lamports, for an account of the payee’s: $0.315"), name);
    assert.equal(name.includes("rent"), /of rent/.test(act(statement.activity, preview)), name);
    assert.equal(name.includes("rent"), shown.includes("highest fee and rent"), name);
    assert.equal(v.warning !== "", risky(statement.activity, preview), name);
    assert.equal(v.warning !== "", Boolean(consentWords(preview)), name);
    assert.ok(shown.includes(v.warning), name);
    assert.match(html(facts(statement.activity, preview)), /<span>[1-9A-Za-z]{4}<\/span>/);
    assert.ok((await checkResult(v.body, statement, await open(v.result))).transaction, name);
  }
  const quiet = await checked(intents["USDC off the curve"], (s) => { delete s.preview.warnings; });
  assert.ok(risky("ACTIVITY_TYPE_SIGN_INTENT", quiet), "the page sees by itself that there is no key");
});

test("an intent that the preview tells otherwise is not", async () => {
  const v = intents["USDC with rent in v1"];
  const stranger = accounts[3].owner;
  for (const [name, change] of [
    ["another owner", (s) => { s.preview.effects[1].to = stranger; }],
    ["another amount", (s) => { s.preview.effects[1].amount = "1"; }],
    ["another mint", (s) => { s.preview.effects[1].asset = stranger; }],
    ["less rent", (s) => { s.preview.effects[0].amount = "1"; }],
    ["no rent", (s) => { s.preview.effects.shift(); }],
    ["rent for another", (s) => { s.preview.effects[0].to = stranger; }],
    ["one more", (s) => { s.preview.effects.push(s.preview.effects[1]); }],
    ["a nonce", (s) => { s.preview.nonce = "1"; }],
    ["the sender in another case", (s) => { s.preview.signWith = s.preview.signWith.toLowerCase(); }],
    ["another cluster", (s) => { s.preview.chainId = "mainnet"; }],
    ["another fee", (s) => { s.preview.maxTotalFee = "1"; }],
    ["no dollars of the fee", (s) => { delete s.preview.maxTotalFeeUsd; }],
    ["no dollars of the rent", (s) => { delete s.preview.maxRentUsd; }],
    ["no dollars of either", (s) => { delete s.preview.maxTotalFeeUsd; delete s.preview.maxRentUsd; }],
    ["too few dollars of the fee", (s) => { s.preview.maxTotalFeeUsd = "0.0009"; }],
    ["too few dollars of the rent", (s) => { s.preview.maxRentUsd = "0.03"; }],
    ["rent for nothing", (s) => { s.preview.maxRentUsd = "0"; }],
    ["more dollars than all costs", (s) => { s.preview.costUsd = "0.1"; }],
    ["dollars that are no number", (s) => { s.preview.maxRentUsd = "cheap"; }],
    ["less rent in SOL", (s) => { s.preview.maxRent = "2100"; }],
    ["no rent in SOL", (s) => { delete s.preview.maxRent; }],
  ]) {
    await refused(v, change, name);
  }
  await refused(intents["SOL in v1"], (s) => { s.preview.costUsd = "2.265"; }, "SOL at another price than the fee");
  await refused(intents["SOL in v1"], (s) => { s.preview.maxRent = "5"; s.preview.maxRentUsd = "0.000001"; }, "rent of no account");
  const unpriced = await checked(v, (s) => { for (const name of ["costUsd", "maxTotalFeeUsd", "maxRentUsd"]) delete s.preview[name]; });
  assert.ok(text(facts("ACTIVITY_TYPE_SIGN_INTENT", unpriced)).includes("0.0021 SOL"), "without a price");
});

test("exact bytes are read here too", async () => {
  for (const [name, v] of Object.entries(exact)) {
    const statement = await open(v.preview);
    const preview = await checkPreview("transaction", v.body, statement);
    const shown = text(facts(statement.activity, preview));
    assert.ok(shown.toLowerCase().includes(v.warning), name);
    assert.equal(shown.includes("never expires"), name === "a durable nonce");
    if (v.warning || preview.effects.some(({ kind }) => kind === "unknown_call")) assert.ok(risky(statement.activity, preview), name);
    assert.ok((await checkResult(v.body, statement, await open(v.result))).transaction, name);
    await refused(v, (s) => { s.preview.maxTotalFee = "1"; }, `${name}: another fee`);
    const [{ kind }] = preview.effects;
    if (kind === "transfer") {
      await refused(v, (s) => { s.preview.effects[0].to = accounts[3].owner; }, `${name}: another owner`);
      await refused(v, (s) => { s.preview.effects.push(s.preview.effects[0]); }, `${name}: one more`);
    }
    await checked(v, (s) => {
      s.preview.effects = [{ kind: "unknown_call", from: s.preview.signWith }];
      for (const name of ["costUsd", "maxRent", "maxRentDisplay", "maxRentUsd"]) delete s.preview[name];
    });
  }
  const durable = exact["a durable nonce"];
  await refused(durable, (s) => { s.preview.warnings = []; }, "a durable nonce that is not told");
  await refused(durable, (s) => { s.preview.effects = [{ kind: "transfer", asset: "native", from: s.preview.signWith, to: accounts[3].owner, amount: "5" }]; }, "a durable nonce that is understood");
  await refused(exact["another pays"], (s) => { s.preview.warnings = []; }, "another signer who is not told");
});

test("what was signed is what was stamped", async () => {
  for (const v of [...Object.values(intents), exact["SOL in v0"], exact["USDC in v1"]]) {
    const [statement, result] = [await open(v.preview), await open(v.result)];
    const lie = (change) => assert.rejects(checkResult(v.body, statement, copy(result, change)), NotVerified);
    await lie((s) => { s.result.transaction.txHash = accounts[0].owner; });
    await lie((s) => { s.result.transaction.signedTransaction += "00"; });
    const other = v.other || intents["SOL in v1"].other;
    await lie((s) => {
      const [slot] = readTransaction(other).slots;
      Object.assign(s.result.transaction, { signedTransaction: other, txHash: base58(slot) });
    });
  }
});

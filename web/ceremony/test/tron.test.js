import assert from "node:assert/strict";
import test from "node:test";

import { text } from "./dom.js";
import { copy, vectors } from "./vectors.js";
import { checkPreview, checkResult } from "../page/body.js";
import { fromHex, hex, NotVerified, sha256 } from "../page/bytes.js";
import { facts } from "../page/facts.js";
import { openProof } from "../page/proof.js";
import { addressOf, is, readRaw } from "../../../chain/tron/page/tron.js";
import { risky } from "../page/words.js";

const { addresses, intents, exact, refused: malformed } = vectors.tron;
const open = (proof) => openProof(proof, vectors.pin);
const checked = async (v, change) => checkPreview("transaction", v.body, copy(await open(v.preview), change));
const refused = (v, change, name) => assert.rejects(checked(v, change), NotVerified, name);
const all = Object.entries({ ...intents, ...Object.fromEntries(Object.entries(exact).map(([name, v]) => ["exact " + name, v])) });
const [stranger] = Object.values(addresses);

test("addresses are those of chain/tron", async () => {
  for (const [bytes, address] of Object.entries(addresses)) {
    assert.equal(await addressOf(fromHex(bytes)), address);
    assert.ok(is(address));
  }
  await assert.rejects(addressOf(fromHex("42" + "00".repeat(20))), NotVerified);
  for (const no of [undefined, "", "T", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"]) {
    assert.equal(is(no), false, no);
  }
});

test("a payment is shown, and is what was signed", async () => {
  for (const [name, v] of all) {
    const statement = await open(v.preview);
    const preview = await checkPreview("transaction", v.body, statement);
    const shown = text(facts(statement.activity, preview));
    assert.ok(shown.includes(`${preview.maxTotalFee} sun`) && shown.includes("345000 sun, beside the fee") && shown.includes("cluster nile"), name);
    for (const { to, spender } of preview.effects) assert.ok(shown.includes(to ?? spender ?? ""), name);
    assert.equal(name.includes("unknown"), preview.effects.some(({ kind }) => kind === "unknown_call"), name);
    if (name.includes("unknown")) assert.ok(risky(statement.activity, preview), name);
    const result = await open(v.result);
    assert.ok((await checkResult(v.body, statement, result)).transaction, name);
    const lie = (change) => assert.rejects(checkResult(v.body, statement, copy(result, change)), NotVerified, name);
    await lie((s) => { s.result.transaction.txHash = "00".repeat(32); });
    await lie((s) => { s.result.transaction.signedTransaction += "00"; });
    await lie((s) => { s.result.transaction.signedTransaction = s.result.transaction.signedTransaction.slice(0, -134); });
  }
  for (const v of Object.values(intents)) {
    const [statement, result] = [await open(v.preview), await open(v.result)];
    const raw = fromHex(v.other.slice(2)).slice(3, -67);
    result.result.transaction = { ...result.result.transaction, signedTransaction: v.other, txHash: hex(await sha256(raw)) };
    await readRaw(raw);
    await assert.rejects(checkResult(v.body, statement, result), { message: "another payment was signed than was stamped" });
  }
});

test("what the preview tells otherwise than the bytes is refused", async () => {
  for (const [name, v] of all) {
    const changes = {
      "one more": (s) => { s.preview.effects.push(s.preview.effects[0]); },
      "nothing": (s) => { s.preview.effects = []; },
      "another kind": (s) => { s.preview.effects[0].kind = s.preview.effects[0].kind === "approve" ? "transfer" : "approve"; },
      "another sender": (s) => { s.preview.signWith = stranger; },
      "another fee": (s) => { s.preview.maxTotalFee = "1"; },
      "a number": (s) => { s.preview.nonce = "1"; },
    };
    for (const [what, change] of Object.entries(changes)) await refused(v, change, `${name}: ${what}`);
    if (name.includes("unknown")) continue;
    for (const member of ["to", "spender", "from", "asset", "amount"]) {
      await refused(v, (s) => { s.preview.effects.at(-1)[member] = member === "amount" ? "1" : stranger; }, `${name}: another ${member}`);
    }
  }
});

test("bytes that can be read in two ways are refused", async () => {
  for (const [name, raw] of Object.entries(malformed)) await assert.rejects(readRaw(fromHex(raw)), NotVerified, name);
});

import assert from "node:assert/strict";
import test from "node:test";

import { html, text } from "./dom.js";
import { copy } from "./vectors.js";
import { NotVerified } from "../page/bytes.js";
import { checkPreview, digest } from "../page/body.js";
import { alikeness, bookOf, hazardsOf, otherWarnings } from "../page/book.js";
import { facts } from "../page/facts.js";
import { day, when } from "../page/render.js";
import { markedGroups } from "../page/text.js";
import { act, risky } from "../page/words.js";

const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const alike = "0x90F7bA5C6e1d92D4a7f83Bc05f6E2a1986d4b906";
const other = "0x3CFa4B1b3dd5e6e2A0f2c0a1E9d2b7C3F4a5791a";
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const [sign, add, remove] = ["SIGN_INTENT", "ADD_PAYEE", "REMOVE_PAYEE"].map((name) => `ACTIVITY_TYPE_${name}`);

const maria = {
  id: "p1", name: "María García", chain: "base", address, kind: "bank_account", addedAt: "2026-10-23T14:05:00.000Z",
  bankAccount: { owner: "María García", bank: "BBVA", lastFour: "6789", currency: "MXN" },
};
const network = { chain: "base", chainName: "Base Sepolia", chainId: "84532" };
const payment = (...counterparties) => ({
  ...network, signWith: other, maxTotalFee: "1", counterparties,
  effects: [{ kind: "transfer", asset: usdc, contract: usdc, symbol: "USDC", decimals: 6, from: other, to: address, amount: "25500000" }],
});
const shown = (preview, activity = sign) => text(facts(activity, preview));

test("a payee is named first, with what it stands for, and the address follows in full", () => {
  const to = (payee) => shown(payment({ address, payee: { ...maria, ...payee } }));
  assert.ok(to({}).includes(`|To|María García|Bank account at BBVA ending 6789, MXN|${address}|In your book of payees since ${day(maria.addedAt)}|`));
  assert.ok(to({ bankAccount: { ...maria.bankAccount, owner: "Ada" } }).includes("|Bank account of Ada at BBVA ending 6789, MXN|"));
  assert.ok(to({ kind: "wallet", bankAccount: undefined }).includes(`|María García|Wallet|${address}|`));
  assert.ok(to({ kind: "contract", bankAccount: undefined }).includes(`|María García|Contract|${address}|`));
  assert.ok(to({ kind: "vault" }).includes("|María García|vault|"));
  assert.ok(!to({}).includes("Not in your book"));
  assert.ok(!risky(sign, payment({ address, payee: maria })));
});

test("an own wallet is called that", () => {
  assert.ok(shown(payment({ address, ownWallet: "Savings" })).includes(`|To|Your wallet Savings|${address}|`));
});

test("whatever is said of another address gives none a name", () => {
  const answers = {
    "nothing": [],
    "no name": [{ address }],
    "another address": [{ address: other, payee: maria }],
    "the same address in another spelling": [{ address: address.toLowerCase(), payee: maria }],
    "two answers": [{ address, payee: maria }, { address, payee: { ...maria, name: "Pedro" } }],
    "a payee of another address": [{ address, payee: { ...maria, address: other } }],
    "a payee on another network": [{ address, payee: { ...maria, chain: "polygon" } }],
    "a payee that was removed": [{ address, payee: { ...maria, removedAt: "2026-11-01T00:00:00.000Z" } }],
  };
  for (const [name, said] of Object.entries(answers)) {
    const page = facts(sign, payment(...said));
    assert.ok(text(page).includes(`|To|Not in your book of payees|${address}|`), name);
    assert.doesNotMatch(html(page), /class="payee"/, name);
    if (said[0]?.payee) assert.match(text(page), /María García/, `${name}: what has no place is shown raw`);
  }
  assert.ok(shown({ ...payment(), counterparties: undefined }).includes("Not in your book of payees"), "an older signer");
});

test("who may take something and what is called have names, too; a listed token needs none", () => {
  const named = (effect) => shown({ ...payment({ address, payee: maria }), effects: [{ from: other, ...effect }] });
  assert.ok(named({ kind: "approve", asset: usdc, contract: usdc, symbol: "USDC", decimals: 6, spender: address, amount: "1" }).includes("|Who may take it|María García|"));
  assert.ok(named({ kind: "unknown_call", contract: address, selector: "0xdeadbeef" }).includes("|Contract|María García|"));
  assert.ok(named({ kind: "transfer", asset: usdc, contract: usdc, to: address, amount: "1" }).includes(`which is not listed|Not in your book of payees|${usdc}|`));
  const both = payment({ address, payee: maria }, { address: usdc });
  both.effects.push({ kind: "unknown_call", from: other, contract: usdc, selector: "0xdeadbeef" });
  assert.ok(shown(both).includes(`|Contract of USDC|${usdc}|`) && shown(both).includes(`|Contract|Not in your book of payees|${usdc}|`));
});

test("names are text", () => {
  const name = "<img src=x onerror=alert(1)>\u202e";
  const evil = { ...maria, name, bankAccount: { ...maria.bankAccount, owner: "<b>x</b>", bank: "<i>" } };
  for (const page of [
    facts(sign, payment({ address, payee: evil })),
    facts(sign, payment({ address, ownWallet: name, was: { ...evil, removedAt: "x" }, elsewhere: [{ ...evil, chain: name }], looksLike: [{ name, address: alike }], known: { kind: "venue", name } })),
    facts(add, { ...network, payee: evil }), facts(remove, { ...network, payee: evil }),
    facts(sign, { ...payment(), denial: { rule: "payeeCoolingHours", field: "to", observed: name, limit: name, payee: name } }),
  ]) {
    assert.doesNotMatch(html(page), /<(img|b|i)[ >]|\u202e/);
    assert.match(html(page), /&#60;img src=x onerror=alert\(1\)&#62;<mark>\\u\{202E\}<\/mark>/);
  }
});

test("a look-alike has a box of its own, with what differs marked in both", () => {
  const said = { address, looksLike: [{ name: "Pedro", address: alike }] };
  const preview = payment(said);
  const page = facts(sign, preview);
  assert.ok(text(page).startsWith("|This is not Pedro|"));
  assert.ok(text(page).includes(`|The address here|${address}|The address of Pedro|${alike}|`));
  const marked = [...html(page).matchAll(/<mark class="differs">(\w+)<\/mark>/g)].map(([, part]) => part).join("");
  assert.equal(marked, address.slice(6, 38) + alike.slice(6, 38));
  assert.match(text(page), /only the first 4 and the last 4 characters/);
  assert.ok(text(page).includes(`|Not in your book of payees|Not Pedro: see above|${address}|`));
  assert.ok(risky(sign, preview));
  assert.ok(shown(payment({ ...said, payee: maria })).startsWith("|This is María García, not Pedro|"));
  assert.deepEqual(hazardsOf(payment({ address, looksLike: [{ name: "itself", address }] })), []);
});

test("what gives nothing back has a red box of its own, whoever it is", () => {
  const known = { kind: "venue", name: "the router of uniswap" };
  const preview = payment({ address, known });
  assert.ok(shown(preview).startsWith(`|This money would be lost|It is sent to the router of uniswap, which gives nothing back of a plain transfer:|${address}|Go on only if`));
  assert.ok(shown(preview).includes("|This is the router of uniswap: see above|"));
  assert.match(html(facts(sign, preview)), /class="[^"]*stop/);
  assert.ok(risky(sign, preview));
  for (const [kind, words] of [["sender", "who would pay a fee for nothing"], ["nobody", "and what it gets is lost"], ["later", "which gives nothing back of a plain transfer"]]) {
    const said = { address, known: { kind, name: "somebody" } };
    assert.ok(shown(payment(said)).includes(`sent to somebody, ${words}:|`), kind);
    assert.deepEqual(otherWarnings({ ...payment(said), warnings: [`${address} is somebody, ${words}`] }), []);
  }
  assert.ok(shown(payment({ address, payee: maria, known })).includes("|María García|"));
  assert.match(shown({ ...payment(), denial: { rule: "knownContract", field: "to", observed: address, limit: "no plain transfer to the router of uniswap" } }),
    /can do nothing with the money\. They allow no plain transfer to the router of uniswap:\|0x90F79bf6/);
});

test("a name that was, and one on another network", () => {
  const removedAt = "2026-11-01T12:00:00.000Z";
  const page = shown(payment({
    address, was: { ...maria, removedAt }, elsewhere: [{ ...maria, name: "Pedro", chain: "polygon" }],
  }));
  assert.ok(page.includes(`|Until ${day(removedAt)} this address was María García|`));
  assert.ok(page.includes("|Pedro is in your book on polygon, not on Base Sepolia|A withdrawal address may lose"));
  assert.ok(page.includes("|To|Not in your book of payees|"));
  for (const odd of [{ was: { ...maria, address: other } }, { elsewhere: [maria] }, { elsewhere: [{ ...maria, chain: "polygon", address: other }] }]) {
    assert.deepEqual(hazardsOf(payment({ address, ...odd })), []);
    assert.match(shown(payment({ address, ...odd })), /Also said of it: .*María/);
  }
});

test("the signer's words for a hazard are not said twice, and all others are", () => {
  const removedAt = "2026-11-01T12:00:00.000Z";
  const preview = payment({
    address, was: { ...maria, removedAt }, elsewhere: [{ ...maria, chain: "polygon" }], looksLike: [{ name: "Pedro", address: alike }],
  });
  const warnings = [
    `${address} is not Pedro: its address begins and ends like ${alike}, and is another one`,
    `${address} was the payee María García until ${removedAt}, when it was removed`,
    `${address} is the payee María García on polygon, and no payee on Base Sepolia`,
  ];
  assert.deepEqual(otherWarnings({ ...preview, warnings }), []);
  const others = warnings.map((warning) => warning.replace("0x90F7", "0x90F8")).concat("a later signer's own words");
  assert.deepEqual(otherWarnings({ ...preview, warnings: others }), others);
  assert.deepEqual(otherWarnings({ ...payment({ address }), warnings }), warnings);
});

test("what is added is shown whole, with how to check the address", () => {
  const preview = { ...network, payee: maria };
  assert.equal(act(add, preview), "Add payee “María García”");
  const page = shown(preview, add);
  for (const part of ["|Name|María García|", "|Stands for|Bank account|Owner of the account|María García|Bank|BBVA|Account ending|6789|Currency|MXN|",
    "|Network|Base Sepolia (base), chain id 84532|", `|Address|${address}|`, "The signer cannot know whose address this is, nor which bank account it leads to.", "|railkit verify-address| asks"]) {
    assert.ok(page.includes(part), `${part} in ${page}`);
  }
  assert.match(shown({ ...network, payee: { ...maria, kind: "wallet", bankAccount: undefined } }, add), /in person or on the phone/);
  assert.match(shown({ ...network, payee: { ...maria, more: "0xfeed" } }, add), /0xfeed/);
  assert.ok(!risky(add, preview));

  const warnings = [`${address} is not Pedro: its address begins and ends like ${alike}, and is another one`,
    `the name Maria Garcia stood for another address until 2026-11-01T12:00:00.000Z: ${other} on base`];
  const warned = shown({ ...preview, warnings, counterparties: [{ address, looksLike: [{ name: "Pedro", address: alike }] }] }, add);
  assert.ok(warned.startsWith("|This is not Pedro|"));
  assert.ok(warned.includes(`Read this first|The name Maria Garcia stood for another address until ${when("2026-11-01T12:00:00.000Z")}`) && warned.includes(`|${other}|`));
  assert.equal(warned.match(/is not Pedro/g).length, 1);
});

test("what is removed is shown whole, with what ends", () => {
  const preview = { ...network, payee: { ...maria, removedAt: "2026-11-23T00:00:00.000Z" } };
  assert.equal(act(remove, preview), "Remove payee “María García”");
  const page = shown(preview, remove);
  for (const part of [`|Address|${address}|In your book of payees since|${day(maria.addedAt)}|`, "|What waits for votes to pay it becomes void.|"]) {
    assert.ok(page.includes(part), `${part} in ${page}`);
  }
});

test("a vote shows the payee of what is held", () => {
  const approves = { activity: sign, reason: "threshold", requiredApprovers: "2", expiresAt: "2026-11-30T00:00:00.000Z" };
  const vote = (held) => shown({ approves, held, expiresAt: "2026-11-30T00:00:00.000Z" }, "ACTIVITY_TYPE_APPROVE_ACTIVITY");
  assert.ok(vote(payment({ address, payee: maria })).includes("|To|María García|"));
  assert.ok(vote(payment({ address, looksLike: [{ name: "Pedro", address: alike }] })).includes("|What it does|This is not Pedro|"));
});

test("a denial is in words, with the payee's name", () => {
  const denied = (denial) => shown({ ...payment(), denial });
  assert.match(denied({ rule: "payeesOnly", field: "to", observed: address, limit: "the book of payees" }),
    /Not in your book of payees is who gets it, and the rules pay nobody else:\|0x90F79bf6/);
  assert.match(denied({ rule: "payeeCoolingHours", field: "to", observed: address, limit: "24 hours after it was added to the book of payees", payee: "María García" }),
    /María García was added to your book of payees less than 24 hours ago/);
  assert.match(denied({ rule: "payeeCoolingHours", field: "to", observed: address, limit: "later" }), /too short a time ago\. The rules pay it: later\./);
  assert.match(denied({ rule: "allowedDestinations", field: "to", observed: address, limit: other, payee: "María García" }),
    new RegExp(`to is ${address}, which is María García. It allows: ${other}`));
});

test("rules about payees, before and after", () => {
  const page = (rules, before) => shown({ policy: { walletId: "w", rules }, before, walletName: "Main" }, "ACTIVITY_TYPE_UPDATE_POLICY");
  assert.match(page({ payeesOnly: true, payeeCoolingHours: "1" }, { payeeCoolingHours: "24" }),
    /Pays only who is in your book of payees\|Yes\|Until now: no such rule\|.*Pays a new payee after\|1 hour\|Until now: 24 hours/);
  assert.match(page({}, { payeesOnly: true }), /Pays only who is in your book of payees\|no more\|Until now: Yes/);
  const delegation = { expiresAtMs: "1893456000000", maxValueUsd: "5", dailyUsd: "50" };
  const delegated = (more) => page({ delegation: { ...delegation, ...more } });
  assert.match(delegated({}), /\|to any address\|/);
  assert.match(delegated({ payeesOnly: true, payeeCoolingHours: "24" }),
    /\|to your payees only, and to those that are added later as well\|to a new payee 24 hours after it is added\|/);
  assert.doesNotMatch(delegated({ payeesOnly: true }), /any address/);
  assert.match(delegated({ settlementsOnly: true }), /\|only to hand in transfers that others have signed: [^|]* nothing of this wallet's own/);
  assert.doesNotMatch(delegated({ settlementsOnly: true }), /any address/);
  assert.match(delegated({ payeesOnly: true, allowedDestinations: [other] }), new RegExp(`\\|to these addresses only\\|${other}\\|`));
});

test("a delegation and a rule name whom the signer's book has, on which network, and nobody else", () => {
  const page = (counterparties) => shown({
    policy: { walletId: "w", rules: { allowedDestinations: [address], delegation: { expiresAtMs: "1893456000000", maxValueUsd: "5", dailyUsd: "50", allowedDestinations: [address, other] } } },
    walletName: "Main", counterparties,
  }, "ACTIVITY_TYPE_CREATE_POLICY");
  const named = page([{ address, elsewhere: [maria] }, { address: other, ownWallet: "Treasury" }]);
  assert.match(named, new RegExp(`To these addresses only\\|${maria.name} on base\\|${address}\\|`));
  assert.match(named, new RegExp(`to these addresses only\\|${maria.name} on base\\|${address}\\|Your wallet Treasury\\|${other}\\|`));
  assert.doesNotMatch(named, /counterparties|not on/);
  assert.doesNotMatch(page([{ address, elsewhere: [{ ...maria, address: other }] }]), new RegExp(`${maria.name} on base`)); // said of another address
  assert.match(page([{ address: other, looksLike: [{ name: "Pedro", address: alike }] }]), /This is not Pedro/);
  assert.match(page(undefined), new RegExp(`To these addresses only\\|${address}\\|`));
});

test("the payee that is shown is the one that is stamped", async () => {
  const { id, addedAt, ...params } = maria;
  const check = async (type, parameters, payee) => {
    const body = JSON.stringify({ type, environment: "sandbox", organizationId: "o", expiresAtMs: "1893456000000", parameters });
    return checkPreview("payee", body, {
      kind: "preview", activity: type, environment: "sandbox", organizationId: "o", fingerprint: `sha256:${await digest(body)}`,
      preview: { expiresAt: "2030-01-01T00:00:00.000Z", ...network, payee },
    });
  };
  await check(add, params, maria);
  await check(remove, { payeeId: id }, maria);
  for (const [name, change] of [
    ["name", (p) => { p.name = "Pedro"; }], ["address", (p) => { p.address = alike; }], ["chain", (p) => { p.chain = "polygon"; }],
    ["kind", (p) => { p.kind = "wallet"; }], ["bank account", (p) => { p.bankAccount.lastFour = "0000"; }], ["no bank account", (p) => { delete p.bankAccount; }],
  ]) {
    await assert.rejects(check(add, params, copy(maria, change)), NotVerified, name);
  }
  await assert.rejects(check(remove, { payeeId: "p2" }, maria), NotVerified);
});

test("what two addresses share", () => {
  assert.deepEqual(alikeness(address, alike), { begins: 4, ends: 4 });
  assert.deepEqual(alikeness("0xABcd00ff", "0xabCD11FF"), { begins: 4, ends: 2 });
  assert.deepEqual(alikeness("AbcX", "AbdX"), { begins: 2, ends: 1 });
  assert.deepEqual(alikeness("0xaaaa", "0xaaaa"), { begins: 4, ends: 0 });
  assert.deepEqual(markedGroups("0xabcdefgh", 2, 3), [[["0x", false]], [["ab", false], ["cd", true]], [["e", true], ["fgh", false]]]);
  assert.equal(bookOf({}).parties.size, 0);
});

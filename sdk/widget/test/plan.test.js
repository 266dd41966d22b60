import assert from "node:assert/strict";
import { test } from "node:test";

import { Unfit, decodeToken, encodeCall, encodeValue } from "../src/abi.js";
import { checksummed } from "../src/address.js";
import { Invalid, Refusal } from "../src/errors.js";
import { hex, keccak256, utf8 } from "../src/keccak.js";
import { sandbox } from "../src/networks.js";
import { describeCall, makePlan, refuseLookAlikes, request } from "../src/plan.js";
import { Digits, readJSON } from "../src/json.js";
import { readTransaction } from "../src/rlp.js";
import { smallest, whole } from "../src/units.js";

const ana = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const fake = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const texts = { title: "Shop", description: "A shop" };
const world = (action, more = {}) => ({ networks: sandbox, tokens: [], metadata: { ...texts, ...more, actions: [action] } });

test("Keccak-256 and EIP-55 are those of the field", () => {
  assert.equal(hex(keccak256(utf8(""))), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  assert.equal(hex(keccak256(utf8("a".repeat(136)))), "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e");
  assert.equal(checksummed(ana.toLowerCase()), ana);
});

test("calls are encoded as the ABI's specification has them", () => {
  assert.equal(encodeCall("baz", ["uint32", "bool"], ["69", "true"]), "0xcdcd77c0" + "45".padStart(64, "0") + "1".padStart(64, "0"));
  assert.equal(encodeCall("f", ["uint256", "string", "bytes", "bytes4"], ["1", "hé", "0x0102", "0x61626364"]),
    "0x" + hex(keccak256(utf8("f(uint256,string,bytes,bytes4)"))).slice(0, 8) +
    "1".padStart(64, "0") + "80".padStart(64, "0") + "c0".padStart(64, "0") + "61626364".padEnd(64, "0") +
    "3".padStart(64, "0") + "68c3a9".padEnd(64, "0") + "2".padStart(64, "0") + "0102".padEnd(64, "0"));
  assert.equal(encodeValue("int8", "-1"), "f".repeat(64));
  // By ethers 6.17.0.
  assert.equal(encodeCall("f", ["uint256", "string", "bytes", "bytes4", "int24", "bool", "address"],
    ["1", "hé", "0x" + "01".repeat(40), "0x61626364", "-5", "true", ana]), "0xa4cdbc21" + [
    "1".padStart(64, "0"), "e0".padStart(64, "0"), "120".padStart(64, "0"), "61626364".padEnd(64, "0"), "fb".padStart(64, "f"),
    "1".padStart(64, "0"), ana.slice(2).toLowerCase().padStart(64, "0"), "3".padStart(64, "0"), "68c3a9".padEnd(64, "0"),
    "28".padStart(64, "0"), "01".repeat(40).padEnd(128, "0")].join(""));
  for (const [type, value] of [["uint8", "256"], ["int8", "128"], ["uint256", "-1"], ["uint256", "1.5"], ["uint256", ""],
    ["address", ana.slice(1)], ["bool", "yes"], ["bytes4", "0x01"], ["bytes", "01"], ["uint7", "1"], ["uint264", "1"],
    ["tuple", "1"], ["uint256[]", "1"]]) {
    assert.throws(() => encodeValue(type, value), Unfit, type + " " + value);
  }
});

test("amounts are exact", () => {
  assert.equal(smallest("0.000000000000000001", 18), 1n);
  assert.equal(smallest("123456789012.345678", 6), 123456789012345678n);
  assert.equal(whole(1234500000n, 6), "1,234.50");
  assert.equal(whole(1n, 18), "0.000000000000000001");
  for (const text of ["", "0", "-1", "1e3", "1,5", "0.0000001", "١"]) assert.equal(smallest(text, 6), null, text);
});

test("a network of a family that no widget pays on is refused by its name", async () => {
  const action = { type: "transfer", label: "Pay", chains: { source: "tron" }, to: "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC", amount: new Digits("25.5") };
  await assert.rejects(makePlan(world(action), action, {}), new Refusal("This widget does not pay on Tron Nile yet."));
});

test("a transfer says what it sends", async () => {
  const action = { type: "transfer", label: "Pay", chains: { source: "base-sepolia" }, to: ana.toLowerCase(), token: usdc, amount: new Digits("25.5") };
  const plan = await makePlan(world(action), action, {});
  assert.equal(plan.headline, "Send 25.50 USDC");
  assert.deepEqual(plan.rows, [["Amount", "25.50 USDC"], ["To", ana, "address"], ["Token", "USDC as listed on Base Sepolia"],
    ["Its contract", usdc, "address"], ["Network", "Base Sepolia, chain id 84532"]]);
  assert.deepEqual(request(plan, ana), { from: ana, to: usdc, value: "0x0", chainId: "0x14a34",
    data: "0xa9059cbb" + ana.slice(2).toLowerCase().padStart(64, "0") + (25500000).toString(16).padStart(64, "0") });
  await assert.rejects(makePlan(world(action), { ...action, amount: undefined }, { amount: "1.0000001" }), Invalid);
  await assert.rejects(makePlan(world(action), { ...action, to: "0x" + "0".repeat(40) }, {}), Refusal);
});

test("look-alikes of tokens are refused", async () => {
  const action = { type: "transfer", label: "Pay 5 USDС", chains: { source: "base-sepolia" }, to: ana, token: fake, amount: new Digits("5") };
  assert.throws(() => refuseLookAlikes(world(action)), Refusal);
  assert.throws(() => refuseLookAlikes(world({ ...action, label: "Pay" }, { title: "USDC.e" })), Refusal);
  const quiet = { ...action, label: "Pay" };
  refuseLookAlikes(world(quiet));
  for (const symbol of ["USDC", "usdс", "U\u200bSDC", "ЕTH"]) {
    await assert.rejects(makePlan(world(quiet), quiet, {}, async () => ({ symbol, decimals: 6 })), Refusal, symbol);
  }
  const plan = await makePlan(world(quiet), quiet, {}, async () => ({ symbol: "SHOP", decimals: 2 }));
  assert.match(plan.warnings[0], /SHOP is on no list/);
  const call = { type: "blockchain", label: "Approve USDC", chains: { source: "base-sepolia" }, address: fake, functionName: "approve" };
  assert.throws(() => refuseLookAlikes(world({ type: "flow", label: "Go", actions: [call] })), Refusal);
});

test("a call of a token is said in words, another by its name", async () => {
  const abi = readJSON('[{"type":"function","name":"approve","inputs":[{"name":"who","type":"address"},{"name":"value","type":"uint256"}]}]');
  const action = { type: "blockchain", label: "Go", chains: { source: "base" }, address: usdc, abi, functionName: "approve",
    params: [{ name: "who", type: "address", label: "Who" }, { name: "value", type: "uint256", label: "How much" }] };
  const plan = await makePlan(world(action), action, { who: ana, value: "2500000" });
  assert.equal(plan.headline, "Let somebody take 2.50 USDC");
  const most = await makePlan(world(action), action, { who: ana, value: ((1n << 256n) - 1n).toString() });
  assert.equal(most.headline, "Let somebody take all your USDC, without limit");
  const other = await makePlan(world(action), { ...action, address: fake }, { who: ana, value: "1" });
  assert.equal(other.headline, "Call approve");
  assert.deepEqual(other.rows[1], ["Function", "approve(address, uint256)"]);
  await assert.rejects(makePlan(world(action), action, { who: "x", value: "1" }), (e) => e instanceof Invalid && e.field === "who");
  await assert.rejects(makePlan(world(action), { ...action, params: action.params.slice(1) }, { value: "1" }), Refusal);
  const tuple = readJSON('[{"type":"function","name":"approve","inputs":[{"name":"who","type":"address[]"}]}]');
  await assert.rejects(makePlan(world(action), { ...action, abi: tuple }, {}), Refusal);
  assert.equal(decodeToken(plan.transaction.data + "00"), null);
});

// ethers 6.17.0, which internal/test/npmtest pins, made both.
test("transactions of servers are read", () => {
  const to = ana.slice(2).toLowerCase();
  const typed = `0x02eb83014a3480010282520894${to}87038d7ea4c68000820102c0`;
  const older = `0xeb800282520894${to}87038d7ea4c6800082010283014a348080`;
  for (const text of [typed, older]) {
    assert.deepEqual(readTransaction(text), { chainId: 84532n, to: ana, value: 1000000000000000n, data: "0x0102" });
  }
  for (const bad of [undefined, "0x", "0xzz", "0x02c0", typed + "00", typed.slice(0, -2), typed.replace("0x02", "0x01"),
    typed.replace("0x02eb", "0x02ec"), typed.replace("83014a34", "8300014a")]) {
    assert.equal(readTransaction(bad), null, bad);
  }
  const plan = describeCall({ tokens: [] }, sandbox.find((n) => n.chainId === 84532), readTransaction(typed));
  assert.equal(plan.headline, "Call a contract");
});

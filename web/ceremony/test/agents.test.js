import assert from "node:assert/strict";
import test from "node:test";

import { html, text } from "./dom.js";
import "./vectors.js";
import { facts } from "../page/facts.js";
import { act, alarms, risky } from "../page/words.js";

const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const wallet = "0x3CFa4B1b3dd5e6e2A0f2c0a1E9d2b7C3F4a5791a";
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const type = (name) => `ACTIVITY_TYPE_${name}`;
const [create, activate, limits, status, rotate, remove] =
  ["CREATE_AGENT", "ACTIVATE_AGENT", "SET_AGENT_LIMITS", "SET_AGENT_STATUS", "ROTATE_AGENT_SECRET", "DELETE_AGENT"].map(type);

const may = {
  infraMonthlyUsd: "50", tokensMonthlyUsd: "0", paymentsMonthlyUsdc: "1000", perTxUsdc: "1", approvalThresholdUsdc: "0.5",
  maxFeeUsd: "0.05", allowedChains: ["base"], allowedRecipients: [address], allowedHosts: ["shop.example:8443"],
};
const agent = (more) => ({
  agentName: "Buyer", agentId: "a1", agent: { id: "a1", name: "Buyer", walletId: "w1", status: "active", limits: may, createdAt: "2026-11-01T10:00:00.000Z", ...more },
});
const shown = (activity, preview) => text(facts(activity, preview));
const withLimits = (now, before = may) => ({ ...agent({ limits: now }), agentBefore: before });

test("the button names what happens to the agent", () => {
  for (const [activity, preview, title] of [
    [create, agent({ status: "pending_policies", limits: undefined }), "Create agent “Buyer”"],
    [activate, agent(), "Let agent “Buyer” spend: up to 1,000 USDC a month"],
    [activate, agent({ limits: { ...may, paymentsMonthlyUsdc: "0" } }), "Let agent “Buyer” work, without payments"],
    [limits, agent(), "Change the limits of agent “Buyer”"],
    [status, agent(), "Resume agent “Buyer”"],
    [status, agent({ status: "draining" }), "Drain agent “Buyer”"],
    [status, agent({ status: "suspended" }), "Suspend agent “Buyer”"],
    [status, agent({ status: "killed" }), "End agent “Buyer”"],
    [status, agent({ status: "new" }), "Change the state of agent “Buyer”"],
    [rotate, agent(), "Give agent “Buyer” a new secret"],
    [remove, agent(), "Delete agent “Buyer”"],
    [type("SET_KILL_SWITCH"), { killSwitch: true }, "Stop all agents"],
    [type("SET_KILL_SWITCH"), { killSwitch: false }, "Let agents pay again"],
  ]) {
    assert.equal(act(activity, preview), title);
  }
});

test("limits are in words", () => {
  const page = shown(activate, { ...agent(), newSecret: true });
  for (const part of [
    "|Agent|Buyer|", "|State|Works, within its limits|", "|Its secret|Answered in clear", "|Payments a month, at most|1,000 USDC|One payment, at most|1 USDC|",
    "|Asks you first|Above 0.50 USDC|", `|Who is paid|These addresses only|${address}|`, "|On these networks only|base|",
    "|Its paid requests go to|These hosts of the web only|shop.example:8443|", "|Network fee of one payment, at most|$0.05|API calls a month, at most|$50|LLM tokens a month, at most|nothing|", "|Its id|a1|Id of its wallet|w1|Agent made|",
  ]) {
    assert.ok(page.includes(part), `${part} in ${page}`);
  }
  assert.ok(!page.includes("Until now"));
  const asks = (perTxUsdc, approvalThresholdUsdc) => shown(limits, withLimits({ ...may, perTxUsdc, approvalThresholdUsdc }));
  assert.ok(asks("1", "0").includes("|Asks you first|Before every payment|"));
  assert.ok(asks("1", "1").includes("|Asks you first|Never: it would ask above 1 USDC, and one payment is 1 USDC at most|Until now: Above 0.50 USDC|"));
  assert.ok(asks("0", "5").includes("|Asks you first|Never: it pays nothing|"));
});

test("who is paid is in words, and anybody is an alarm", () => {
  const { allowedRecipients, ...others } = may;
  const to = (more) => withLimits({ ...others, ...more });
  assert.ok(shown(limits, to({ payeesOnly: true, payeeCoolingHours: "24" }))
    .includes("|Who is paid|Who is in your book of payees, and who is added to it later as well|A new payee 24 hours after it is added|Until now: |These addresses only|"));
  assert.ok(shown(limits, to({ anyRecipient: true })).includes("|Who is paid|Anybody, at any address|Until now: |These addresses only|"));
  assert.ok(shown(limits, to({ anyRecipient: true })).startsWith("|Read this first|The agent may pay anybody:"));
  for (const activity of [activate, limits, status]) assert.ok(risky(activity, to({ anyRecipient: true })), activity);
  assert.ok(!risky(limits, to({ payeesOnly: true })) && !risky(limits, to({ allowedRecipients })));
  assert.deepEqual(alarms(status, agent({ status: "suspended", limits: { ...others, anyRecipient: true } })), [], "a halt only tightens");
});

test("a limit that changes shows what it was", () => {
  const page = shown(limits, withLimits({ ...may, perTxUsdc: "2500", allowedChains: ["base", "polygon"] }));
  assert.ok(page.includes("|One payment, at most|2,500 USDC|Until now: 1 USDC|"));
  assert.ok(page.includes("|On these networks only|base, polygon|Until now: base|"));
  assert.equal(page.match(/Until now/g).length, 2);
  assert.ok(!shown(limits, withLimits({ ...may })).includes("Until now"));
  assert.ok(shown(limits, withLimits({ ...may, allowedHosts: ["a.example", "b.example"] })).includes(
    "|Its paid requests go to|These hosts of the web only|a.example|b.example|Until now: |These hosts of the web only|shop.example:8443|"));
  assert.ok(shown(limits, withLimits({ ...may, allowedHosts: undefined })).includes(
    "|Its paid requests go to|No host of the web: it pays for no request|Until now: |These hosts of the web only|shop.example:8443|"));
  const halted = shown(limits, { ...agent({ status: "suspended", limits: { ...may, perTxUsdc: "2" } }), agentBefore: may });
  assert.ok(halted.includes("|One payment, at most|2 USDC|Until now: 1 USDC|"));
});

test("a halt says what it stops, and killing that it is for good", () => {
  const halted = shown(status, { ...agent({ status: "suspended" }), agentBefore: may });
  assert.match(halted, /\|State\|Suspended: it pays nothing until somebody resumes it\.\|Its limits\|Payments a month, at most: 1,000 USDC\|/);
  assert.match(shown(status, agent({ status: "draining" })), /What waits for approval may still be paid/);
  const ended = shown(status, agent({ status: "killed" }));
  assert.ok(ended.startsWith("|Read this first|This is for good: the agent can never work again. Its wallet keeps its money, and stays yours."), ended);
  assert.ok(risky(status, agent({ status: "killed" })) && !risky(status, agent({ status: "suspended" })));
  assert.match(shown(remove, { ...agent({ status: "pending_policies", limits: undefined }), agentDeleted: true }), /Its wallet stays, as one of yours/);
  const stop = (on) => shown(type("SET_KILL_SWITCH"), { killSwitch: on });
  assert.match(stop(true), /No agent pays any more.*What is signed already is not stopped/);
  assert.match(stop(false), /Each pays again, within its own limits.*Agents that are suspended or ended stay so/);
});

test("whose the secret is stands only where there is a new one", () => {
  const sealed = shown(rotate, { ...agent(), agentBefore: may, newSecret: true, recipientPublicKey: "02abcdef" });
  assert.ok(sealed.includes("|Its new secret|Only the holder of this key can read it|02abcdef|The secret that it has now works no more.|"));
  assert.ok(shown(rotate, { ...agent(), agentBefore: may, newSecret: true }).includes("|Its new secret|Answered in clear"));
  for (const activity of [create, limits, status, remove]) assert.ok(!shown(activity, agent()).includes("secret|"), activity);
});

test("how an agent signs and which wallets it makes is in words", () => {
  const page = shown(limits, withLimits({ ...may, requireHttpSignature: true, maxWallets: "3" }));
  assert.ok(page.includes("|Signs its requests with|HTTP signatures only, each good at one host|Until now: either form of signature|"), page);
  assert.ok(page.includes("|Makes wallets by itself|3 at most. They are yours, and nothing but your passkey pays from them.|Until now: none|"), page);
});

test("nothing of an agent is hidden", () => {
  assert.match(shown(limits, withLimits({ ...may, more: "0xfeed" })), /\|more\|&#34;0xfeed&#34;\|Until now: no such limit\|/);
  assert.match(shown(limits, withLimits(may, { ...may, more: "0xfeed" })), /\|more\|no such limit\|Until now: &#34;0xfeed&#34;\|/);
  assert.match(shown(status, agent({ status: "new", more: "0xfeed" })), /\|State\|new\|.*\|more\|&#34;0xfeed&#34;\|/);
  assert.match(shown(type("SET_KILL_SWITCH"), { killSwitch: true, ...agent() }), /\|agentName\|&#34;Buyer&#34;\|/);
  assert.match(shown(type("SIGN_INTENT"), { ...agent(), killSwitch: true, newSecret: false, effects: [], maxTotalFee: "1" }), /\|killSwitch\|true\|newSecret\|false\|/);
  assert.match(shown(limits, { ...agent({ limits: undefined }), agentBefore: may }), /\|Its limits\|none any more\|Its limits until now\|Payments/);
  const evil = facts(create, { ...agent({ status: "pending_policies", limits: undefined }), agentName: "<b>\u202e" });
  assert.doesNotMatch(html(evil), /<b>|\u202e/);
});

test("a vote says what an agent buys", () => {
  const held = {
    ...agent(), chain: "base", chainName: "Base Sepolia", chainId: "84532", signWith: wallet, resource: "https://shop.example/report", seconds: "60",
    counterparties: [{ address }],
    effects: [{ kind: "transfer", asset: usdc, contract: usdc, symbol: "USDC", decimals: 6, from: wallet, to: address, amount: "600000" }],
  };
  const expiresAt = "2026-11-30T00:00:00.000Z";
  const preview = { approves: { activity: type("AGENT_X402"), reason: "threshold", requiredApprovers: "1", expiresAt }, held, expiresAt };
  assert.equal(act(type("APPROVE_ACTIVITY"), preview), "Approve: send 0.60 USDC");
  const page = shown(type("APPROVE_ACTIVITY"), preview);
  for (const part of ["|For|https://shop.example/report|How it is paid|The seller hands the signed transfer in, and pays the fee, within 60 seconds", "|State of the agent|Works", "|From, the agent’s wallet|"]) {
    assert.ok(page.includes(part), `${part} in ${page}`);
  }
  assert.doesNotMatch(page, /Fee, at most|\|(resource|seconds)\|/);
});

test("a vote says which agent wants to pay", () => {
  const held = {
    ...agent(), chain: "base", chainName: "Base Sepolia", chainId: "84532", signWith: wallet, maxTotalFee: "1", counterparties: [{ address }],
    effects: [{ kind: "transfer", asset: usdc, contract: usdc, symbol: "USDC", decimals: 6, from: wallet, to: address, amount: "600000" }],
  };
  const expiresAt = "2026-11-30T00:00:00.000Z";
  const preview = { approves: { activity: type("AGENT_PAYMENT"), reason: "threshold", requiredApprovers: "1", expiresAt }, held, expiresAt };
  assert.equal(act(type("APPROVE_ACTIVITY"), preview), "Approve: send 0.60 USDC");
  const page = shown(type("APPROVE_ACTIVITY"), preview);
  for (const part of ["|600000 in the smallest unit (6 decimals)|To|Not in your book of payees|", `|From, the agent’s wallet|${wallet}|`,
    "|Agent|Buyer|A program that has asked for this with its secret. Its id: |a1|", "|Network|Base Sepolia (base), chain id 84532|", "|State of the agent|Works, within its limits|Limits of the agent|Payments a month, at most: 1,000 USDC|",
    "|On these networks only: base|", "|Id of its wallet|w1|Agent made|"]) {
    assert.ok(page.includes(part), `${part} in ${page}`);
  }
  assert.ok(!page.includes("signed by you"));
  assert.doesNotMatch(page, /\|(agent|agentId|agentName)\|/);
  assert.match(shown(type("APPROVE_ACTIVITY"), { ...preview, held: { ...held, agentBefore: may } }), /\|agentBefore\|/);
  assert.ok(!risky(type("AGENT_PAYMENT"), held));
});

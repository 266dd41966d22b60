// The rows of agents: who they are, what they may do, and what that was until now.

import { code, el, named, others, row, when } from "./render.js";
import { hours, list } from "./rules.js";
import { usd } from "./text.js";
import { addressWords, agentPayments, agentStates, isZero, secretWords, usdc } from "./words.js";

const killSwitch = "ACTIVITY_TYPE_SET_KILL_SWITCH";

// agentWords are the names of a preview that the rows here have words for.
export function agentWords(activity) {
  if (activity === killSwitch) return ["killSwitch"];
  if (agentPayments.includes(activity)) return ["agent", "agentName", "agentId", ...(activity === agentPayments[1] ? ["resource", "seconds"] : [])];
  return agentActs.includes(activity) ? ["agent", "agentBefore", "agentDeleted", "newSecret", "recipientPublicKey", "agentName", "agentId"] : [];
}

const agentActs = ["CREATE_AGENT", "ACTIVATE_AGENT", "SET_AGENT_LIMITS", "SET_AGENT_STATUS", "ROTATE_AGENT_SECRET", "DELETE_AGENT"]
  .map((name) => `ACTIVITY_TYPE_${name}`);

// agentRows are of an agent as it would stand.
export const agentRows = (preview) => [
  row("Agent", named(preview.agentName), el("small", {}, "A program that calls in its own name. It signs with a secret, not with your passkey.")),
  preview.agentDeleted ? row("What ends", "The agent is no more. Its wallet stays, as one of yours.") : stateRow(preview.agent),
  (preview.newSecret || preview.recipientPublicKey) &&
    row(preview.agentBefore ? "Its new secret" : "Its secret", secretWords(preview), preview.recipientPublicKey && code(preview.recipientPublicKey),
      preview.agentBefore && el("small", {}, "The secret that it has now works no more.")),
  ...limitsOf(preview),
  ...(preview.accounts ?? []).map((account) =>
    row("Its address", account.address ? code(account.address) : "comes with its wallet", el("small", {}, `${account.path} · ${addressWords(account)}`))),
  ...agentMore(preview),
];

// askedBy says which agent wants to pay, payerRows what it may do.
export const askedBy = ({ agentName, agentId }) => [
  row("Agent", named(agentName), el("small", {}, "A program that has asked for this with its secret. Its id: ", el("code", {}, agentId))),
];

export const payerRows = (preview) => [
  stateRow(preview.agent, "State of the agent"),
  preview.agent?.limits && shortLimits(preview.agent.limits, "Limits of the agent"),
  ...agentMore({ agent: preview.agent }),
];

// boughtRows say what an agent buys of a server that takes the money itself.
export const boughtRows = ({ resource, seconds }) => [
  resource && row("For", code(resource)),
  row("How it is paid", `The seller hands the signed transfer in, and pays the fee, within ${seconds} seconds after you agree. After that it is worth nothing.`),
];

export const killSwitchRows = ({ killSwitch: on }) => [
  row("All your agents", on ? "No agent pays any more, whatever its limits are. What waits for approval is not paid either." : "Each pays again, within its own limits."),
  row("What stays", on ? "Their wallets keep their money. What is signed already is not stopped. You can let agents pay again." : "Agents that are suspended or ended stay so."),
];

const stateRow = (agent, term = "State") => agent && row(term, agentStates[agent.status] ?? agent.status);

function agentMore({ agent, agentId }) {
  return [
    agentId && row("Its id", el("code", {}, agentId)),
    agent?.walletId && row("Id of its wallet", el("code", {}, agent.walletId)),
    agent?.sealedSecret && row("Its secret is sealed to the key", code(agent.sealedSecret.recipientPublicKey)),
    agent?.createdAt && row("Agent made", when(agent.createdAt)),
    others(agent ?? {}, ["id", "name", "walletId", "status", "limits", "createdAt", "sealedSecret"]),
  ];
}

// limitsOf shows each limit in a row of its own where the agent works by it, or where it changes.
function limitsOf({ agent, agentBefore: before }) {
  const limits = agent?.limits;
  if (!limits) return before ? [row("Its limits", "none any more"), shortLimits(before, "Its limits until now")] : [];
  const changed = before && parts(limits, before).some(([, plain]) => differ(plain, limits, before));
  return agent.status === "active" || changed ? limitRows(limits, before) : [shortLimits(limits)];
}

const limitRows = (limits, before) => parts(limits, before).map(([term, plain, words = (text) => text]) =>
  row(term, words(plain(limits)), before && differ(plain, limits, before) && el("small", {}, "Until now: ", words(plain(before)))));

const shortLimits = (limits, term = "Its limits") =>
  row(term, parts(limits).map(([name, plain, words = (text) => text]) => el("div", {}, `${name}: `, words(plain(limits)))));

const differ = (plain, limits, before) => JSON.stringify(plain(limits)) !== JSON.stringify(plain(before));

// parts are what limits say: a name, what is compared, and how that is shown. What has no words here is shown raw.
function parts(limits, before = {}) {
  const unknown = [...new Set([...Object.keys(limits), ...Object.keys(before)])].filter((name) => !known.includes(name));
  return [
    ["Payments a month, at most", (l) => most(l.paymentsMonthlyUsdc, usdc)],
    ["One payment, at most", (l) => most(l.perTxUsdc, usdc)],
    ["Asks you first", asks],
    ["Who is paid", (l) => paid.map((name) => l[name]), whoIsPaid],
    ["Its paid requests go to", (l) => l.allowedHosts, hosts],
    ["Signs its requests with", (l) => l.requireHttpSignature === true, (only) => (only ? "HTTP signatures only, each good at one host" : "either form of signature")],
    ["Makes wallets by itself", (l) => l.maxWallets, (most) => (most === undefined ? "none" : `${most} at most. They are yours, and nothing but your passkey pays from them.`)],
    ["On these networks only", (l) => l.allowedChains, (all) => (all?.length > 0 ? all.join(", ") : "none")],
    ["Network fee of one payment, at most", (l) => most(l.maxFeeUsd, usd)],
    ["API calls a month, at most", (l) => most(l.infraMonthlyUsd, usd)],
    ["LLM tokens a month, at most", (l) => most(l.tokensMonthlyUsd, usd)],
    ...unknown.map((name) => [name, (l) => l[name], (value) => (value === undefined ? "no such limit" : JSON.stringify(value))]),
  ];
}

const paid = ["anyRecipient", "payeesOnly", "payeeCoolingHours", "allowedRecipients"];

const known = ["allowedHosts", "requireHttpSignature", "maxWallets", "paymentsMonthlyUsdc", "perTxUsdc", "approvalThresholdUsdc", "allowedChains", "maxFeeUsd", "infraMonthlyUsd", "tokensMonthlyUsd", ...paid];

// hosts are shown one by one, as names in the web are compared: letter by letter.
const hosts = (all) => (all?.length > 0 ? list(["These hosts of the web only", ...all.map((host) => el("code", {}, host))]) : "No host of the web: it pays for no request");

const most = (amount, words) => (isZero(amount) ? "nothing" : words(amount));

// asks says from where on a payment waits for a passkey. Above what one payment may be there is nothing to ask for.
function asks({ approvalThresholdUsdc: above, perTxUsdc: one }) {
  if (isZero(one)) return "Never: it pays nothing";
  if (isZero(above)) return "Before every payment";
  return Number(above) < Number(one) ? `Above ${usdc(above)}` : `Never: it would ask above ${usdc(above)}, and one payment is ${usdc(one)} at most`;
}

function whoIsPaid([anybody, payeesOnly, cooling, addresses = []]) {
  const all = [
    anybody && el("strong", { class: "bad" }, "Anybody, at any address"),
    payeesOnly && "Who is in your book of payees, and who is added to it later as well",
    cooling && `A new payee ${hours(cooling)} after it is added`,
    addresses.length > 0 && "These addresses only",
    ...addresses.map(code),
  ].filter(Boolean);
  return all.length > 0 ? list(all) : "nobody";
}

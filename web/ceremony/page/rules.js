// The rows of rules, votes, passkeys, messages and recovery.

import { bookOf } from "./book.js";
import { destination } from "./payees.js";
import { code, el, emailName, named, nameOf, passkeyName, row, when } from "./render.js";
import { usd } from "./text.js";
import { agentPayments, messageKinds, network, unlimited, waitsFor } from "./words.js";

const yes = (is) => (is ? "Yes" : "No");

export const list = (all, one = (text) => text) => all.map((item) => el("div", {}, one(item)));

// ruleWords are the names of a policy's rules, and how their values are shown.
// Any other rule is shown raw.
const ruleWords = {
  maxValueUsd: ["One transaction, at most", usd],
  dailyUsd: ["A day, at most", usd],
  monthlyUsd: ["A month, at most", usd],
  allowedDestinations: ["To these addresses only", (all, book) => list(all, (address) => destination(address, book))],
  allowedChains: ["On these networks only", (all) => list(all)],
  allowedTokens: ["These tokens only", (all) => list(all, (token) => (token.startsWith("0x") ? code(token) : token))],
  allowedContracts: ["Calls that pass unread", (all) => list(all, ({ chain, address, selectors }) => [chain, code(address), selectors.join(", ")])],
  payeesOnly: ["Pays only who is in your book of payees", yes],
  payeeCoolingHours: ["Pays a new payee after", hours],
  maxSlippagePercent: ["A swap may lose, at most", (percent) => `${percent} % of what it sells, in signed prices`],
  allowRawDigests: ["Signs hashes that nobody can read", yes],
  delegation: ["Signs without a passkey", delegationWords],
};

export function hours(count) {
  return count === "1" ? "1 hour" : `${count} hours`;
}

function delegationWords(d, book) {
  return [
    d.publicKey ? ["on the word of this key", code(d.publicKey)] : el("strong", { class: "bad" }, "on any request of the server: it asks for no key"),
    ...list([
      `until ${when(new Date(Number(d.expiresAtMs)).toISOString())}`,
      `typed data: valid for ${validity(d)} at most, and never longer than the delegation`,
      `at most ${usd(d.maxValueUsd)} at a time, ${usd(d.dailyUsd)} a day`,
      ...destinationWords(d),
    ]),
    ...list(d.allowedDestinations ?? [], (address) => destination(address, book)),
  ];
}

// destinationWords say to whom. With a list and the book an address has to be in both.
function destinationWords({ allowedDestinations: only = [], settlementsOnly, payeesOnly, payeeCoolingHours }) {
  return [
    settlementsOnly && "only to hand in transfers that others have signed: it pays their gas, and moves nothing of this wallet's own",
    payeesOnly && "to your payees only, and to those that are added later as well",
    payeesOnly && payeeCoolingHours && `to a new payee ${hours(payeeCoolingHours)} after it is added`,
    only.length > 0 ? "to these addresses only" : !payeesOnly && !settlementsOnly && "to any address",
  ].filter(Boolean);
}

// validity is how long what others may hand in stays good: 4 hours where the rule does not say.
function validity({ maxValiditySeconds }) {
  const seconds = Number(maxValiditySeconds ?? 14400);
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`;
}

const said = (name, value, book) => (ruleWords[name] ? ruleWords[name][1](value, book) : JSON.stringify(value));

// policyRows shows each rule as it would be and, where it changes, as it was.
export function policyRows(preview) {
  const { policy, before, walletName, walletId } = preview;
  const book = bookOf(preview);
  const [now, old] = [policy?.rules ?? {}, before ?? {}];
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])];
  return [
    row("Wallet", walletName ? named(walletName) : el("code", {}, policy?.walletId ?? walletId)),
    names.length === 0 && row("Rules", "none: it restricts nothing"),
    ...names.map((name) => row(ruleWords[name]?.[0] ?? name,
      now[name] === undefined ? "no more" : said(name, now[name], book),
      before && JSON.stringify(old[name]) !== JSON.stringify(now[name]) &&
        el("small", {}, old[name] === undefined ? "Until now: no such rule" : ["Until now: ", said(name, old[name], book)]))),
  ];
}

// denialWords say which rule refuses, and why.
export function denialWords({ rule, field, observed, limit, payee }) {
  const whose = fields[field] ?? field;
  switch (rule) {
    case "payeesOnly":
      return [`Not in your book of payees is ${whose}, and the rules pay nobody else:`, code(observed)];
    case "knownContract":
      return [`The rules pay nobody who can do nothing with the money. They allow ${limit}:`, code(observed)];
    case "payeeCoolingHours": {
      const [, least] = /^(\d+) hours? after/.exec(limit) ?? [];
      return [payee ? nameOf(payee) : "The payee", " was added to your book of payees ",
        least ? `less than ${hours(least)} ago, and the rules do not pay it before.` : `too short a time ago. The rules pay it: ${limit}.`, code(observed)];
    }
    case "maxSlippagePercent":
      return [`The swap may bring back ${observed} less than it sells, in signed prices. The rules allow ${limit}.`];
    default:
      return [`The rule “${rule}”: ${field} is ${observed}`, payee && [", which is ", nameOf(payee)], `. It allows: ${limit}.`];
  }
}

const fields = { to: "who gets it", spender: "who may take it", contract: "the contract that is called" };

export const configRows = ({ approvalConfig: c }) => [
  row("Others have to agree", yes(c.enabled)),
  c.enabled && row("To whatever costs more than", usd(c.thresholdUsd)),
  c.enabled && row("To every message and text", yes(c.includeMessages ?? false)),
  c.enabled && row("How many have to agree", c.requiredApprovers),
];

export const passkeyRows = ({ passkey }) => [row("Passkey", passkeyName(passkey)), row("Its key", code(passkey.publicKey))];

export const priceRows = ({ price }) => [row("Asset", price.asset), row("One is worth", usd(price.usd))];

export const recoveryRows = ({ recovery }) => [
  row("Recovery key", recovery.recoveryPublicKey ? code(recovery.recoveryPublicKey) : "none: no code recovers you"),
  row("A mail alone recovers you", yes(recovery.emailOnlyRecovery)),
];

export const cancelRows = ({ cancels }) => [
  row("For", emailName(cancels.email)),
  row("Begun", when(cancels.startedAt)),
  row("The passkey that will not come", el("code", {}, cancels.credentialId)),
];

// fieldWords adds to a field of typed data what its number means. "deadline: 1795371859" is a time in seconds of
// 1970; a date says more. A time that no clock reaches is no end; an amount that large is unlimited.
export function fieldWords(line) {
  const [, path, name, digits] = /^((?:.*[.\]])?(\w+)): (\d{1,78})$/.exec(line) ?? [];
  if (times.includes(name)) {
    if (digits === "0") return `${line} (${zeroTimes[name] ?? "long past"})`;
    return `${line} (${digits.length > 11 ? "without end" : when(new Date(Number(digits) * 1000).toISOString())})`;
  }
  return path && amounts.includes(name) && unlimited(digits) ? `${path}: unlimited` : line;
}

const times = ["deadline", "sigDeadline", "expiration", "expiry", "validAfter", "validBefore"];
const zeroTimes = { validAfter: "from now on", expiry: "without end", expiration: "in one block only" }; // expiry: DAI's permit
const amounts = ["value", "amount"];

// messageRows shows the text line by line: a line break in it is one, and every
// other character that moves things is written out.
export const messageRows = ({ message, signWith, ...at }) => [
  signWith && (at.effects ?? []).every((effect) => effect.from !== signWith) && row("Signed by you", code(signWith)),
  at.chain && row("Network", network(at)),
  row("Kind", messageKinds[message.type] ?? message.type),
  message.text !== undefined && row("Text", list(message.text.split("\n"), (line) => line || el("br"))),
  message.domain && row("Made for", message.domain),
  message.primary && row("Type", message.primary),
  message.fields && row("Fields", list(message.fields, fieldWords)),
  row("Hash that is signed", code(message.digest)),
];

// approvalRows says who asked, why it waits, and who has agreed. Who is told by
// the signer's own list of users.
export function approvalRows(a, who = new Map(), agentName = "") {
  const person = (id) => (who.has(id) ? emailName(who.get(id)) : el("code", {}, id));
  const program = agentPayments.includes(a.activity) ? ["agent ", named(agentName)] : "a program, without a passkey";
  const votes = a.votes ?? [];
  return [
    row("Asked by", a.requesterUserId ? person(a.requesterUserId) : program),
    row("Why it waits", waitsFor(a)),
    row("Agreed so far", `${votes.length} of ${a.requiredApprovers}`, votes.map((v) => el("div", {}, emailName(v.email)))),
    row("Waits until", when(a.expiresAt)),
  ];
}

// What the book of payees says of an address, in rows and boxes.

import { alikeness, bookOf, hazardsOf, lost } from "./book.js";
import { code, day, el, named, nameOf, note, row, rows, spacious } from "./render.js";
import { network } from "./words.js";

// party is an address with whom the book has for it: the name first, the address below it in full.
export function party(address, { parties }) {
  const { payee, ownWallet, looksLike, known, rest } = parties.get(address);
  return [
    payee && el("div", { class: "payee" }, nameOf(payee.name)),
    payee && el("div", {}, standsFor(payee)),
    ownWallet && el("div", { class: "payee" }, "Your wallet ", nameOf(ownWallet)),
    !payee && !ownWallet && el("div", { class: "stranger" }, "Not in your book of payees"),
    known && el("div", { class: "stranger mistaken" }, "This is ", el("bdi", {}, known.name), ": see above"),
    looksLike.map((other) => el("div", { class: "stranger mistaken" }, "Not ", nameOf(other.name), ": see above")),
    code(address),
    payee?.addedAt && el("small", {}, `In your book of payees since ${day(payee.addedAt)}`),
    payee && unread(payee),
    Object.keys(rest).length > 0 && el("small", {}, `Also said of it: ${JSON.stringify(rest)}`),
  ];
}

// destination is an address that a rule names, with whom the book has for it on each network.
export function destination(address, { parties }) {
  const { ownWallet, elsewhere } = parties.get(address);
  return [
    ownWallet && el("div", { class: "payee" }, "Your wallet ", nameOf(ownWallet)),
    elsewhere.map((payee) => el("div", { class: "payee" }, nameOf(payee.name), ` on ${payee.chain}`)),
    code(address),
  ];
}

// standsFor says in a line what a payee is.
function standsFor({ kind, name, bankAccount: account }) {
  if (kind !== "bank_account" || !account) return kinds[kind] ?? kind;
  return ["Bank account ", account.owner !== name && ["of ", el("bdi", {}, account.owner), " "], "at ", el("bdi", {}, account.bank),
    ` ending ${account.lastFour}, ${account.currency}`];
}

const kinds = { wallet: "Wallet", bank_account: "Bank account", contract: "Contract" };

// unread shows raw what this page has no words for.
function unread(payee) {
  const { id, name, chain, address, kind, bankAccount, addedAt, removedAt, ...more } = payee;
  const { owner, bank, lastFour, currency, ...moreOfAccount } = bankAccount ?? {};
  const rest = { ...more, ...moreOfAccount };
  return Object.keys(rest).length > 0 && el("small", {}, `Also said of the payee: ${JSON.stringify(rest)}`);
}

// hazardBoxes warn of addresses, each in a box of its own.
export const hazardBoxes = (preview) => hazardsOf(preview).map((hazard) => boxes[hazard.kind](hazard, preview));

function alikeBox({ address, itself, other }) {
  const name = () => nameOf(other.name);
  const shared = alikeness(address, other.address);
  return note("stop", el("h2", {}, "This is ", itself && [nameOf(itself), ", "], "not ", name()),
    el("p", {}, "Its address begins and ends like that of ", name(), " and differs in the middle. Somebody may have made it on purpose, so that you take it for the other. Compare:"),
    rows(
      row("The address here", spacious(address, shared)),
      row(["The address of ", name()], spacious(other.address, shared))),
    el("small", {}, `Marked is where they differ. Alike are only the first ${shared.begins} and the last ${shared.ends} characters.`),
    el("p", { class: "act" }, "If you mean ", name(), ", do not go on."));
}

const knownBox = ({ address, known }) =>
  note("stop", el("h2", {}, "This money would be lost"),
    el("p", {}, "It is sent to ", el("bdi", {}, known.name), `, ${lost(known)}:`), code(address),
    el("p", { class: "act" }, "Go on only if you know what happens to it there."));

const wasBox = ({ address, payee }) =>
  note("warning", el("h2", {}, payee.removedAt ? `Until ${day(payee.removedAt)} this address was ` : "This address was ", nameOf(payee.name)),
    el("p", {}, "Then it was removed from your book of payees, where it stood for:"), el("p", {}, standsFor(payee)), code(address));

const elsewhereBox = ({ address, payee }, preview) =>
  note("warning", el("h2", {}, nameOf(payee.name), ` is in your book on ${payee.chain}, not on ${preview.chainName ?? preview.chain}`),
    el("p", {}, elsewhereWords[payee.kind] ?? elsewhereWords.wallet), code(address));

const elsewhereWords = {
  bank_account: "A withdrawal address may lose what it gets on another network: it does not come to the bank account.",
  contract: "On another network the same address may be another contract, or none.",
  wallet: "Ask whether this address is theirs on this network, too. An address of an exchange may lose what it gets on another network.",
};

const boxes = { known: knownBox, alike: alikeBox, was: wasBox, elsewhere: elsewhereBox };

// addedRows are of a payee that comes into the book.
export const addedRows = ({ payee, ...at }) => [
  ...payeeRows(payee, at),
  row("Address", spacious(payee.address), el("p", {}, el("strong", {}, `The signer cannot know whose address this is${payee.bankAccount ? ", nor which bank account it leads to" : ""}.`),
    " It remembers what you bind here. Compare every character with another source than this page: ", (sources[payee.kind] ?? sources.wallet)())),
];

const sources = {
  wallet: () => "have its owner read it out to you, in person or on the phone.",
  bank_account: () => [el("code", {}, "railkit verify-address"), " asks the payment partner itself."],
  contract: () => "look it up where its makers publish it.",
};

// removedRows are of a payee that goes, and say what ends with it.
export const removedRows = ({ payee, ...at }) => [
  ...payeeRows(payee, at),
  row("Address", spacious(payee.address)),
  row("In your book of payees since", day(payee.addedAt)),
  row("What ends", [
    "What waits for votes to pay it becomes void.",
    "A wallet that pays payees only pays it no more.",
    "What is signed already is not stopped.",
  ].map((line) => el("div", {}, line))),
];

const payeeRows = (payee, at) => [
  row("Name", named(payee.name)),
  row("Stands for", kinds[payee.kind] ?? payee.kind),
  payee.bankAccount && [
    row("Owner of the account", el("bdi", {}, payee.bankAccount.owner)),
    row("Bank", el("bdi", {}, payee.bankAccount.bank)),
    row("Account ending", payee.bankAccount.lastFour),
    row("Currency", payee.bankAccount.currency),
  ],
  row("Network", at.chainId ? network({ ...at, chain: payee.chain }) : payee.chain),
  unread(payee) && row("More", unread(payee)),
];

// The page's view. It makes nodes and sets text, never markup.

import { foreign, groups, markedGroups, plain, visible } from "./text.js";
import { agentStates } from "./words.js";

// el makes an element. Text among the children is made harmless here, once for all.
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (!value) continue;
    if (attribute === "onclick") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(attribute, "");
    else node.setAttribute(attribute, value);
  }
  node.append(...children.flat(Infinity).filter((c) => c || c === "").map((c) => (c instanceof Node ? c : shown(c))));
  return node;
}

// shown is text, with what had to be escaped made conspicuous.
function shown(text, escape = visible) {
  const fragment = document.createDocumentFragment();
  for (const part of escape(text).split(/(\\u\{[0-9A-F]+\})/)) {
    if (part.startsWith("\\u{")) {
      const mark = document.createElement("mark");
      mark.textContent = part;
      fragment.append(mark);
    } else fragment.append(part);
  }
  return fragment;
}

// code is an address or a hash in fours. The gaps are style: a copy has none.
export const code = (text) => el("code", { class: "grouped" }, groups(text).map((four) => el("span", {}, four)));

// spacious is an address in lines of five groups, for people who compare it with another. Where it shares only its
// beginning and end with the other, its middle is marked.
export function spacious(text, { begins, ends } = { begins: text.length, ends: 0 }) {
  const fours = markedGroups(text, begins, ends).map((four) =>
    el("span", {}, four.map(([part, differs]) => (differs ? el("mark", { class: "differs" }, part) : part))));
  const prefix = /^0x/.test(text) && fours.shift();
  return el("code", { class: "spacious" }, prefix, el("span", {}, fours));
}

// nameOf is a name somebody chose, kept apart from the text around it.
export const nameOf = (text) => el("bdi", { class: "name" }, text);

// serverWords are names that the server has for the workspace that made the link and, where the signer's preview has none,
// for the wallet.
export const serverWords = ({ workspaceName, walletName }, preview = {}) => workspaceName && note("plain aside",
  rows(
    row("Workspace", named(workspaceName)),
    walletName && !preview.walletName && row("Wallet", named(walletName))),
  el("small", {}, "In the words of the server: the signer does not vouch for these names."));

// named is a name somebody chose, with a word about letters that are not a to z.
export const named = (text) => [
  nameOf(text),
  foreign(text) && el("small", {}, "This name has letters beyond a to z. They can look like others."),
];

export const row = (term, ...description) => el("div", { class: "row" }, el("dt", {}, term), el("dd", {}, description));

// others shows raw whatever is not shown already.
export const others = (object, shown) =>
  Object.keys(object).filter((name) => !shown.includes(name)).map((name) => row(name, JSON.stringify(object[name])));

export const rows = (...all) => el("dl", {}, all.flat());

// show puts a state on the page, and the reader at its beginning.
export function show(state, title, ...content) {
  const page = document.getElementById("page");
  const heading = el("h1", { tabindex: "-1" }, title);
  page.dataset.state = state;
  page.replaceChildren(heading, ...content.flat().filter(Boolean));
  document.title = `${visible(title)} · Railkit`;
  document.getElementById("more").replaceChildren();
  say("");
  if (state !== "loading") heading.focus({ preventScroll: true });
  scrollTo(0, 0);
  if (["done", "over", "expired"].includes(state)) endings.dispatchEvent(new Event("end"));
}

// endings tells when the page shows that a link has ended.
export const endings = new EventTarget();

// state moves the view that is there to another state, and says why. A button
// works only where there is something to decide.
export function state(name, text) {
  const page = document.getElementById("page");
  page.dataset.state = name;
  page.querySelectorAll(".actions button").forEach((b) => { b.disabled = !["ready", "refused"].includes(name); });
  say(text);
}

// say is for the line below the button, which screen readers read out.
export function say(text) {
  document.getElementById("status").replaceChildren(shown(text));
}

export function environment(name) {
  const badge = document.getElementById("environment");
  badge.textContent = plain(name);
  badge.hidden = name === "production";
}

const button = (label, onclick, kind) => el("button", { type: "button", class: kind, onclick, disabled: !onclick }, label);

// actions is the one button, which names the act. Without a function it does nothing yet.
export const actions = (label, onclick, red) => el("div", { class: "actions" }, button(label, onclick, red && "danger"));

// quietly is a way that few take, below the one button.
export const quietly = (label, onclick) => el("div", { class: "actions aside" }, button(label, onclick, "quiet"));

// small is a button for what can be done again.
export const small = (label, onclick) => button(label, onclick, "small");

// field is a line to type into. Its value is what stands in it then.
export function field(label, attributes) {
  const input = el("textarea", { rows: "3", autocomplete: "off", spellcheck: "false", ...attributes });
  const node = el("label", { class: "field" }, label, input);
  node.value = () => input.value;
  return node;
}

// checkbox is a choice; nothing is chosen at first.
export function checkbox(label) {
  const input = el("input", { type: "checkbox" });
  const node = el("label", { class: "check" }, input, el("span", {}, label));
  node.checked = () => input.checked;
  return node;
}

export const note = (kind, ...content) => el("div", { class: `note ${kind}` }, content);

// showMore is for whoever wants to check by hand.
export function showMore(statement, body) {
  document.getElementById("more").replaceChildren(el("details", {}, el("summary", {}, "Details for checking"),
    rows(
      row("Hash of the body", code(statement.fingerprint.replace("sha256:", ""))),
      row("Organization", el("code", {}, statement.organizationId)),
      statement.preview.walletId && row("Wallet id", el("code", {}, statement.preview.walletId)),
      row("Journal entry", statement.seq),
    ),
    el("pre", { tabindex: "0", "aria-label": "The body, as the passkey signs it" }, body)));
}

// copyable is a value with a button that copies it.
export const copyable = (value) => el("div", { class: "copyable" }, code(value), small("Copy", () => copyText(value)));

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("This browser does not let the page copy. Select the text instead.");
  }
}

// resultRows is what the signer's own result says was made.
export function resultRows(result) {
  return rows(
    result.transaction && row("Transaction", result.transaction.txHash ? copyable(result.transaction.txHash) : "gets its name when who pays has signed"),
    result.transaction?.nonce && row("Nonce", result.transaction.nonce),
    result.transaction?.lastHeight && row("Can come to the chain up to block", result.transaction.lastHeight, el("small", {}, "As the server said it")),
    result.agent && row("Agent", named(result.agent.name), el("small", {}, result.agent.id)),
    result.agent?.status && row("State", agentStates[result.agent.status] ?? result.agent.status),
    result.killSwitch !== undefined && row("Your agents", result.killSwitch ? "All are stopped" : "May pay again"),
    result.wallet && row("Wallet", named(result.wallet.name), el("small", {}, result.wallet.id)),
    (result.accounts ?? []).map((account) => row("Address", copyable(account.address), el("small", {}, account.path))),
    result.subOrganization && row("Organization", el("code", {}, result.subOrganization.id)),
    result.signature && row("Signature", copyable(result.signature.signature)),
    result.payee && row("Payee", nameOf(result.payee.name), el("small", {}, result.payee.id)),
    result.passkey && row("Passkey", passkeyName(result.passkey)),
    result.owners && row("Who can sign", result.owners.credentials.map((owner) => el("div", {}, emailName(owner.email))), result.owners.recoveryPublicKey && "and the recovery key"),
  );
}

export const rowsOf = (pairs) => rows(pairs.map(([term, ...description]) => row(term, description)));

// passkeyName tells one passkey of a person from another.
export const passkeyName = ({ email, credentialId }) => [email ? emailName(email) : "of whoever signs this", el("small", {}, "Its id: ", el("code", {}, credentialId))];

export const emailName = (email) => el("bdi", { class: "name" }, shown(email, plain));

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

// told is a sentence of the signer. Addresses and times in it are shown as everywhere on the page.
export const told = (text) => sentence(text).split(/(0x[0-9a-fA-F]{40}(?![0-9a-fA-F])|\b[1-9A-HJ-NP-Za-km-z]{32,44}\b|\d{4}-\d\d-\d\dT[\d:.]+Z)/).map((part, i) => {
  if (i % 2 === 0) return part;
  return /^\d{4}-/.test(part) ? when(part) : code(part);
});

// day is a date of the reader's zone; of today also the time.
export function day(iso) {
  const at = new Date(iso);
  if (at.toDateString() === new Date().toDateString()) return `today at ${at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
  return at.toLocaleDateString([], { year: "numeric", month: "long", day: "numeric" });
}

// when is a time of the reader's zone, which it names, with its date where that is another than today's.
export function when(iso) {
  const at = new Date(iso);
  const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" };
  if (at.toDateString() === new Date().toDateString()) return at.toLocaleTimeString([], time);
  return at.toLocaleString([], { ...time, year: "numeric", month: "long", day: "numeric" });
}

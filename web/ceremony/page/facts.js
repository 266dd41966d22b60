// What a verified preview says, in rows and cards. What matters most comes first.

import { agentRows, agentWords, askedBy, boughtRows, killSwitchRows, payerRows } from "./agents.js";
import { bookOf, partiesOf } from "./book.js";
import { addedRows, hazardBoxes, party, removedRows } from "./payees.js";
import { code, el, named, note, others, row, rows, told, when } from "./render.js";
import { approvalRows, messageRows, passkeyRows, policyRows, configRows, denialWords, priceRows, recoveryRows, cancelRows } from "./rules.js";
import { usd, usdAtMost } from "./text.js";
import { addressWords, alarms, dataFee, effectTitle, fee, known, lossOf, network, rent, smallest, smallestCoin, waitsWords } from "./words.js";
import { addressBytes } from "../../../chain/solana/page/solana.js";

// facts is all that a preview of an activity says.
export function facts(activity, preview) {
  if (preview.approves) return factsOfVote(preview);
  const first = alarms(activity, preview);
  const book = bookOf(preview);
  return [
    preview.denial && note("bad", el("h2", {}, "The rules refuse this now"), denialWords(preview.denial)),
    ...hazardBoxes(preview),
    first.length > 0 && note("warning", el("h2", {}, "Read this first"), el("ul", {}, first.map((w) => el("li", {}, told(w))))),
    preview.waits && note("plain", waitsWords(preview.waits)),
    ...(preview.effects ?? []).map((effect) => effectCard(effect, preview, book)),
    rows(
      ...(subjects[activity] ?? transactionRows)(preview),
      preview.slippage && row("May lose", slippageWords(preview)),
      preview.costUsd && row(`Costs, with the highest fee${preview.maxRent ? " and rent" : ""}`, usdAtMost(preview.costUsd)),
      preview.expiresAt && row("Valid until", when(preview.expiresAt)),
      ...otherRows(preview, agentWords(activity)),
      ...others({ counterparties: book.leftOver }, book.leftOver.length > 0 ? [] : ["counterparties"])),
  ];
}

// slippageWords say what a swap may lose: in red where that is more than is usual, or nobody can tell.
function slippageWords(preview) {
  const { percent, unknown, ...more } = preview.slippage;
  const words = unknown ? `nobody can tell: ${unknown}` : [percent, " % of what is sold, in the signer’s prices"];
  return [lossOf(preview) ? el("strong", { class: "bad" }, words) : words,
    el("small", {}, "By how much the least that comes back is worth less than what is sold"), ...others(more, [])];
}

// factsOfVote shows what the vote is for just as if it were stamped itself.
const factsOfVote = ({ approves, held, who, expiresAt, ...more }) => [
  rows(...approvalRows(approves, who, held.agentName)),
  el("h2", { class: "part" }, "What it does"),
  ...facts(approves.activity, { ...held, waits: undefined, expiresAt: undefined }),
  rows(...others(more, [])),
];

// effectCard is one effect. Alone it has the page's heading for its own.
function effectCard(effect, { effects, signWith, agent }, book) {
  return el("section", { class: "effect" },
    effects.length > 1 && el("h2", {}, effectTitle(effect)),
    effect.amount && effect.kind !== "approve_all" && el("small", {}, smallest(effect)),
    rows(
      effect.to && row("To", party(effect.to, book)),
      effect.spender && row("Who may take it", party(effect.spender, book)),
      row(fromWords(effect, signWith, agent), code(effect.from)),
      assetRow(effect, book),
      effect.tokenId && row("Number of the item", effect.tokenId),
      effect.via && row("Traded through", effect.via),
      effect.ends && row("Not after", when(new Date(effect.ends * 1000).toISOString())),
      effect.selector && row("Function", code(effect.selector)),
      others(effect, ["asset", "symbol", "decimals", "from", "to", "spender", "amount", "display", "contract", "selector", "tokenId",
        "via", "ends", "rent",
        ...(known.includes(effect.kind) ? ["kind"] : [])]),
    ));
}

function fromWords({ from }, signWith, agent) {
  if (from !== signWith) return "From";
  return agent ? "From, the agent’s wallet" : "From, signed by you";
}

function assetRow(effect, book) {
  const address = (text) => (partiesOf(effect).includes(text) ? party(text, book) : code(text));
  if (effect.asset === "native") return row("Asset", "The network’s own coin");
  const elsewhere = effect.contract && effect.contract !== effect.asset && row("Contract that is called", address(effect.contract));
  if (addressBytes(effect.asset)) return row(effect.symbol ? `Mint of ${effect.symbol}` : "Mint of the token, which is not listed", address(effect.asset));
  if (effect.asset) return [row(effect.symbol ? `Contract of ${effect.symbol}` : "Contract of the token, which is not listed", address(effect.asset)), elsewhere];
  return effect.contract && row("Contract", address(effect.contract));
}

const charge = (amount, words, dollars) => el("small", {}, `${amount} ${words}${dollars ? `: ${usd(dollars)}` : ""}`);

const transactionRows = (preview) => [
  (preview.effects ?? []).every((effect) => effect.from !== preview.signWith) && row("Signed by you", code(preview.signWith)),
  row("Network", network(preview)),
  row("Fee, at most", fee(preview), charge(preview.maxTotalFee, smallestCoin(preview), preview.maxTotalFeeUsd)),
  preview.dataFee && row("Data fee, at most", dataFee(preview), charge(preview.dataFee, `${smallestCoin(preview)}, beside the fee, for the bytes of the transaction`, preview.dataFeeUsd)),
  preview.maxRent && row("Rent, at most", rent(preview), charge(preview.maxRent, "lamports, for an account of the payee’s", preview.maxRentUsd)),
  preview.replaces && row("Replaces", code(preview.replaces.replace("sha256:", "")), el("small", {}, "The body that was signed before, by its hash. Of the two only one can come to the chain, and it may still be the other.")),
  preview.nonce !== undefined && row("Nonce", preview.nonce, !preview.replaces && el("small", {}, "These are exact bytes: they replace what has this number, or wait until its turn comes.")),
];

const walletRows = (preview) => [
  row("Wallet", named(preview.walletName)),
  ...(preview.accounts ?? []).map((account) =>
    row("Address", account.address ? code(account.address) : "comes with the wallet", el("small", {}, [account.path, addressWords(account)].filter(Boolean).join(" · ")))),
];

const subjects = {
  ACTIVITY_TYPE_CREATE_WALLET: walletRows,
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: walletRows,
  ACTIVITY_TYPE_CREATE_AGENT: agentRows,
  ACTIVITY_TYPE_ACTIVATE_AGENT: agentRows,
  ACTIVITY_TYPE_SET_AGENT_LIMITS: agentRows,
  ACTIVITY_TYPE_SET_AGENT_STATUS: agentRows,
  ACTIVITY_TYPE_ROTATE_AGENT_SECRET: agentRows,
  ACTIVITY_TYPE_DELETE_AGENT: agentRows,
  ACTIVITY_TYPE_SET_KILL_SWITCH: killSwitchRows,
  ACTIVITY_TYPE_AGENT_PAYMENT: (preview) => [...askedBy(preview), ...transactionRows(preview), ...payerRows(preview)],
  ACTIVITY_TYPE_AGENT_X402: (preview) => [...askedBy(preview), ...boughtRows(preview), row("Network", network(preview)), ...payerRows(preview)],
  ACTIVITY_TYPE_SIGN_MESSAGE: messageRows,
  ACTIVITY_TYPE_CREATE_POLICY: policyRows,
  ACTIVITY_TYPE_UPDATE_POLICY: policyRows,
  ACTIVITY_TYPE_DELETE_POLICY: policyRows,
  ACTIVITY_TYPE_UPDATE_APPROVAL_CONFIG: configRows,
  ACTIVITY_TYPE_CREATE_AUTHENTICATOR: passkeyRows,
  ACTIVITY_TYPE_DELETE_AUTHENTICATOR: passkeyRows,
  ACTIVITY_TYPE_OVERRIDE_PRICE: priceRows,
  ACTIVITY_TYPE_UPDATE_RECOVERY: recoveryRows,
  ACTIVITY_TYPE_CANCEL_RECOVERY: cancelRows,
  ACTIVITY_TYPE_ADD_PAYEE: addedRows,
  ACTIVITY_TYPE_REMOVE_PAYEE: removedRows,
};

// otherRows shows raw what this page has no words for, so that nothing is hidden.
const otherRows = (preview, more) => others(preview, [
  ...more,
  "expiresAt", "signWith", "chain", "chainName", "chainId", "effects", "maxTotalFee", "maxTotalFeeDisplay", "maxTotalFeeUsd", "dataFee", "dataFeeDisplay", "dataFeeUsd",
  "maxRent", "maxRentDisplay", "maxRentUsd", "nonce", "replaces",
  "walletName", "walletId", "accounts", "warnings",
  "costUsd", "slippage", "denial", "waits", "message", "policy", "before", "approvalConfig", "passkey", "recovery", "price", "cancels", "payee", "counterparties",
]);

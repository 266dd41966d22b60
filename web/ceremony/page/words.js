// What a verified preview does, in words. Everything here comes from the
// signer's statement. It is raw text: render.js makes it harmless.

import { must } from "./bytes.js";
import { units } from "./text.js";

const unlimited = 2n ** 255n; // who approves that much means "all"

// amountOf is an effect's amount: of a listed asset in its own units.
export function amountOf(effect) {
  must(/^(0|[1-9][0-9]{0,77})$/.test(effect.amount), "the preview has an amount that is not a number");
  if (effect.kind === "approve" && BigInt(effect.amount) >= unlimited) return `unlimited ${effect.symbol ? effect.symbol : "units of an unlisted token"}`;
  return effect.symbol ? `${units(effect.amount, effect.decimals)} ${effect.symbol}` : `${units(effect.amount)} units of an unlisted token`;
}

// smallest says the same in the smallest unit, digit by digit.
export const smallest = (effect) =>
  effect.symbol && effect.decimals ? `${effect.amount} in the smallest unit (${effect.decimals} decimals)` : `${effect.amount} in the smallest unit`;

// known are the kinds of effects that this page has words for.
export const known = ["transfer", "approve", "deploy", "unknown_call"];

// highFee is the most, in wei, that passes without an alarm; the SDK has the same
// limit. Who prepares a transaction names its fee, and may be who earns it.
const highFee = 10n ** 17n;

// alarms are what the reader has to know first.
export const alarms = (preview) => [
  ...(BigInt(preview.maxTotalFee ?? 0) > highFee ? [`the fee may be up to ${fee(preview)}, far more than networks ask for`] : []),
  ...(preview.warnings ?? []),
];

// risky acts have a red button.
export const risky = (preview) => alarms(preview).length > 0 || (preview.effects ?? []).some((effect) => !known.includes(effect.kind));

// effectTitle says what one effect does.
export function effectTitle(effect) {
  switch (effect.kind) {
    case "transfer": return `Send ${amountOf(effect)}`;
    case "approve": return `Allow spending ${amountOf(effect)}`;
    case "deploy": return "Create a contract";
    case "unknown_call": return "Sign an unknown call";
    default: return "Sign an unknown act";
  }
}

// act names what the button does. A transaction has an effect for its value and
// one for its call, at most.
export function act(kind, preview) {
  switch (kind) {
    case "wallet": return `Create wallet “${preview.walletName}”`;
    case "agent": return `Create agent “${preview.agentName}”`;
    case "accounts": return preview.accounts?.length === 1 ? "Add 1 address" : `Add ${preview.accounts?.length ?? 0} addresses`;
  }
  const titles = (preview.effects ?? []).map(effectTitle);
  must(titles.length > 0, "the preview says nothing of what would be done");
  const words = titles.map((title, i) => (i === 0 ? title : small(title))).join(" and ");
  return preview.replaces ? `Replace: ${small(words)}` : words;
}

const small = (title) => title.charAt(0).toLowerCase() + title.slice(1);

// secretWords say who will know the secret of an agent that is made.
export const secretWords = ({ recipientPublicKey }) =>
  recipientPublicKey ? "Only the holder of this key can read it" : "Answered in clear: whoever runs the server can read it, until the agent’s first call or the time below";

// network is the chain with its id, and what is really behind its name.
export const network = (preview) =>
  `${preview.chainName ? `${preview.chainName} (${preview.chain})` : preview.chain}, chain id ${preview.chainId}`;

// fee is the most that the transaction may cost.
export const fee = (preview) => preview.maxTotalFeeDisplay ?? `${preview.maxTotalFee} wei`;

// status is what the server says became of a signed transaction.
export function status(answer) {
  switch (answer.status) {
    case "confirmed": return "It is confirmed on the chain.";
    case "broadcast": return "It is on its way to the chain.";
    case "pending": return "It is signed and waits to be sent.";
    case "awaiting_approval": return "It waits for the approval of others.";
    default: return `It is “${answer.status ?? "unknown"}”.`;
  }
}

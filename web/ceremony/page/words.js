// What a verified preview does, in words. Everything here comes from the
// signer's statement. It is raw text: render.js makes it harmless.

import { hazardsOf, otherWarnings } from "./book.js";
import { must } from "./bytes.js";
import { familyOf } from "./families.js";
import { decimal, units, usd } from "./text.js";
import { later, offCurve } from "../../../chain/solana/page/solana.js";

// unlimited reports whether an allowance means "all": 2^255 and more, which no token has, and the largest number of
// Permit2, whose amounts have 160 bits.
export const unlimited = (amount) => BigInt(amount) >= 2n ** 255n || BigInt(amount) === 2n ** 160n - 1n;

// amountOf is an effect's amount: of a listed asset in its own units.
export function amountOf(effect) {
  must(/^(0|[1-9][0-9]{0,77})$/.test(effect.amount), "the preview has an amount that is not a number");
  if (effect.kind === "approve" && unlimited(effect.amount)) return `unlimited ${effect.symbol ? effect.symbol : "units of an unlisted token"}`;
  return effect.symbol ? `${units(effect.amount, effect.decimals)} ${effect.symbol}` : `${units(effect.amount)} units of an unlisted token`;
}

// smallest says the same in the smallest unit, digit by digit.
export const smallest = (effect) =>
  effect.symbol && effect.decimals ? `${effect.amount} in the smallest unit (${effect.decimals} decimals)` : `${effect.amount} in the smallest unit`;

// known are the kinds of effects that this page has words for.
export const known = ["transfer", "receive", "approve", "approve_all", "deploy", "unknown_call", "unknown_message"];

// alarms are what the reader has to know first. The SDK has the same limits of fees: who prepares a transaction names its
// fee, and may be who earns it. What warns of an address has a box of its own, see payees.js.
export const alarms = (activity, preview) => [...new Set([
  ...(BigInt(preview.maxTotalFee ?? 0) + BigInt(preview.dataFee ?? 0) > familyOf(preview).highFee ? [`${fees(preview)}, far more than networks ask for`] : []),
  ...loosened(activity, preview),
  ...unleashed(activity, preview),
  ...lateSwaps(preview),
  ...lossySwaps(preview),
  ...offCurve(preview).filter((address) => !(preview.warnings ?? []).some((warning) => warning.startsWith(address))).map((address) => `${address}: no key can sign for it`),
  ...((preview.warnings ?? []).some((warning) => warning.startsWith(later)) ? ["what is signed here never expires"] : []),
  ...otherWarnings(preview),
])];

// anyRequest is what the signer warns of, too, in the same words.
const anyRequest = "any request of the server can use this delegation: whoever runs the server, or takes it over, signs within its limits";

// lateSwaps warns of a swap that may wait long: who chooses when it is mined chooses the price, down to the minimum. The
// hour counts from the end of the request, which the signer says: the device's clock may be wrong.
const lateSwaps = ({ effects, expiresAt }) =>
  (effects ?? []).some(({ ends }) => ends && ends * 1000 > Date.parse(expiresAt) + longestSwap)
    ? ["this swap may wait for more than an hour: the price may have moved by then, down to the minimum"] : [];

const longestSwap = 60 * 60 * 1000;

// lossySwaps warns of a swap that may lose much, in the signer's own words.
const lossySwaps = (preview) => {
  const loss = lossOf(preview);
  if (!loss) return [];
  return [loss.unknown ? `swap: nobody can tell how much less it may bring back than it sells: ${loss.unknown}`
    : `swap: it may bring back ${loss.percent} % less than it sells, in signed prices`];
};

// usualLoss is the most, in percent, that a swap may lose without a word of the reader's; the SDK has the same limit.
const usualLoss = 3;

// lossOf is what a swap may lose, by the signer's prices, where the reader has to agree to it: more than is usual, or
// nobody can tell how much. The host's own quote has no part in it.
export function lossOf({ slippage, effects }) {
  if (!slippage) return (effects ?? []).some(({ ends }) => ends) ? { unknown: "the signer does not say" } : null;
  if (slippage.unknown !== undefined || !/^[0-9]{1,5}([.][0-9]{1,2})?$/.test(slippage.percent)) {
    return { unknown: slippage.unknown ?? "what the signer says is no number" };
  }
  return Number(slippage.percent) > usualLoss ? { percent: slippage.percent } : null;
}

// consentWords are what the reader agrees to who goes on all the same: with a swap that may lose much, or a receiver of
// whom nobody can have the key.
export function consentWords(preview) {
  const [loss, [address]] = [lossOf(preview), offCurve(preview)];
  if (loss) return lossWords(loss);
  return address && `I know that no key can sign for ${address}, and that the program which it belongs to, such as a wallet of several people, expects this`;
}

// lossWords are what the reader agrees to who goes on all the same.
export const lossWords = (loss) => (loss.unknown
  ? "I know that this swap may lose much, and go on without a price to compare it with"
  : `I agree that this swap may lose ${loss.percent} % of what it sells`);

// loosened says what a change of rules opens.
function loosened(activity, { policy, recovery, message, approvalConfig }) {
  const all = [];
  if (policy?.rules?.delegation) all.push("this lets the wallet sign without a passkey");
  if (policy?.rules?.delegation && !policy.rules.delegation.publicKey) all.push(anyRequest);
  if (policy?.rules?.allowRawDigests) all.push("this lets the wallet sign what nobody can read");
  if (recovery?.emailOnlyRecovery) all.push("whoever reads the mail, and whoever runs the server, can then take the wallets after the delay");
  if (recovery && !recovery.recoveryPublicKey) all.push("no recovery code will work any more");
  if (message?.type === "RAW_DIGEST") all.push("nobody can read what this hash is of: it may be a transaction that moves everything");
  if (approvalConfig && !approvalConfig.enabled) all.push("one passkey will be enough for everything");
  if (activity === "ACTIVITY_TYPE_DELETE_POLICY") all.push("the rules below will hold no more");
  return all;
}

// unleashed says what an agent may do from then on that cannot be called back, and what ends for good.
function unleashed(activity, { agent }) {
  const halts = activity === "ACTIVITY_TYPE_SET_AGENT_STATUS" && agent?.status !== "active";
  if (halts) return agent?.status === "killed" ? ["this is for good: the agent can never work again. Its wallet keeps its money, and stays yours"] : [];
  const lets = ["ACTIVITY_TYPE_ACTIVATE_AGENT", "ACTIVITY_TYPE_SET_AGENT_LIMITS", "ACTIVITY_TYPE_SET_AGENT_STATUS"].includes(activity);
  return lets && agent?.limits?.anyRecipient ? ["the agent may pay anybody: whoever has its secret can send its money to any address"] : [];
}

// risky acts have a red button.
export const risky = (activity, preview) =>
  alarms(activity, preview).length > 0 || hazardsOf(preview).length > 0 || (preview.effects ?? []).some((effect) => !known.includes(effect.kind));

// effectTitle says what one effect does.
export function effectTitle(effect) {
  switch (effect.kind) {
    case "transfer": return effect.rent ? `Pay up to ${amountOf(effect)} of rent for a token account` : `Send ${amountOf(effect)}`;
    case "receive": return `Receive at least ${amountOf(effect)}`;
    case "approve": return `Allow spending ${amountOf(effect)}`;
    case "approve_all": return `Allow taking all ${effect.symbol ? effect.symbol : "of an unlisted token"}`;
    case "deploy": return "Create a contract";
    case "unknown_call": return "Sign an unknown call";
    case "unknown_message": return "Sign an unknown consent";
    default: return "Sign an unknown act";
  }
}

const plainActs = {
  ACTIVITY_TYPE_CREATE_WALLET: (p) => `Create wallet “${p.walletName}”`,
  ACTIVITY_TYPE_CREATE_AGENT: (p) => `Create ${agentOf(p)}`,
  ACTIVITY_TYPE_ACTIVATE_AGENT: (p) => `Let ${agentOf(p)} ${spends(p.agent?.limits)}`,
  ACTIVITY_TYPE_SET_AGENT_LIMITS: (p) => `Change the limits of ${agentOf(p)}`,
  ACTIVITY_TYPE_SET_AGENT_STATUS: (p) => `${statusActs[p.agent?.status] ?? "Change the state of"} ${agentOf(p)}`,
  ACTIVITY_TYPE_ROTATE_AGENT_SECRET: (p) => `Give ${agentOf(p)} a new secret`,
  ACTIVITY_TYPE_DELETE_AGENT: (p) => `Delete ${agentOf(p)}`,
  ACTIVITY_TYPE_SET_KILL_SWITCH: (p) => (p.killSwitch ? "Stop all agents" : "Let agents pay again"),
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: (p) => (p.accounts?.length === 1 ? "Add 1 address" : `Add ${p.accounts?.length ?? 0} addresses`),
  ACTIVITY_TYPE_CREATE_POLICY: (p) => `Add rules to ${walletOf(p)}`,
  ACTIVITY_TYPE_UPDATE_POLICY: (p) => `Change the rules of ${walletOf(p)}`,
  ACTIVITY_TYPE_DELETE_POLICY: (p) => `Remove rules of ${walletOf(p)}`,
  ACTIVITY_TYPE_UPDATE_APPROVAL_CONFIG: () => "Change when others have to agree",
  ACTIVITY_TYPE_CREATE_AUTHENTICATOR: (p) => `Add a passkey${p.passkey.email ? ` for ${p.passkey.email}` : ""}`,
  ACTIVITY_TYPE_DELETE_AUTHENTICATOR: (p) => `Remove a passkey of ${p.passkey.email}`,
  ACTIVITY_TYPE_OVERRIDE_PRICE: (p) => `Believe that 1 ${p.price.asset} is ${usd(p.price.usd)}`,
  ACTIVITY_TYPE_UPDATE_RECOVERY: () => "Change how you are recovered",
  ACTIVITY_TYPE_CANCEL_RECOVERY: () => "Cancel the recovery",
  ACTIVITY_TYPE_ADD_PAYEE: (p) => `Add payee “${p.payee.name}”`,
  ACTIVITY_TYPE_REMOVE_PAYEE: (p) => `Remove payee “${p.payee.name}”`,
};

// agentPayments are asked for by an agent: a transaction, and a transfer that a seller hands in.
export const agentPayments = ["ACTIVITY_TYPE_AGENT_PAYMENT", "ACTIVITY_TYPE_AGENT_X402"];

// agentStates say what an agent in a state does.
export const agentStates = {
  pending_policies: "Made, with a wallet of its own. It may do nothing until you give it limits and a secret.",
  active: "Works, within its limits",
  draining: "Drained: it begins nothing new. What waits for approval may still be paid.",
  suspended: "Suspended: it pays nothing until somebody resumes it.",
  killed: "Ended, for good. Its wallet keeps its money, and stays yours.",
};

const agentOf = (p) => `agent “${p.agentName}”`;

const statusActs = { active: "Resume", draining: "Drain", suspended: "Suspend", killed: "End" };

export const usdc = (amount) => `${decimal(amount)} USDC`;

const spends = (limits) =>
  limits && !isZero(limits.paymentsMonthlyUsdc) ? `spend: up to ${usdc(limits.paymentsMonthlyUsdc)} a month` : "work, without payments";

export const isZero = (amount) => /^[0.]*$/.test(amount);

const walletOf = (p) => (p.walletName ? `wallet “${p.walletName}”` : "a wallet");

// act names what the button does. What is signed has an effect for each thing
// that it moves; a message may have none.
export function act(activity, preview) {
  if (preview.approves) return `Approve: ${small(act(preview.approves.activity, preview.held))}`;
  if (plainActs[activity]) return plainActs[activity](preview);
  const titles = (preview.effects ?? []).map(effectTitle);
  if (preview.message) titles.unshift(preview.message.type === "RAW_DIGEST" ? "Sign a hash" : "Sign a message");
  must(titles.length > 0, "the preview says nothing of what would be done");
  const words = titles.map((title, i) => (i === 0 ? title : small(title))).join(" and ");
  return preview.replaces ? `Replace: ${small(words)}` : words;
}

export const small = (title) => title.charAt(0).toLowerCase() + title.slice(1);

export const messageKinds = {
  EIP191_TEXT: "Text", EIP191_HEX: "Bytes", EIP712: "Typed data", RAW_DIGEST: "A hash, of what is not known here",
};

const reasonWords = {
  threshold: "It costs more than one may spend alone",
  message: "Every message needs others to agree",
  loosens: "It lifts a rule",
  no_stamp: "No passkey has asked for it",
};

// waitsFor says why a request waits for votes.
export const waitsFor = ({ activity, reason }) =>
  agentPayments.includes(activity) && reason === "threshold" ? "It is more than the agent may pay without asking you" : reasonWords[reason] ?? reason;

// waitsWords say that the reader's own stamp is not enough.
export const waitsWords = ({ reason, requiredApprovers }) =>
  `Your passkey asks for it, and then it waits until ${requiredApprovers === "1" ? "one person agrees" : `${requiredApprovers} people agree`}. ${reasonWords[reason] ?? reason}.`;

// secretWords say who will know the secret of an agent that is made.
export const secretWords = ({ recipientPublicKey }) =>
  recipientPublicKey ? "Only the holder of this key can read it" : "Answered in clear: whoever runs the server can read it, until the agent’s first call or the end of this request";

// addressWords say of which form an address is, and of which kind its key.
export const addressWords = ({ curve, addressFormat }) =>
  [formats[addressFormat] ?? addressFormat, curves[curve] ?? curve].filter(Boolean).join(", ");

const formats = { ADDRESS_FORMAT_ETHEREUM: "an address of Ethereum and networks like it", ADDRESS_FORMAT_SOLANA: "an address of Solana", ADDRESS_FORMAT_TRON: "an address of Tron" };
const curves = { CURVE_SECP256K1: "with a secp256k1 key", CURVE_ED25519: "with an Ed25519 key" };

// network is the chain with its id, and what is really behind its name.
export const network = (preview) =>
  `${preview.chainName ? `${preview.chainName} (${preview.chain})` : preview.chain}, ${/^[0-9]+$/.test(preview.chainId) ? "chain id" : "cluster"} ${preview.chainId}`;

// smallestCoin is what the smallest unit of the network's coin is called.
export const smallestCoin = (preview) => familyOf(preview).unit;

// fee is the most that the transaction may cost for its gas.
export const fee = (preview) => preview.maxTotalFeeDisplay ?? `${preview.maxTotalFee} ${smallestCoin(preview)}`;

// dataFee is the most that some networks take for its bytes, beside that.
export const dataFee = (preview) => preview.dataFeeDisplay ?? `${preview.dataFee} ${smallestCoin(preview)}`;

// rent is the most that accounts for tokens cost, which are opened for others.
export const rent = (preview) => preview.maxRentDisplay ?? `${preview.maxRent} lamports`;

const fees = (preview) => `the fee may be up to ${fee(preview)}${preview.dataFee ? `, and the data fee up to ${dataFee(preview)}` : ""}`;

// status is what the server says became of a signed transaction.
export function status(answer) {
  switch (answer.status) {
    case "confirmed": return "It is confirmed on the chain.";
    case "broadcast": return "It is on its way to the chain.";
    case "pending": return "It is signed and waits to be sent.";
    case "awaiting_approval":
    case "pending_approval": return "It waits for the approval of others.";
    default: return `It is “${answer.status ?? "unknown"}”.`;
  }
}

// What a button would send, as a transaction and in words, before anything is sent. The words are made of the same
// values as the bytes, and of nothing that the metadata say of themselves.

import { Unfit, decodeToken, encodeCall } from "./abi.js";
import { checksummed, isZero } from "./address.js";
import { functionOf } from "./check.js";
import { Invalid, Refusal } from "./errors.js";
import { familyOf } from "./families.js";
import { names, shown } from "./text.js";
import { quantity, smallest, whole } from "./units.js";
import { isSolidity, networkNamed } from "./values.js";

// listedToken is the token of a network's own list, or of the list that the directory's server gives.
export const listedToken = (network, tokens, address) =>
  [...network.tokens, ...tokens.filter((t) => network.chainId ? t.chainId === network.chainId : t.chain === network.slug)]
    .find((t) => familyOf(network).same(t.address, address)) ?? null;

// symbols are those that an unlisted token may not have.
const symbols = (networks, tokens) =>
  new Set([...networks.flatMap((n) => [n.native.symbol, ...n.tokens.map((t) => t.symbol)]), ...tokens.map((t) => t.symbol)]);

// refuseLookAlike ends where texts name a listed token, and the contract is none of the list.
export function refuseLookAlike({ networks, tokens, metadata }, action, network, address) {
  if (listedToken(network, tokens, address)) return;
  const texts = [metadata.title, metadata.description, action.label, action.description ?? ""];
  for (const symbol of symbols(networks, tokens)) {
    if (texts.some((text) => names(text, symbol))) {
      throw new Refusal(`It speaks of ${symbol}, but ${familyOf(network).canonical(address)} is not ${symbol} on ${network.title}.`);
    }
  }
}

// refuseLookAlikes goes through all buttons, before one is shown.
export function refuseLookAlikes(world) {
  const each = (action) => {
    const network = action.chains && networkNamed(world.networks, action.chains.source);
    if (action.type === "transfer" && action.token) refuseLookAlike(world, action, network, action.token);
    if (action.type === "blockchain" && /^(transfer|transferFrom|approve|increaseAllowance|permit)$/.test(action.functionName)) {
      refuseLookAlike(world, action, network, action.address);
    }
    action.actions?.forEach(each);
  };
  world.metadata.actions.forEach(each);
}

// makePlan gives { headline, rows, warnings, network, transaction }. ask is what the chain says of a token that is not
// listed: async (network, address) => { symbol, decimals }.
export async function makePlan(world, action, values, ask) {
  const network = networkNamed(world.networks, action.chains.source);
  if (action.type === "transfer") return planTransfer(world, action, network, values, ask);
  if (action.type === "blockchain") return planCall(world, action, network, values);
  throw new Refusal("It has no transaction.");
}

async function planTransfer(world, action, network, values, ask) {
  const family = familyOf(network);
  const token = action.token ? await coinOf(world, network, action.token, ask) : null;
  const coin = token ?? network.native;
  const amount = smallest(action.amount?.text ?? values.amount ?? "", coin.decimals);
  if (amount === null || amount > family.most) {
    throw new Invalid("amount", amount ? "is more than a payment can have"
      : `must be a number above 0, such as 2.50, with at most ${coin.decimals} decimals`);
  }
  const to = family.canonical(action.to);
  const lost = family.unpayable(to);
  if (lost) throw new Refusal(lost);
  const written = `${whole(amount, coin.decimals)} ${coin.symbol}`;
  const away = action.chains.destination && networkNamed(world.networks, action.chains.destination);
  const plan = {
    headline: `Send ${written}`, network, warnings: [...coin.warnings ?? [], ...family.warn(to)],
    rows: [["Amount", written], ["To", to, "address"], ...tokenRows(network, token), ["Network", networkText(network)]],
  };
  if (away) {
    plan.rows.push(["Arrives on", networkText(away)]);
    return { ...plan, crossing: true };
  }
  plan.rows.push(...family.costs({ token }));
  plan.transaction = family.payment({ to, amount, token });
  return plan;
}

export const networkText = (network) => network.chainId ? `${network.title}, chain id ${network.chainId}` : network.title;

const tokenRows = (network, token) => token
  ? [["Token", token.warnings ? `not listed on ${network.title}` : `${token.symbol} as listed on ${network.title}`], [familyOf(network).contract, familyOf(network).canonical(token.address), "address"]]
  : [["Token", `${network.native.symbol}, the coin of ${network.title}`]];

async function coinOf(world, network, address, ask) {
  const listed = listedToken(network, world.tokens, address);
  if (listed) return listed;
  const told = await ask(network, address);
  const symbol = shown(told.symbol, 12);
  for (const one of symbols(world.networks, world.tokens)) {
    if (names(String(told.symbol), one)) {
      throw new Refusal(`The token calls itself ${one}, but ${familyOf(network).canonical(address)} is not ${one} on ${network.title}.`);
    }
  }
  return { symbol, address, decimals: told.decimals, warnings: [`${symbol || "This token"} is on no list. Its name is what its own contract says, which anybody can write.`] };
}

function planCall(world, action, network, values) {
  const called = functionOf(action);
  const params = new Map((action.params ?? []).map((p) => [p.name, p]));
  const types = called.inputs.map((input) => {
    if (typeof input?.type !== "string" || !isSolidity(input.type)) throw new Refusal(`${called.name} takes a value that this widget cannot write.`);
    if (!params.has(input.name)) throw new Refusal(`${called.name} takes a value of which nothing is said.`);
    return input.type;
  });
  const given = called.inputs.map((input) => values[input.name] ?? "");
  called.inputs.forEach((input, i) => encodable(input, types[i], given[i]));
  const value = action.amount ? smallest(action.amount.text, network.native.decimals) : 0n;
  if (value === null) throw new Refusal("Its amount is finer than the coin.");
  if (value > 0n && called.stateMutability && called.stateMutability !== "payable") throw new Refusal(`${called.name} takes no coin.`);
  const transaction = { to: checksummed(action.address), value, data: encodeCall(called.name, types, given) };
  const rows = called.inputs.map((input, i) => [params.get(input.name).label, given[i], types[i] === "address" ? "address" : ""]);
  return describeCall(world, network, transaction, { called: `${called.name}(${types.join(", ")})`, rows });
}

function encodable(input, type, value) {
  try {
    encodeCall("f", [type], [value]);
  } catch (error) {
    if (error instanceof Unfit) throw new Invalid(input.name, error.message);
    throw error;
  }
}

// describeCall says what a transaction does: a token's own calls in words, any other by what is called.
export function describeCall(world, network, transaction, { called, rows = [] } = {}) {
  const token = listedToken(network, world.tokens, transaction.to);
  const plan = { network, transaction, warnings: [], rows: [] };
  const told = token && decodeToken(transaction.data);
  if (told) return tokenCall(plan, network, token, told);
  if (transaction.data === "0x") {
    plan.headline = `Send ${whole(transaction.value, network.native.decimals)} ${network.native.symbol}`;
    plan.rows = [["Amount", plan.headline.slice(5)], ["To", transaction.to, "address"], ["Network", networkText(network)]];
    return plan;
  }
  plan.headline = called ? `Call ${called.split("(")[0]}` : "Call a contract";
  plan.rows = [["Contract", transaction.to, "address"], ["Function", called ?? transaction.data.slice(0, 10)], ...rows,
    ["Pays", `${whole(transaction.value, network.native.decimals)} ${network.native.symbol}`], ["Network", networkText(network)]];
  plan.warnings.push(called
    ? "What the contract does with this call is its own business. Your wallet shows more of it."
    : "Only the server that made this call knows what it does. Read what your wallet shows before you agree.");
  if (token) plan.rows.splice(1, 0, ["Token", `${token.symbol} as listed on ${network.title}`]);
  return plan;
}

function tokenCall(plan, network, token, { name, addresses, amount }) {
  const all = amount >= 1n << 255n;
  const written = all ? `all your ${token.symbol}, without limit` : `${whole(amount, token.decimals)} ${token.symbol}`;
  const last = addresses.at(-1);
  const spends = name === "approve" || name === "increaseAllowance";
  plan.headline = spends ? `Let somebody take ${written}` : `Send ${written}`;
  if (spends) plan.warnings.push(`Whoever has that address may take ${written}, at any time.`);
  if (isZero(last) && !spends) throw new Refusal("It would pay to the zero address, from which nothing returns.");
  plan.rows = [[spends ? "May take" : "Amount", written], ...(name === "transferFrom" ? [["From", addresses[0], "address"]] : []),
    [spends ? "Who may take it" : "To", last, "address"], ...tokenRows(network, token), ["Network", networkText(network)]];
  if (plan.transaction.value > 0n) throw new Refusal("It sends coins to a token, which would be lost.");
  return plan;
}

// request is a transaction as wallets take it.
export const request = (plan, from) => ({
  from, to: plan.transaction.to, value: quantity(plan.transaction.value), data: plan.transaction.data,
  chainId: quantity(BigInt(plan.network.chainId)),
});

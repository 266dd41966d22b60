// The book of payees as the signer's preview has it: who stands behind an address, and what warns of an address. A name
// stands beside an address only where the signer says it of exactly that address, on the network of the preview.

// partiesOf are the addresses that an effect pays, allows to take something, or calls. A listed token's own contract is
// none of them: the network's list vouches for it.
export const partiesOf = ({ to, spender, contract, symbol }) => [to, spender, !symbol && contract].filter(Boolean);

// bookOf is what a preview says of the addresses of its effects, by address. What it says of no address here, or twice
// of one, is left over.
export function bookOf({ effects, payee, policy, before, counterparties = [], chain }) {
  const named = [policy?.rules, before].flatMap((rules) => [...(rules?.allowedDestinations ?? []), ...(rules?.delegation?.allowedDestinations ?? [])]);
  const addresses = [...new Set([...(effects ?? []).flatMap(partiesOf), payee?.address, ...named].filter(Boolean))];
  const saidOf = (address) => counterparties.filter((said) => said?.address === address);
  return {
    parties: new Map(addresses.map((address) => [address, saidOf(address).length === 1 ? partyOf(saidOf(address)[0], chain) : stranger(address)])),
    leftOver: counterparties.filter((said) => !addresses.includes(said?.address) || saidOf(said.address).length > 1),
  };
}

const stranger = (address) => ({ address, elsewhere: [], looksLike: [], rest: {} });

// givesNothingBack says why money that is just sent to an address is lost, in the signer's words.
const givesNothingBack = { sender: "who would pay a fee for nothing", nobody: "and what it gets is lost" };
export const lost = ({ kind }) => givesNothingBack[kind] ?? "which gives nothing back of a plain transfer";

// partyOf reads what the signer says of one address. Whatever is about another address, or about a network where it says
// nothing, is no more than text: it goes to the rest.
function partyOf({ address, payee, ownWallet, elsewhere = [], was, looksLike = [], known, ...rest }, chain) {
  const here = (p) => p.address === address && p.chain === chain;
  const read = {
    address, ownWallet, known,
    payee: payee && here(payee) && !payee.removedAt ? payee : undefined,
    was: was && here(was) ? was : undefined,
    elsewhere: elsewhere.filter((p) => p.address === address && p.chain !== chain),
    looksLike: looksLike.filter((other) => other.address !== address),
  };
  const unread = {
    payee: read.payee ? undefined : payee,
    was: read.was ? undefined : was,
    elsewhere: elsewhere.filter((p) => !read.elsewhere.includes(p)),
    looksLike: looksLike.filter((other) => !read.looksLike.includes(other)),
  };
  for (const [name, value] of Object.entries(unread)) {
    if (value !== undefined && value.length !== 0) rest[name] = value;
  }
  return { ...read, rest };
}

// hazardsOf are the reasons to look twice at an address, the worst first: it gives nothing back, it can be mistaken for
// another one, it had a name, or it has one on another network only.
export function hazardsOf(preview) {
  const parties = [...bookOf(preview).parties.values()];
  return [
    ...parties.flatMap(({ address, known }) => (known ? [{ kind: "known", address, known }] : [])),
    ...parties.flatMap(({ address, payee, ownWallet, looksLike }) =>
      looksLike.map((other) => ({ kind: "alike", address, itself: payee?.name ?? ownWallet, other }))),
    ...parties.flatMap(({ address, was }) => (was ? [{ kind: "was", address, payee: was }] : [])),
    ...(preview.chain ? parties : []).flatMap(({ address, elsewhere }) => elsewhere.map((payee) => ({ kind: "elsewhere", address, payee }))), // rules are for all networks
  ];
}

// otherWarnings are the signer's warnings without those that tell of a hazard, which has a box of its own. They are
// compared to the letter: a signer whose words are others is heard twice, and not too little.
export function otherWarnings(preview) {
  const told = new Set(hazardsOf(preview).flatMap((hazard) => signersWords[hazard.kind](hazard, preview)));
  return (preview.warnings ?? []).filter((warning) => !told.has(warning));
}

const signersWords = {
  known: ({ address, known }) => [`${address} is ${known.name}, ${lost(known)}`],
  alike: ({ address, other }) => [`${address} is not ${other.name}: its address begins and ends like ${other.address}, and is another one`],
  was: ({ address, payee }) => [`${address} was the payee ${payee.name} until ${payee.removedAt}, when it was removed`],
  elsewhere: ({ address, payee }, { chain, chainName }) =>
    [chain, chainName].map((here) => `${address} is the payee ${payee.name} on ${payee.chain}, and no payee on ${here}`),
};

// alikeness says how many characters two addresses share at the beginning and at the end. 0x is not counted, nor is the
// case of hex digits.
export function alikeness(one, other) {
  const [a, b] = [one, other].map((text) => [...(/^0x/.test(text) ? text.slice(2).toLowerCase() : text)]);
  const shortest = Math.min(a.length, b.length);
  let [begins, ends] = [0, 0];
  while (begins < shortest && a[begins] === b[begins]) begins += 1;
  while (ends < shortest - begins && a.at(-1 - ends) === b.at(-1 - ends)) ends += 1;
  return { begins, ends };
}

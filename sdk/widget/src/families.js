// What the widget does otherwise in each family of networks, as far as no wallet is asked. Which wallets there are is in
// wallets.js.

import { encodeCall } from "./abi.js";
import { checksummed, isAddress, isZero, sameAddress } from "./address.js";
import { Refusal } from "./errors.js";
import { readTransaction } from "./rlp.js";
import * as solana from "./solana.js";

const families = {
  evm: {
    isAddress, canonical: checksummed, same: sameAddress, warn: () => [],
    unpayable: (address) => isZero(address) ? "It would pay to the zero address, from which nothing returns." : "",
    most: 2n ** 256n - 1n, // units that a payment can have
    calls: true, // contracts, by their ABI
    contract: "Its contract",
    costs: () => [],
    payment: ({ to, amount, token }) => token
      ? { to: checksummed(token.address), value: 0n, data: encodeCall("transfer", ["address", "uint256"], [to, amount]) }
      : { to, value: amount, data: "0x" },
    readTransaction, // of a server, for a wallet
  },
  solana: {
    isAddress: (text) => solana.bytesOf(text) !== null, canonical: (address) => address, same: (a, b) => a === b,
    unpayable: solana.unpayable, warn: solana.warn, most: 2n ** 64n - 1n, calls: false, contract: "Its mint",
    costs: ({ token }) => token ? [["May cost also", `the rent of an account for ${token.symbol}, about 0.002 SOL, where the receiver has none`]] : [],
    payment: (payment) => payment,
  },
};

export function familyOf(network) {
  const family = families[network.kind];
  if (!family) throw new Refusal(`This widget does not pay on ${network.title} yet.`);
  return family;
}

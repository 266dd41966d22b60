// Which wallets there are for a network. Each has a name, and connects, sends, waits and asks in its family's way.

import { isStandard, standardWallets } from "./standard.js";
import { injectedWallets } from "./wallet.js";

// walletsOf lists those of this browser; own is the one that the page gives, for whichever family it is.
export function walletsOf(network, own, options) {
  if (network.kind === "solana") return own && !isStandard(own) ? [] : standardWallets(own, options);
  return own && isStandard(own) ? [] : injectedWallets(own, options);
}

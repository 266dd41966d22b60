// The families whose transactions this page reads by itself, beside that of Ethereum: which addresses are theirs, the
// coin's smallest unit, and the most of it that a fee can be without an alarm. Paths are the tree's: above the top is the top.

import * as solana from "../../../chain/solana/page/solana.js";
import * as tron from "../../../chain/tron/page/tron.js";

const evm = { numbered: true, unit: "wei", highFee: 10n ** 17n, check() {}, checkSigned() {} };

// familyOf goes by the address of who signs.
export const familyOf = ({ signWith }) => [solana, tron].find(({ is }) => is(signWith)) ?? evm;

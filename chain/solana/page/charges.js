// Fee and rent of a payment on Solana, in lamports and dollars, held against each other and against the whole. The dollars
// are the signer's, who alone knows the price.

import { must } from "../../page/bytes.js";

// micros are dollars in millionths: the signer rounds each part up to one.
function micros(text) {
  if (text === undefined) return undefined;
  const [, whole, fraction = ""] = /^([0-9]{1,18})(?:\.([0-9]{1,6}))?$/.exec(text) ?? [];
  must(whole !== undefined, "the preview shows dollars that are no number");
  return BigInt(whole + fraction.padEnd(6, "0"));
}

// share is what payments are in lamports, and their dollars, which were rounded up once for each.
const share = (payments, micro = 0n) => ({ amount: payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n), micro, rounded: BigInt(payments.length) });

// samePrice tells whether two shares can be at one price: 10,000 lamports for $0.0015, say, and 2,100,000 for $0.315.
function samePrice(a, b) {
  for (const { amount, micro, rounded } of [a, b]) if (amount === 0n) return micro <= rounded;
  const below = (one, other) => (one.micro - one.rounded) * other.amount < other.micro * one.amount;
  return below(a, b) && below(b, a);
}

// checkCharges wants the rent of the effects that this page has found to be rent, and the dollars of fee and rent where
// those of the whole are there, at one price, and no more than the whole.
export function checkCharges({ effects = [], maxTotalFee, maxTotalFeeUsd, maxRent, maxRentUsd, costUsd }) {
  const [ofFee, ofRent, all] = [maxTotalFeeUsd, maxRentUsd, costUsd].map(micros);
  const [fee, rent] = [share([{ amount: maxTotalFee }], ofFee), share(effects.filter((effect) => effect.rent), ofRent)];
  must((maxRent ?? "0") === rent.amount.toString(), "the preview shows another rent than its payments have");
  must(all === undefined || ofFee !== undefined, "the preview shows what all of it costs, and not how much of that is the fee");
  must((ofRent !== undefined) === (ofFee !== undefined && rent.amount > 0n), "the preview shows the dollars of one of fee and rent");
  if (ofFee === undefined) return;
  must(samePrice(fee, rent), "the preview shows fee and rent at different prices");
  if (all === undefined) return;
  const rest = all - fee.micro - rent.micro;
  must(rest >= 0n, "the preview shows dollars of fee and rent that are more than all of it costs");
  const paid = effects.filter((effect) => !effect.rent);
  const coin = paid.every(({ kind, asset }) => kind === "transfer" && asset === "native");
  must(!coin || samePrice(fee, share(paid, rest)), "the preview shows the fee at another price than what is paid");
}

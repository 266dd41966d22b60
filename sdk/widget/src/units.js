// Amounts: whole units as people write them, the smallest units as chains count them.

// smallest reads a decimal exactly; null: it is none, is not above zero, or has more decimals than the coin.
export function smallest(text, decimals) {
  const parts = /^([0-9]{1,30})(?:\.([0-9]{1,36}))?$/.exec(text.trim());
  const fraction = (parts?.[2] ?? "").replace(/0+$/, "");
  if (!parts || fraction.length > decimals) return null;
  const amount = BigInt(parts[1] + fraction.padEnd(decimals, "0"));
  return amount > 0n ? amount : null;
}

// whole writes an amount of the smallest unit in the coin's own, with all its digits: 1234500000 of six is 1,234.50.
export function whole(amount, decimals) {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, "");
  const units = digits.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction ? `${units}.${fraction.padEnd(Math.min(2, decimals), "0")}` : units;
}

export const quantity = (n) => "0x" + n.toString(16);

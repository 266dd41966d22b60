// Text of others, made harmless to look at, and amounts and addresses made
// easy to. Every text of the page goes through visible.

// What is not seen, moves other text about, or passes for a separator: all of
// Unicode's "other" class (control, bidi, zero width, private, unassigned),
// spaces and line breaks other than the plain space, letters that show nothing,
// look-alikes of . , / : @ \ - and of the apostrophe, and the backslash itself,
// so that an escape cannot be forged.
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\\]|(?! )\p{Zs}/gu;
const separators = new RegExp("[" +
  "\u2024\u3002\uFE52\uFF0E\uFF61\u06D4\u0701\u0702" + // full stops
  "\u060C\u066B\u066C\u201A\u3001\uFE50\uFE51\uFF0C\uFF64" + // commas, decimal and thousands marks
  "\u1735\u2041\u2044\u2215\u2571\u27CB\u29F8\uFF0F\u3033" + // slashes
  "\u02D0\u02F8\u0589\u05C3\u0703\u0704\u2236\uA789\uFE13\uFE55\uFF1A" + // colons
  "\u2216\u29F5\u29F9\uFE68\uFF3C\uFE6B\uFF20" + // backslashes, at signs
  "\u02D7\u2010-\u2012\u2043\u2212\u2796\uFE58\uFE63\uFF0D" + // hyphens; dashes are seen for what they are
  "\u02B9-\u02BC\u02C8\u2032\u2035\uFF07\uFF40" + // apostrophes
"]", "gu");

const escaped = (c) => `\\u{${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}}`;

// Marks that enclose letters, and the fourth and later ones that pile up on one:
// they reach over the lines above and below.
const piled = (text) => text.replace(/\p{Me}/gu, escaped).replace(/(\p{Mn}{3})(\p{Mn}+)/gu, (_, three, more) => three + more.replace(/./gu, escaped));

export const visible = (text) => piled(String(text).replace(hidden, escaped).replace(separators, escaped));

// plain leaves ASCII alone, for what has no reason to hold anything else.
export const plain = (text) => visible(text).replace(/[^\x20-\x7e]/gu, escaped);

// foreign reports letters that could pass for others: а (Cyrillic) for a.
export const foreign = (text) => /[^\x20-\x7e]/u.test(visible(text));

// groups cuts an address or a hash into fours, 0x apart.
export const groups = (text) => String(text).match(/^0x|.{1,4}/gsu) ?? [];

// markedGroups are the groups of a text, each in parts [text, whether it is between the first and the last characters].
// 0x is not counted.
export function markedGroups(text, begins, ends) {
  const [head, tail] = [begins + (/^0x/.test(text) ? 2 : 0), String(text).length - ends];
  let at = 0;
  return groups(text).map((four) => {
    const cut = [head, tail].map((i) => Math.max(0, Math.min(four.length, i - at)));
    at += four.length;
    return [[four.slice(0, cut[0]), false], [four.slice(...cut), true], [four.slice(cut[1]), false]].filter(([part]) => part);
  });
}

// units writes an amount of the smallest unit in the asset's own: 25500000 of
// six decimals is 25.50. All digits stay.
export function units(amount, decimals = 0) {
  const digits = amount.padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  const whole = digits.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(cut).replace(/0+$/, "");
  return fraction ? `${whole}.${fraction.padEnd(2, "0")}` : whole;
}

// decimal makes a plain decimal easy to read: 1234.5 and 1234.500000 are 1,234.50. No digit that counts is lost.
export function decimal(text) {
  const [whole, digits = ""] = String(text).split(".");
  const fraction = digits.replace(/0+$/, "");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction ? "." + fraction.padEnd(2, "0") : "");
}

// usd writes a plain decimal of dollars: 1234.5 is $1,234.50.
export const usd = (text) => `$${decimal(text)}`;

// usdAtMost writes the most that something may cost in whole cents: $25.508421 is $25.51. It is rounded up, so that
// nothing costs more than it says.
export function usdAtMost(text) {
  const [whole, fraction = ""] = String(text).split(".");
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction)) return usd(text);
  const cents = BigInt(whole + fraction.slice(0, 2).padEnd(2, "0"));
  const more = /[1-9]/.test(fraction.slice(2));
  if (cents === 0n && more) return "less than $0.01";
  return usd(units(String(cents + (more ? 1n : 0n)), 2));
}

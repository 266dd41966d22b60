// Texts of others: which characters they may have, and which words pass for others.

// isVisible: each character is a letter, mark, digit, sign or plain space. None of them is a control, turns the line
// around, or has no width.
export const isVisible = (line) =>
  /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(line) && !/[\u2800]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/u.test(line);

// shown is a text that nobody has checked, such as a wallet's name: what cannot be seen becomes a space, and it is short.
export const shown = (text, most = 60) => {
  const clean = Array.from(String(text), (c) => isVisible(c) ? c : " ").join("").replace(/ +/g, " ").trim();
  return [...clean].length > most ? [...clean].slice(0, most).join("") + "…" : clean;
};

// Letters of other scripts, digits and signs that pass for Latin capitals.
const passFor = new Map(Object.entries({
  A: "АΑᎪ4", B: "ВΒᏴ8", C: "СϹᏟ", D: "ԀᎠ", E: "ЕΕᎬ3", H: "НΗᎻ", I: "ІΙӀ1L|", J: "ЈᎫ", K: "КΚᏦ", M: "МΜᎷ", N: "Ν",
  O: "ОΟՕ0", P: "РΡᏢ", Q: "Ԛ", S: "ЅՏᏚ5$", T: "ТΤᎢ7", U: "ՍԱ", V: "ѴᏙ", W: "ԜᎳ", X: "ХΧ", Y: "УΥҮ", Z: "ΖᏃ2",
}).flatMap(([latin, others]) => Array.from(others, (c) => [c, latin])));

// folded is how a symbol looks at a glance: USDС with a Cyrillic С, ＵＳＤＣ and usdc are all USDC.
export const folded = (text) => Array.from(
  text.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "").toUpperCase(),
  (c) => passFor.get(c) ?? c,
).join("");

// names reports whether a text has a symbol as a word, or what looks like it. Digits before and after do not count.
export const names = (text, symbol) =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").split(/[^\p{L}\p{M}\p{N}$|]+/u).some((word) =>
    [word, word.replace(/^[0-9]+|[0-9]+$/g, "")].some((part) => folded(part) === folded(symbol)));

// Check digits, to help who types. Whether an account is right, the server says.

const digits = (text) => [...text].map(Number);

const weighed = (text, weights) => digits(text).map((d, i) => d * weights[i % weights.length]);

const sum = (all) => all.reduce((a, b) => a + b, 0);

// compact leaves out what people write between groups of digits.
export const compact = (text) => text.replace(/[\s\p{Pd}]/gu, "");

// clabe: each digit by 3, 7, 1, and of each product the last digit.
export function clabe(text) {
  if (!/^\d{18}$/.test(text)) return "A CLABE has 18 digits.";
  const control = (10 - (sum(weighed(text.slice(0, 17), [3, 7, 1]).map((n) => n % 10)) % 10)) % 10;
  return control === Number(text[17]) ? "" : "The last digit does not fit the others. Is one of them mistyped?";
}

// routing: by 3, 7, 1, and all together a multiple of ten.
export function routing(text) {
  if (!/^\d{9}$/.test(text)) return "A routing number has 9 digits.";
  return sum(weighed(text, [3, 7, 1])) % 10 === 0 ? "" : "These digits do not fit each other. Is one of them mistyped?";
}

// iban: the country and the check digits go to the end, letters become numbers,
// and what is left of a division by 97 is 1.
export function iban(text) {
  const upper = text.toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(upper)) return "An IBAN begins with two letters and two digits, and has 15 to 34 characters.";
  const number = (upper.slice(4) + upper.slice(0, 4)).replace(/[A-Z]/g, (c) => String(c.charCodeAt(0) - 55));
  return BigInt(number) % 97n === 1n ? "" : "Its characters do not fit each other. Is one of them mistyped?";
}

// exactly is a number of so many digits.
export const exactly = (n, what) => (text) => (new RegExp(`^\\d{${n}}$`).test(text) ? "" : `${what} has ${n} digits.`);

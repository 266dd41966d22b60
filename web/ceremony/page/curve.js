// P-256 as far as WebCrypto leaves it to us: a compressed point made whole, and
// the public half of a private one.

import { fromHex, must } from "./bytes.js";

// y² = x³ - 3x + B modulo P; G has the order N.
const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const G = [
  0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
];

// decompress turns a compressed point (hex) into 4, X, Y, which is what every
// browser takes.
export function decompress(compressed) {
  must(/^0[23][0-9a-f]{64}$/.test(compressed), "a key is not a compressed P-256 key");
  const x = BigInt("0x" + compressed.slice(2));
  const square = mod(x ** 3n - 3n * x + B);
  let y = power(square, (P + 1n) / 4n);
  must(x < P && mod(y * y) === square, "a key is not a point of P-256");
  if (y % 2n !== BigInt(compressed[1] === "3")) y = P - y;
  return fromHex("04" + digits(x) + digits(y));
}

// compress is the other way: of x and y in hex.
export const compress = (x, y) => (parseInt(y.at(-1), 16) % 2 ? "03" : "02") + x;

// isScalar reports whether a number (hex) is a private key.
export const isScalar = (d) => BigInt("0x" + d) > 0n && BigInt("0x" + d) < N;

// publicOf gives x and y (hex) of a private key (hex): not every browser computes
// them where they are missing. Its time tells of the key; nobody here measures it.
export function publicOf(d) {
  let sum = null;
  for (const bit of BigInt("0x" + d).toString(2)) {
    sum = sum && add(sum, sum);
    if (bit === "1") sum = sum ? add(sum, G) : G;
  }
  return sum.map(digits);
}

// add adds two points whose sum is not zero: so it is for every multiple of G
// below N.
function add([x1, y1], [x2, y2]) {
  const slope = x1 === x2 ? mod((3n * x1 * x1 - 3n) * inverse(2n * y1)) : mod((y2 - y1) * inverse(x2 - x1));
  const x = mod(slope * slope - x1 - x2);
  return [x, mod(slope * (x1 - x) - y1)];
}

const digits = (n) => n.toString(16).padStart(64, "0");

const mod = (n) => ((n % P) + P) % P;

const inverse = (n) => power(mod(n), P - 2n);

function power(base, exponent) {
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

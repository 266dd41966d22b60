// Calls of contracts, encoded as Solidity's ABI says, for the types that the rules allow: numbers, addresses, booleans,
// fixed and free bytes, and texts. What is of another type is refused, not guessed.

import { checksummed, isAddress } from "./address.js";
import { hex, keccak256, utf8 } from "./keccak.js";
import { isSolidity } from "./values.js";

// Unfit is a value that is not of its type, or a type that is not encoded here.
export class Unfit extends Error {}

const word = (n) => n.toString(16).padStart(64, "0");
const padded = (digits) => digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");

const isDynamic = (type) => type === "string" || type === "bytes";

// encodeValue gives the hexadecimal digits of a value: one word, or for bytes and texts their length and themselves.
export function encodeValue(type, value) {
  if (!isSolidity(type)) throw new Unfit(`this widget does not write values of type ${type}`);
  const text = String(value);
  const number = /^(u?)int(\d*)$/.exec(type);
  if (number) return encodeInteger(number[1] === "u", Number(number[2] || 256), text);
  if (type === "address") {
    if (!isAddress(text)) throw new Unfit("must be an address: 0x and 40 hexadecimal digits");
    return word(BigInt(text));
  }
  if (type === "bool") {
    if (text !== "true" && text !== "false") throw new Unfit("must be yes or no");
    return word(text === "true" ? 1 : 0);
  }
  const digits = type === "string" ? hex(utf8(text)) : /^0x((?:[0-9a-fA-F]{2})*)$/.exec(text)?.[1];
  if (digits === undefined) throw new Unfit("must be bytes: 0x and pairs of hexadecimal digits");
  if (isDynamic(type)) return word(digits.length / 2) + padded(digits);
  if (digits.length !== 2 * Number(type.slice(5))) throw new Unfit(`must be ${type.slice(5)} bytes`);
  return padded(digits);
}

function encodeInteger(unsigned, bits, text) {
  if (bits % 8 !== 0 || bits > 256) throw new Unfit(`this widget knows no number of ${bits} bits`);
  if (!/^-?(0|[1-9][0-9]{0,77})$/.test(text)) throw new Unfit("must be a whole number");
  const n = BigInt(text);
  const [least, most] = unsigned ? [0n, (1n << BigInt(bits)) - 1n]
    : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n];
  if (n < least || n > most) throw new Unfit("is too large or too small");
  return word(BigInt.asUintN(256, n));
}

// encodeCall gives the data of a call.
export function encodeCall(name, types, values) {
  const encoded = types.map((type, i) => encodeValue(type, values[i]));
  let head = "";
  let tail = "";
  encoded.forEach((digits, i) => {
    if (!isDynamic(types[i])) return void (head += digits);
    head += word(types.length * 32 + tail.length / 2);
    tail += digits;
  });
  return selector(name, types) + head + tail;
}

// selector begins a call with "0x". uint is another word for uint256.
const selector = (name, types) => {
  const full = types.map((type) => /^u?int$/.test(type) ? type + "256" : type);
  return "0x" + hex(keccak256(utf8(`${name}(${full.join(",")})`)).slice(0, 4));
};

const known = [
  ["transfer", ["address", "uint256"]], ["approve", ["address", "uint256"]],
  ["transferFrom", ["address", "address", "uint256"]], ["increaseAllowance", ["address", "uint256"]],
];

// decodeToken reads a call of a token's own functions, where it is written as encoders write it; else it is null.
export function decodeToken(data) {
  for (const [name, types] of known) {
    if (!data.toLowerCase().startsWith(selector(name, types))) continue;
    const words = data.slice(10).toLowerCase().match(/.{64}/g) ?? [];
    if (data.length !== 10 + 64 * types.length) return null;
    const addresses = words.slice(0, -1);
    if (!addresses.every((one) => one.startsWith("0".repeat(24)))) return null;
    return { name, addresses: addresses.map((one) => checksummed("0x" + one.slice(24))), amount: BigInt("0x" + words.at(-1)) };
  }
  return null;
}

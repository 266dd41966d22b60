// Unsigned transactions, as servers of dynamic actions answer them: RLP of EIP-1559 (type 2) or of the older form.

import { checksummed } from "./address.js";
import { hex } from "./keccak.js";

// readTransaction gives { to, value, data, chainId } with big integers; null: it is no transaction that calls or pays
// somebody, or it is written in another way than encoders do.
export function readTransaction(text) {
  if (typeof text !== "string" || !/^0x([0-9a-fA-F]{2}){1,65536}$/.test(text)) return null;
  const bytes = Uint8Array.from(text.slice(2).match(/../g), (pair) => parseInt(pair, 16));
  try {
    return bytes[0] === 2 ? fromFields(list(bytes.subarray(1)), [0, 5, 6, 7], [9]) : fromFields(list(bytes), [6, 3, 4, 5], [9]);
  } catch {
    return null;
  }
}

function fromFields(fields, [chainId, to, value, data], lengths) {
  if (!lengths.includes(fields.length) || fields[to].length !== 20) return null;
  return {
    chainId: number(fields[chainId]), to: checksummed("0x" + hex(fields[to])), value: number(fields[value]),
    data: "0x" + hex(fields[data]),
  };
}

function number(bytes) {
  if (!(bytes instanceof Uint8Array) || bytes[0] === 0 || bytes.length > 32) throw new RangeError("no number");
  return BigInt("0x" + (hex(bytes) || "0"));
}

function list(bytes) {
  const [whole, end] = item(bytes, 0);
  if (!Array.isArray(whole) || end !== bytes.length) throw new RangeError("no list");
  return whole;
}

function item(bytes, at) {
  const first = bytes[at];
  if (first === undefined) throw new RangeError("cut short");
  if (first < 0x80) return [bytes.subarray(at, at + 1), at + 1];
  const isList = first >= 0xc0;
  const [begin, length] = lengthOf(bytes, at, first - (isList ? 0xc0 : 0x80));
  const end = begin + length;
  if (end > bytes.length) throw new RangeError("cut short");
  if (!isList) return [bytes.subarray(begin, end), end];
  const all = [];
  for (let next = begin; next < end;) {
    const [one, after] = item(bytes, next);
    all.push(one);
    next = after;
  }
  return [all, end];
}

function lengthOf(bytes, at, marker) {
  if (marker <= 55) return [at + 1, marker];
  const size = marker - 55;
  if (size > 3) throw new RangeError("too long");
  let length = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + size)) length = length * 256 + byte;
  return [at + 1 + size, length];
}

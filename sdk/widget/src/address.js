// Addresses of EVM networks.

import { hex, keccak256, utf8 } from "./keccak.js";

// checksummed writes an address in the mixed case of EIP-55.
export function checksummed(address) {
  const digits = address.slice(2).toLowerCase();
  const sum = hex(keccak256(utf8(digits)));
  return "0x" + Array.from(digits, (c, i) => parseInt(sum[i], 16) > 7 ? c.toUpperCase() : c).join("");
}

// isAddress takes an address in one case, or in the mixed case that is right for it.
export function isAddress(text) {
  if (typeof text !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(text)) return false;
  const digits = text.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || checksummed(text) === text;
}

export const sameAddress = (a, b) => a.toLowerCase() === b.toLowerCase();

export const isZero = (address) => /^0x0{40}$/.test(address);

// The vectors are made by the Go code for each run; node_test.go says where they are.
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto; // Node 18 has it under another name

export const vectors = JSON.parse(readFileSync(process.env.RAILKIT_VECTORS, "utf8"));

// copy is a deep copy with something changed.
export function copy(value, change = () => {}) {
  const made = structuredClone(value);
  change(made);
  return made;
}

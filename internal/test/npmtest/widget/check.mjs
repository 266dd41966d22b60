// Reads metadata of a mini app, one JSON text in a line, and says what the action kit's own validator has against each.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { createMetadata } = createRequire(import.meta.url)("@sherrylinks/sdk");

for await (const line of createInterface({ input: process.stdin })) {
  let problem = "";
  try {
    createMetadata(JSON.parse(line));
  } catch (error) {
    problem = String(error.message || error);
  }
  console.log(JSON.stringify({ problem }));
}

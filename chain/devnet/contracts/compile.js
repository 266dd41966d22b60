// node compile.js SandboxToken ...: compiles SandboxToken.sol and the others beside it, with what they import of the same
// folder, and prints for each, in a JSON object by its name, the text of SandboxToken.json: what the genesis block needs.
// With --write it writes these files instead.
// The result is checked in, so that building the node takes no Node and no npm.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const solc = require("solc");

const settings = {
  // Older than what the node runs on purpose: the code then runs on every public test chain too.
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  // No hash of the sources at the end of the code, so that a changed comment changes nothing.
  metadata: { appendCBOR: false, bytecodeHash: "none" },
};

const read = (file) => fs.readFileSync(path.join(__dirname, path.basename(file)), "utf8");

// One contract at a time: what stands in the same input may change how the compiler numbers things.
function compile(name) {
  const file = `${name}.sol`;
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { [file]: { content: read(file) } },
        settings: {
          ...settings,
          outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object", "storageLayout"] } },
        },
      }),
      { import: (file) => ({ contents: read(file) }) },
    ),
  );
  const problems = output.errors ?? [];
  if (problems.length > 0) {
    // Warnings too: what is checked in compiles without any.
    console.error(problems.map((p) => p.formattedMessage).join("\n"));
    process.exit(1);
  }
  const contract = output.contracts[file][name];
  return {
    contract: name,
    compiler: solc.version(),
    settings,
    runtime: "0x" + contract.evm.deployedBytecode.object,
    storage: contract.storageLayout.storage.map(({ label, slot, offset }) => ({ label, slot: Number(slot), offset })),
    abi: contract.abi,
  };
}

const write = process.argv.includes("--write");
const results = {};
for (const name of process.argv.slice(2).filter((name) => name !== "--write")) {
  const text = JSON.stringify(compile(name), null, 1) + "\n";
  if (write) fs.writeFileSync(path.join(__dirname, `${name}.json`), text);
  results[name] = text;
}
if (!write) console.log(JSON.stringify(results));

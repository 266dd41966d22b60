// Says of each of many metadata which member is wrong; "" is none. The test of the Go package compares.

import { readFileSync } from "node:fs";

import { read } from "../src/check.js";
import { sandbox } from "../src/networks.js";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => read(text, { networks: sandbox, local: true }).problem?.field ?? "")));

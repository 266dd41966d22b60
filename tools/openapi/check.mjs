// Checks the OpenAPI document as strangers' tools see it: a linter reads it, three generators make a TypeScript client
// of it, and the compiler compiles them. And the schema of widgets, which a strict validator has to take.
// Usage: node check.mjs DOCUMENT SCHEMA, in a folder with the packages installed.
import { createConfig, lint } from '@redocly/openapi-core';
import Ajv from 'ajv/dist/2020.js';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const document = resolve(process.argv[2]);

new Ajv.default({ strict: true }).compile(JSON.parse(readFileSync(process.argv[3])));

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'operation-4xx-response': 'off', // `default` is every refusal
    'no-path-trailing-slash': 'off', // GET /v1/ is the contract's own path
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
  },
});
// Two of the contract's own paths, of which the first names what is literal: no mini app has the id "skills".
const ofTheContract = '`/v1/action/skills/{id}` and `/v1/action/{id}/metadata`';
const problems = (await lint({ ref: document, config })).filter((p) => !p.message.includes(ofTheContract));
for (const p of problems) console.error(`${p.location[0]?.pointer ?? ''}: ${p.message} (${p.ruleId})`);
if (problems.length > 0) process.exit(1);

const run = (tool, ...args) => execFileSync(process.execPath, [`node_modules/${tool}`, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
rmSync('clients', { recursive: true, force: true });
run('openapi-typescript/bin/cli.js', document, '-o', 'clients/types.ts');
run('@hey-api/openapi-ts/bin/index.cjs', '-i', document, '-o', 'clients/sdk', '-c', '@hey-api/client-fetch');
run('orval/dist/bin/orval.js', '--input', document, '--output', 'clients/orval.ts', '--client', 'fetch');
writeFileSync('clients/tsconfig.json', JSON.stringify({
  compilerOptions: {
    strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext', moduleResolution: 'bundler', types: [],
  },
  include: ['types.ts', 'sdk', 'orval.ts'],
}));
run('typescript/bin/tsc', '-p', 'clients/tsconfig.json');

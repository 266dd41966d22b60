// Calls tools of an MCP server with @modelcontextprotocol/sdk as it comes. The first line in: {command, args, env} of a
// program, or {url, token}. Out: what the server says of itself and of its tools. Then for each {name, arguments} the
// result, with how many notices of progress came before it.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const at = JSON.parse((await lines.next()).value);
const transport = at.url
  ? new StreamableHTTPClientTransport(new URL(at.url), {
      requestInit: at.token ? { headers: { Authorization: `Bearer ${at.token}` } } : {},
    })
  : new StdioClientTransport({ command: at.command, args: at.args, env: at.env, stderr: "inherit" });
const client = new Client({ name: "host", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
say({ server: client.getServerVersion().name, instructions: client.getInstructions() ?? "", tools });
for await (const line of lines) {
  let progress = 0;
  const result = await client.callTool(JSON.parse(line), undefined, { onprogress: () => progress++, timeout: 60_000 });
  say({ ...result, progress });
}
await client.close();

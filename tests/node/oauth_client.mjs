// An official client logs in and calls tools: node oauth_client.mjs v1|v2 BASE USER
// It first asks for the core tools alone; the call of academic_search then asks for more. Prints JSON.

import { logIn } from "./browser.mjs";
import { LoginMemory } from "./login_memory.mjs";

const [version, base, user] = process.argv.slice(2);
const sdk = version === "v1" ? await loadFirst() : await loadSecond();
const memory = new LoginMemory();
let logins = 0;

const core = await connect("/mcp/core");
const listed = await core.listTools();
const found = await core.callTool({ name: "web_search", arguments: { query: "sleep and memory", num_results: 2 } });
const narrow = grantedScopes();
await core.close();

const wide = await connect("/mcp");
const asked = { name: "academic_search", arguments: { query: "sleep", num_results: 1 } };
const papers = await wide.callTool(asked).catch((error) => repeatAfterLogin(error, wide, () => wide.callTool(asked)));
console.log(JSON.stringify({
  logins,
  tools: listed.tools.map((tool) => tool.name),
  results: found.structuredContent?.results?.length ?? 0,
  papers: papers.structuredContent?.papers?.length ?? papers,
  narrow,
  scopes: grantedScopes(),
}));
await wide.close();
process.exit(0);

function grantedScopes() {
  return (memory.saved?.scope ?? "").split(" ").sort();
}

async function connect(path) {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const client = new sdk.Client({ name: "test", version: "1" }, sdk.options);
    const transport = new sdk.Transport(new URL(base + path), { authProvider: memory });
    try {
      await client.connect(transport);
      client.transportOfTest = transport;
      return client;
    } catch (error) {
      if (!(error instanceof sdk.UnauthorizedError)) throw error;
      await finish(transport);
    }
  }
  throw new Error("The login was not accepted.");
}

async function repeatAfterLogin(error, client, repeat) {
  if (!(error instanceof sdk.UnauthorizedError)) throw error;
  await finish(client.transportOfTest);
  return repeat();
}

async function finish(transport) {
  const callback = await logIn(memory.address, user);
  logins += 1;
  await transport.finishAuth(version === "v1" ? callback.searchParams.get("code") : callback.searchParams);
}

async function loadFirst() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { UnauthorizedError } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return { Client, Transport: StreamableHTTPClientTransport, UnauthorizedError, options: {} };
}

async function loadSecond() {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import("@modelcontextprotocol/client");
  return { Client, Transport: StreamableHTTPClientTransport, UnauthorizedError, options: { versionNegotiation: { mode: "auto" } } };
}

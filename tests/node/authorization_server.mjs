// A certified authorization server on loopback: node authorization_server.mjs ISSUER RESOURCE SCOPE...
// Anybody may log in under any name. It prints a line once it listens, and ends with its standard input.

import Provider, { errors } from "oidc-provider";

const [issuer, resource, ...scopes] = process.argv.slice(2);
const hour = 3600;

const provider = new Provider(issuer, {
  scopes: ["openid", "offline_access", ...scopes],
  clientDefaults: { token_endpoint_auth_method: "none", grant_types: ["authorization_code", "refresh_token"] },
  pkce: { required: () => true },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: hour, IdToken: 600, Interaction: 600, RefreshToken: hour, Session: hour },
  fetch: readClientDocument,
  findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget();
        return {
          scope: scopes.join(" "),
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        };
      },
    },
  },
});

// Documents of clients live at https addresses of the internet; here each is the same but for its address.
async function readClientDocument(address) {
  const document = {
    client_id: String(address),
    client_name: "test",
    redirect_uris: ["http://127.0.0.1:1/callback"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
  return new Response(JSON.stringify(document), { headers: { "content-type": "application/json" } });
}

// Clients register with the scopes of their first challenge, which would forbid them to ask for more later.
provider.use(async (ctx, next) => {
  if (ctx.method === "POST" && ctx.path === "/reg") {
    let text = "";
    for await (const part of ctx.req) text += part;
    const { scope, ...registered } = JSON.parse(text);
    ctx.req.body = registered;
  }
  await next();
});

const { hostname, port } = new URL(issuer);
provider.listen(Number(port), hostname, () => console.log("ready"));
process.stdin.on("end", () => process.exit(0)).resume();

// What an OAuth client of the official SDKs keeps between its steps, in memory.

export class LoginMemory {
  redirectUrl = "http://127.0.0.1:1/callback";
  clientMetadata = {
    client_name: "test",
    redirect_uris: ["http://127.0.0.1:1/callback"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
  clientInformation = () => this.client;
  saveClientInformation = (client) => { this.client = client; };
  tokens = () => this.saved;
  saveTokens = (tokens) => { this.saved = tokens; };
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => { this.verifier = verifier; };
  discoveryState = () => this.discovery;
  saveDiscoveryState = (state) => { this.discovery = state; };
  redirectToAuthorization = (address) => { this.address = address; };
}

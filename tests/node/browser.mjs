// A browser without a screen: logs in and consents at the authorization server, and returns the callback address.

export async function logIn(address, user) {
  const cookies = new Map();
  let response = await visit(address);
  for (let step = 0; step < 12; step += 1) {
    const location = response.headers.get("location");
    if (location) {
      const next = new URL(location, response.url);
      if (next.pathname === "/callback") return next;
      response = await visit(next);
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(page);
    const prompt = /name="prompt" value="(\w+)"/.exec(page);
    if (!action || !prompt) throw new Error(`No form at ${response.url} (${response.status}): ${page.slice(0, 300)}`);
    const form = new URLSearchParams({ prompt: prompt[1], login: user, password: "any" });
    response = await visit(new URL(action[1], response.url), { method: "POST", body: form });
  }
  throw new Error("The login did not end.");

  async function visit(url, options = {}) {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const found = await fetch(url, { ...options, headers: { cookie: header }, redirect: "manual" });
    for (const line of found.headers.getSetCookie()) {
      const [name, ...value] = line.split(";")[0].split("=");
      cookies.set(name, value.join("="));
    }
    Object.defineProperty(found, "url", { value: String(url) });
    return found;
  }
}

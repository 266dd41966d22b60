// The integrator's backend, which prepares a payment with its API key. The page never has that key.

import { Refusal } from "./errors.js";
import { fetchText } from "./load.js";
import { isLoopback } from "./values.js";

// handOver tells the backend what the user wants, and gives the link at which the user agrees. Cookies go along only
// where the backend is on the page's own origin.
export async function handOver(backend, { src, index, step, values }, options) {
  const text = await fetchText(backend, {
    signal: options.signal, most: 64 << 10, method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: src.href, action: index, ...(step && { step }), params: values }),
  });
  return linkOf(parsed(text), options);
}

// linkOf is the link in the answer of a prepare, with the envelope or without.
export const linkOf = (answer, { ceremonyOrigin, sandbox }) =>
  ceremonyLink(answer?.ceremonyUrl ?? answer?.data?.ceremonyUrl, ceremonyOrigin, sandbox);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

// ceremonyLink refuses a link to any other page than the one that asks for passkeys.
export function ceremonyLink(link, ceremonyOrigin, sandbox) {
  const url = typeof link === "string" && URL.canParse(link) ? new URL(link) : null;
  const safe = url?.protocol === "https:" || (sandbox && url?.protocol === "http:" && isLoopback(url.hostname));
  if (!safe || url.username || url.password || url.origin !== ceremonyOrigin) {
    throw new Refusal("The backend names another page than the one at which you agree. Nothing was opened.");
  }
  return url.href;
}

// ask asks a server of an action: JSON, or for GET a query. No cookies go along: the metadata choose the address, and the
// user has agreed to nothing there.
export async function ask(url, method, params, signal) {
  const init = { signal, most: 256 << 10, method };
  if (method === "GET") {
    for (const { name, value } of params) url.searchParams.set(name, value);
  } else {
    init.body = `{${params.map(({ name, value, type }) => `${JSON.stringify(name)}:${literal(value, type)}`).join()}}`;
    init.headers = { "Content-Type": "application/json" };
  }
  return parsed(await fetchText(url, init));
}

// literal writes a value in JSON by its type: numbers with all their digits.
function literal(value, type) {
  if (type === "number" && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value)) return value;
  if ((type === "boolean" || type === "bool") && /^(true|false)$/.test(value)) return value;
  return JSON.stringify(value);
}

const keyWords = /(api|secret|private|client)[-_]?key|secret|authorization|bearer|password|^rk_/i;

// holdsKey reports whether a page has put a key into an attribute, where every visitor reads it.
export const holdsKey = (attributes) => Array.from(attributes).some(({ name, value }) =>
  keyWords.test(name) || /\brk_[a-z]*_?[A-Za-z0-9_-]{20,}|(ApiKey|Bearer)\s|[?&](api_?key|key|token|secret)=|:\/\/[^/]*@/i.test(value));

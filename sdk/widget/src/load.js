// What a widget reads from servers before it shows anything, and how it judges that.

import { mostBytes, read } from "./check.js";
import { Refusal, Unreachable } from "./errors.js";
import { refuseLookAlikes } from "./plan.js";
import { isLoopback, urlOf } from "./values.js";

const patience = 10_000;
const mostPages = 20;
const mostList = 1 << 20;

// fetchText asks without the user's cookies, and follows no redirect: another host would answer than the one that was
// judged. It stops reading where an answer is too long.
export async function fetchText(url, { signal, most, ...init }) {
  const over = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    const answer = await fetch(url, {
      credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", ...init, signal: over,
    });
    if (!answer.ok) throw new Unreachable(`${url.host} answers with ${answer.status}.`);
    return await readCapped(answer, url, most);
  } catch (error) {
    if (signal.aborted || error instanceof Refusal || error instanceof Unreachable) throw error;
    throw new Unreachable(`${url.host} does not answer.`);
  }
}

async function readCapped(answer, url, most) {
  const parts = [];
  let length = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((length += value.length) > most) {
      reader.cancel();
      throw new Refusal(`What ${url.host} answers is too long.`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
  } catch {
    throw new Refusal(`What ${url.host} answers is no text.`);
  }
}

// address reads an attribute's URL, which may be relative to the page.
export function address(text, what, sandbox) {
  const url = URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : null;
  const local = sandbox && url?.protocol === "http:" && isLoopback(url.hostname);
  if (!url || !urlOf(url.href) || (url.protocol !== "https:" && !local)) {
    throw new Refusal(`The attribute ${what} of this widget is not an https address.`);
  }
  return url;
}

export async function fetchJSON(url, signal) {
  const text = await fetchText(url, { signal, most: mostList });
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreachable(`What ${url.host} answers is no JSON.`);
  }
}

// lists are those that widgets of this page have read within a minute, so that twelve widgets ask once.
const lists = new Map();

function shared(url, read) {
  const kept = lists.get(url.href);
  if (kept && Date.now() - kept.at < 60_000) return kept.promise;
  const promise = read(url, new AbortController().signal); // one that no single widget ends
  lists.set(url.href, { at: Date.now(), promise });
  promise.catch(() => lists.delete(url.href));
  return promise;
}

// loadHosts reads the whole directory: of each host whether it is trusted or denied. Denied wins.
async function loadHosts(directory, signal) {
  const hosts = new Map();
  let cursor = "";
  for (let page = 0; page < mostPages; page++) {
    const url = new URL(directory);
    url.searchParams.set("limit", "100");
    if (cursor) url.searchParams.set("cursor", cursor);
    const { data, meta } = await fetchJSON(url, signal);
    if (!Array.isArray(data)) throw new Unreachable(`${url.host} gives no directory.`);
    for (const { host, securityState } of data) {
      const name = hostOf("https://" + host);
      if (name && hosts.get(name) !== "denied") hosts.set(name, securityState === "trusted" ? "trusted" : "denied");
    }
    cursor = meta?.nextCursor;
    if (!cursor) return hosts;
  }
  throw new Unreachable("The directory is too long for this widget.");
}

const hostOf = (url) => URL.canParse(url) ? new URL(url).host : "";

// loadTokens reads the list of tokens: those that are listed beside what the component knows itself.
async function loadTokens(list, signal) {
  const { data } = await fetchJSON(list, signal);
  if (!Array.isArray(data)) throw new Unreachable("The list of tokens cannot be read.");
  return data.filter((t) => (Number.isSafeInteger(t?.chainId) || typeof t?.chain === "string") && /^0x[0-9a-fA-F]{40}$|^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(t.address) &&
    /^[A-Za-z0-9.]{1,16}$/.test(t.symbol) && Number.isInteger(t.decimals) && t.decimals >= 0 && t.decimals <= 36)
    .map(({ chainId, chain, address: at, symbol, decimals }) => ({ chainId, chain, address: at, symbol, decimals }));
}

// load gives the world of a widget: what is shown, and what it is judged by. listed is whether all hosts are trusted.
export async function load({ src, directory, tokenList, networks, sandbox, signal }) {
  const [text, hosts, tokens] = await Promise.all([
    fetchText(src, { signal, most: mostBytes }),
    directory ? shared(directory, loadHosts) : new Map(),
    tokenList ? shared(tokenList, loadTokens) : [],
  ]);
  const { metadata, problem } = read(text, { networks, local: sandbox });
  if (problem) throw new Refusal(`What ${src.host} says of it is not as it should be: ${problem.field} ${problem.constraint}.`);
  const named = [src.href, metadata.url, metadata.icon, metadata.baseUrl, ...paths(metadata.actions)].filter(Boolean);
  const denied = named.map(hostOf).find((host) => hosts.get(host) === "denied");
  if (denied) throw new Refusal(`The directory warns of ${denied}.`);
  const world = { metadata, networks, tokens, src };
  refuseLookAlikes(world);
  const unlisted = named.filter((url) => url !== metadata.icon).map(hostOf)
    .find((host) => hosts.get(host) !== "trusted" && (host !== directory?.host || host === hostOf(metadata.url)));
  return { ...world, unlisted, host: hostOf(metadata.url) };
}

// paths are the addresses that actions ask, where they are whole URLs.
const paths = (actions) => actions.flatMap((a) => [
  ...(a.path && !a.path.startsWith("/") ? [a.path] : []), ...paths(a.actions ?? []),
]);

// endpoint is where an action asks.
export const endpoint = (metadata, action) =>
  new URL(action.path.startsWith("/") ? metadata.baseUrl.replace(/\/$/, "") + action.path : action.path);

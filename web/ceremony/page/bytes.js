// Bytes, their spellings, and JSON with one meaning only.

import { must, NotVerified } from "../../../chain/page/bytes.js";
export { base58, fromHex, hex, must, NotVerified, sha256, utf8 } from "../../../chain/page/bytes.js";

export function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64url(text) {
  must(typeof text === "string" && /^[A-Za-z0-9_-]*$/.test(text), "something is not base64url");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  must(base64url(bytes) === text, "something is not base64url in its one spelling");
  return bytes;
}

// parseStrict reads JSON and refuses a name given twice, which JSON.parse lets
// the last one win: another reader might have taken the first.
export function parseStrict(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotVerified("something is not JSON");
  }
  const open = []; // of each open bracket the names so far
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g) ?? [];
  tokens.forEach((token, i) => {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (tokens[i + 1] === ":") {
      const names = open.at(-1);
      const name = JSON.parse(token);
      must(!names.has(name), "a name in the JSON is given twice");
      names.add(name);
    }
  });
  return value;
}

// only refuses an object with members that nobody here would look at.
export function only(object, what, names) {
  must(object !== null && typeof object === "object" && !Array.isArray(object), `${what} is not an object`);
  for (const name of Object.keys(object)) must(names.includes(name), `${what} has a member that this page does not know`);
  return object;
}

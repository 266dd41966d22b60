import assert from "node:assert/strict";
import test from "node:test";

import { press, refusal, serve, settled, shown } from "./screen.js";

const origin = "https://pay.example.com";
const bytes = new Uint8Array(8).buffer;
const credential = {
  rawId: bytes,
  response: { clientDataJSON: bytes, attestationObject: bytes, getAuthenticatorData: () => bytes },
};

const pin = { identityKey: `02${"a".repeat(64)}`, rpId: "example.com", environment: "sandbox" };
const now = new Date().toISOString();
const expiresAt = new Date(Date.now() + 60_000).toISOString();

// The server of a link that makes a passkey, and of the further link by which another one adds it.
const answers = {
  "/pin.json": () => [200, pin],
  "/open": ({ token }) => (token === "first"
    ? [200, {
      timestamp: now,
      data: { kind: "add", environment: "sandbox", expiresAt, register: { email: "ada@example.com", options: { rp: { id: "example.com" }, challenge: "AQ" } } },
    }]
    : refusal(410, "ceremony_over", "cancelled")),
  "/finish": () => [200, { timestamp: now, data: { ceremonyUrl: `${origin}/#second`, expiresAt } }],
  "/return": ({ token }) => [200, { data: { origin: "https://shop.example.com", url: `https://shop.example.com/?of=${token}` } }],
};

test("the way back is that of the link that the page has gone on with", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] }); // or Node would wait for the end of the link
  const left = [];
  Object.defineProperty(globalThis, "navigator", { value: { credentials: { create: async () => credential } }, configurable: true });
  globalThis.location = { hash: "#first", origin, pathname: "/", assign: (to) => left.push(to) };
  serve((path, body) => answers[path](body));
  await import("../page/main.js");
  await settled();
  await press("Create passkey");
  await press("Add it with a passkey on this device");
  assert.match(shown(), /It was cancelled/);
  await press("Back to https://shop.example.com");
  assert.deepEqual(left, ["https://shop.example.com/?of=second"]);
});

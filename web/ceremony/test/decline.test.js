import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { press, refusal, serve, shown, state } from "./screen.js";

const { readyToAdd } = await import("../page/add.js");
const { readyToAsk } = await import("../page/lost.js");

mock.timers.enable({ apis: ["setTimeout"] }); // or Node would wait for the end of each link

const pin = { rpId: "example.com" };
const opened = {
  now: "2026-01-01T00:00:00Z", expiresAt: "2026-01-01T00:02:00Z", recover: { email: "ada@example.com" },
  register: { email: "ada@example.com", options: { rp: { id: "example.com" } } },
};

// declined declines a link of which the server answers so.
async function declined(answer) {
  serve(() => answer);
  readyToAsk(pin, "token", opened);
  await press("Decline");
  await press("Decline");
}

test("a decline without an answer says nothing of a passkey, and can be sent again", async () => {
  for (const answer of [null, refusal(503, "unavailable"), refusal(429, "rate_limited")]) {
    await declined(answer);
    assert.equal(state(), "down");
    assert.match(shown(), /not known whether this is declined/);
    assert.doesNotMatch(shown(), /passkey|signed/);
    await press("Try again");
    assert.match(shown(), /not known whether this is declined/, "the second time");
    serve(() => [200, { success: true, data: { status: "declined" } }]);
    await press("Try again");
    assert.match(shown(), /You have declined/);
  }
});

test("a decline that is refused says what became of the link, and nothing of a passkey of the reader", async () => {
  for (const [reason, want] of [
    ["tried", /It cannot be declined any more/], ["cancelled", /It was cancelled/], ["decided", /It was decided already/], ["finished", /This link is over/],
  ]) {
    await declined(refusal(410, "ceremony_over", reason));
    assert.equal(state(), "over", reason);
    assert.match(shown(), want);
    assert.doesNotMatch(shown(), /[Yy]our passkey/, reason);
  }
  await declined(refusal(410, "ceremony_over", "expired"));
  assert.equal(state(), "expired");
  await declined(refusal(403, "forbidden"));
  assert.match(shown(), /this was not declined/);
  assert.doesNotMatch(shown(), /passkey|signed/);
  await declined([200, { success: true, data: { status: "done" } }]);
  assert.match(shown(), /does not say that this is declined/);
});

test("the way back from declining leaves a link the time that it has", async () => {
  for (const ready of [readyToAdd, readyToAsk]) {
    ready(pin, "token", opened);
    mock.timers.tick(100_000);
    await press("Decline");
    await press("Back");
    assert.equal(state(), "ready");
    mock.timers.tick(19_000);
    assert.equal(state(), "ready");
    mock.timers.tick(2_000);
    assert.equal(state(), "expired", ready.name);
  }
});

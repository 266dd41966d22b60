// A recovery is asked for. The mail that comes of it is of use in this browser only.

import { declinable } from "./decline.js";
import { ask, expireAt } from "./flow.js";
import { finishCeremony } from "./open.js";
import { actions, emailName, field, note, rowsOf, say, serverWords, show, when } from "./render.js";
import { newTarget } from "./target.js";

export function readyToAsk(pin, token, opened) {
  offer(pin, token, opened);
  expireAt(opened.now, opened.expiresAt);
}

function offer(pin, token, opened) {
  const { email } = opened.recover;
  show("ready", "Recover your account",
    note("plain", "A passkey that is lost can be replaced. It takes a mail to your address and your recovery code."),
    rowsOf([["E-mail", emailName(email)], ["Website", pin.rpId]]),
    serverWords(opened),
    note("plain", "Your addresses stay the same. The new passkey can sign after a delay, in which every other passkey of yours can stop it."),
    actions("Send the mail", () => ask("Making a key for this browser.", async () => {
      const targetPublicKey = await newTarget();
      return () => sent(token, email, targetPublicKey);
    })),
    declinable({ token, title: "recover your account" }, () => offer(pin, token, opened)));
  say("Nothing changes yet.");
}

async function sent(token, email, targetPublicKey) {
  const { expiresAt, now } = await finishCeremony(token, { targetPublicKey });
  const link = field("Or paste the link here", { autocapitalize: "off" });
  show("ready", "Look into your mailbox",
    note("plain", "If there is something to recover for ", emailName(email), ", a mail with a link is on its way."),
    rowsOf([["Open the link", "in this browser: it works in no other"], ["The link works until", when(expiresAt)]]),
    link,
    actions("Go on", () => follow(link.value())));
  say("Keep this page open until the mail has come.");
  expireAt(now, expiresAt);
}

// follow goes to a link of the mail on this page, which has the key.
function follow(text) {
  const [, fragment] = text.trim().match(/#([A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]+)$/) ?? [];
  if (!fragment) return say("That is not the link of the mail. Copy it whole.");
  dispatchEvent(new CustomEvent("follow", { detail: fragment }));
}

// Declining, in place of a stamp. It takes no passkey: it only makes sure that nothing happens.

import { must } from "./bytes.js";
import { send } from "./flow.js";
import { finishCeremony } from "./open.js";
import { actions, field, note, quietly, say, show } from "./render.js";

// declinable is the quiet button below the one that names the act. Back shows what was there.
export const declinable = (it, back) => quietly("Decline", () => offerDecline(it, back));

function offerDecline({ token, title, vote }, back) {
  const reason = field("Reason, if you want to give one", { maxlength: "500" });
  show("ready", `Decline: ${title}`,
    note("plain", vote ? "This is your word alone: the request goes on waiting for the votes of others." : "It is cancelled, and who wants it has to ask again."),
    reason,
    note("plain aside", "Who asked for it is told that this link was declined, with your reason. Nobody can tell from it who you are."),
    actions("Decline", () => send(() => finish(token, vote, reason.value()), "decline"), true),
    quietly("Back", back));
  say("Your passkey is not needed for this.");
}

async function finish(token, vote, reason) {
  const answer = await finishCeremony(token, { decline: { reason } });
  must(answer.status === "declined", "the answer does not say that it was declined");
  show("done", "You have declined",
    note("plain", vote ? "The server says that your vote is not counted. You can close this page." : "The server says that it will not be done. You can close this page."));
}

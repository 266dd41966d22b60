// How a ceremony ends without being done. Each says what happened, what it
// means, and what to do.

import { NotVerified } from "./bytes.js";
import { ServerError } from "./open.js";
import { actions, note, show } from "./render.js";

// What the page knows depends on what it has sent: nothing yet, what the passkey gave, or that the link is declined.
// Of a decline it does not say that nothing was signed: whoever has the link too may have signed.
const known = {
  nothing: {
    silent: "The server does not answer. Nothing was signed.", again: "Try again", refused: "Nothing was signed.",
    odd: "What the server shows is not what the signer says. Nothing was signed, and this page goes no further.",
  },
  stamp: {
    silent: "Your passkey has signed, but the server’s answer did not come. Send it again: it is never done twice.", again: "Send again",
    refused: "It says that this was not done.",
    odd: "What came back is not what the signer would say. It may have been done, or something else. Do not repeat it.",
  },
  decline: {
    silent: "The server’s answer did not come, so it is not known whether this is declined. Try again: to decline it twice does no harm.", again: "Try again",
    refused: "It says that this was not declined.",
    odd: "What came back does not say that this is declined. Look what became of it where you got this link.",
  },
};

// failed ends with what an error means. Whatever is not understood counts as
// not verified. Sent is what the page has sent: a name of known.
export function failed(error, retry, sent = "nothing") {
  if (!(error instanceof ServerError)) return notVerified(error, known[sent]);
  if (error.passing) return down(retry, known[sent]);
  if (sent === "stamp") return deniedLate(error);
  if (error.code === "ceremony_unknown") return wrongLink();
  if (error.code.endsWith("_expired") || error.reason === "expired") return expired();
  if (error.status === 410) return over(error.reason);
  denied(error, known[sent]);
}

export function wrongLink() {
  end("unknown", "This link does not work", "It is not complete, or not known here. Open the link that you were given once more, or ask for a new one.");
}

export function expired() {
  end("expired", "The time is up", "Nothing was signed. Ask for a new link where you got this one.");
}

function over(reason) {
  if (reason === "declined") return end("over", "It was declined", "Nothing was signed, and this link does nothing any more.");
  if (reason === "tried") return end("over", "It cannot be declined any more", "A passkey was handed in on this link. Look what came of it where you got the link.");
  if (reason === "cancelled") return end("over", "It was cancelled", "Nothing was signed, and this link does nothing any more.");
  if (reason === "decided") return end("over", "It was decided already", "Others were faster, and your word is not needed any more. Look what came of it where you got this link.");
  end("over", "This link is over", "It was used, and what it was for is done. Nothing is done twice.");
}

function down(retry, { silent, again }) {
  show("down", "No answer", note("plain", silent), actions(again, retry));
}

function denied(error, { refused }, ...further) {
  show("denied", "The server refuses", note("bad", refused), reason(error), ...further);
}

// After the passkey has signed, a no is only what the server says.
function deniedLate(error) {
  if (error.status === 410 && error.reason === "finished") {
    return end("over", "It was done already", "The server says that another answer to this link came first. Nothing is done twice. Look what came of it.");
  }
  denied(error, known.stamp,
    note("plain", "Your passkey has signed it, and until its time is up it could still be done, once. Look before you do it again."));
}

const reason = (error) => note("plain", error.message ? `Its reason: “${error.message.slice(0, longest)}”` : "It gives no reason.");

// longest is how much room a server gets for words of its own.
const longest = 200;

function notVerified(error, { odd }) {
  const detail = error instanceof NotVerified ? error.message : `the page met what it did not expect (${error?.name})`;
  show("unverified", "Not verified", note("bad", odd), note("plain", `What is wrong: ${detail}.`),
    note("plain", "Contact the operator by a way that you know, not by one that this page or its link gave you."));
}

export function end(state, title, told) {
  show(state, title, note("plain", told));
}

// The page: open the link, take the account, say what became of it.

import { newForm } from "./form.js";
import { ServerError, openInvite, rejected, submitAccount } from "./server.js";
import { button, el, named, note, say, show, state } from "./view.js";

const token = location.hash.slice(1);

// The token leaves the address bar and the history at once.
history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload()); // another link in the same tab

async function start() {
  if (!token) return wrongLink();
  show("loading", "One moment", note("plain", "The page asks what this link is for."));
  try {
    ready(await openInvite(token));
  } catch (error) {
    failed(error, start);
  }
}

function ready(opened) {
  const view = newForm(opened, (account) => send(view, opened, account));
  asks(view, opened);
}

function asks(view, opened) {
  show("ready", "Where should your money go?",
    note("plain", named(opened.businessName), " wants to pay ", named(opened.recipientName), ". Enter the bank account that the money should go to."),
    view.form,
    note("aside", "Only ", named(opened.businessName), " and its bank partner get these details. This link works once, until ", when(opened.expiresAt), "."));
}

// send hands the account in. What the server finds wrong is shown in the form;
// where no answer came, the very same can be sent again: it counts once.
async function send(view, opened, account) {
  state("sending", "Sending the account.");
  view.busy(true);
  try {
    settled(view, opened, account, await submitAccount(token, account), 0);
  } catch (error) {
    view.busy(false);
    refused(view, opened, account, error);
  }
}

function refused(view, opened, account, error) {
  if (!(error instanceof ServerError) || error.passing) {
    return failed(error, () => { restore(view, opened); send(view, opened, account); });
  }
  if ([404, 410].includes(error.status)) return failed(error);
  state("ready", "The account was not taken.");
  if (error.wrong) return view.refuse(error.wrong.name, sentence(error.wrong.constraint));
  view.refuse("", sentence(error.message || "The account was not taken"));
}

// restore puts the form back, with all that was typed, and says why.
function restore(view, opened, why) {
  view.busy(false);
  asks(view, opened);
  if (why) view.refuse("", sentence(why));
}

// longest is how often the page asks again by itself how the bank decided.
const longest = 10;

function settled(view, opened, account, given, asked) {
  if (given.status === "rejected") return restore(view, opened, rejected);
  const where = note("plain", "Account ending in ", el("strong", {}, given.lastFour), ".");
  if (given.status === "active") {
    return show("done", "Your account is set up", note("good", "Done. ", named(opened.businessName), " can pay you to it."), where,
      note("plain", "You can close this page. The link does not work again."));
  }
  show("pending", "Waiting for the bank", note("plain", "Your details have arrived, and there is nothing more for you to do. The bank partner still looks at the account."), where,
    note("plain", "You can close this page."));
  if (asked < longest) setTimeout(() => again(view, opened, account, asked + 1), Math.min(2 ** asked, 30) * 1000);
}

// again asks how the bank decided: the same account sent again is no second one.
async function again(view, opened, account, asked) {
  try {
    settled(view, opened, account, await submitAccount(token, account), asked);
  } catch (error) {
    if (error instanceof ServerError && error.wrong) return restore(view, opened, error.wrong.constraint);
    if (error instanceof ServerError && error.passing) return say("The page could not ask how the bank decided. Your details have arrived.");
    failed(error);
  }
}

// failed says what an error means, and what to do.
function failed(error, retry) {
  if (!(error instanceof ServerError)) return end("error", "Something went wrong", "The page met what it did not expect. Open the link again.");
  if (error.passing) {
    const told = error.status === 429 ? "There were too many requests. Wait a minute." : "The server does not answer just now. Nothing is lost, and nothing is done twice.";
    return show("error", "That did not work", note("plain", told), retry && button("Try again", retry));
  }
  if (error.status === 410 && error.reason === "used") return end("used", "This link was used", "An account was entered with it. If that was not you, tell whoever sent you the link.");
  if (error.status === 410 && error.reason === "expired") return end("expired", "This link has expired", "Ask whoever sent it to you for a new one.");
  if (error.status === 410) return end("over", "This link does not work any more", "There may be a newer one. Ask whoever sent it to you.");
  if (error.status === 404) return wrongLink();
  end("error", "The server refuses", "It does not take accounts by this link now. Ask whoever sent it to you.");
}

function wrongLink() {
  end("unknown", "This link does not work", "It is not complete, or not known here. Open the link that you were given once more, or ask for a new one.");
}

const end = (name, title, told) => show(name, title, note("plain", told));

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

const when = (iso) => new Date(iso).toLocaleString([], { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" });

start(); // last: all that it needs is there

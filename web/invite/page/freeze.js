// The page of the link that members are mailed when a bank account changes. It
// shows the changes and can do one thing: freeze an account, at the press of a
// button. Opening it changes nothing: programs that look through mail open links.

import { freezeAccount, openAlert } from "./server.js";
import { button, el, named, note, say, show } from "./view.js";

const token = location.hash.slice(1);

// The token leaves the address bar and the history at once.
history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload());

const happened = {
  added: "was added", changed: "was changed", archived: "was archived", restored: "was brought back from the archive",
  confirmed: "was confirmed: it is paid from now on", unfrozen: "was unfrozen",
  return_address: "refunds will go to this address", return_confirmed: "refunds go to this address from now on",
};

async function start() {
  if (!token) return failed({ status: 404 });
  show("loading", "One moment", note("plain", "The page asks what this link is for."));
  try {
    ready(await openAlert(token));
  } catch (error) {
    failed(error);
  }
}

function ready(opened) {
  if (!opened.changes.length) return show("done", "Nothing to freeze", note("plain", "The accounts of this mail are not there any more."));
  const seen = new Set(); // one button for each account, at its newest change
  show("ready", "Bank accounts have changed",
    note("plain", "These accounts are paid by ", named(opened.businessName), ". Freeze one that you do not know of: nothing is paid to it until a member unfreezes it."),
    opened.changes.map((c) => change(c, seen.size === seen.add(c.accountId).size)));
}

function change(c, again) {
  return el("section", { class: "field" },
    el("p", {}, named(c.recipientName), `, ${c.currency.toUpperCase()} account ending in `, el("strong", {}, c.lastFour), ": ",
      happened[c.change] ?? c.change, c.detail ? ` (${c.detail})` : ""),
    el("p", {}, el("small", {}, `${when(c.at)}, by ${c.by}, from ${c.remoteIp || "an unknown address"}`)),
    !again && state(c));
}

function state(c) {
  if (c.frozen) return note("good", "This account is frozen.");
  if (c.used) return note("plain", "This link has frozen the account once, and a member has unfrozen it.");
  return button(`Freeze the account ending in ${c.lastFour}`, (event) => freeze(c, event.target));
}

async function freeze(c, pressed) {
  pressed.disabled = true;
  say("Freezing the account.");
  try {
    await freezeAccount(token, c.accountId);
    ready(await openAlert(token));
    say("The account is frozen.");
  } catch (error) {
    pressed.disabled = false;
    say(error.passing ? "The server did not answer. The account may not be frozen: try again." : "");
    if (!error.passing) failed(error);
  }
}

function failed(error) {
  if (error.status === 404) {
    return show("unknown", "This link does not work", note("plain", "It is not complete, or older than 7 days. Look at the account in the dashboard, or ask an admin of the workspace."));
  }
  show("error", "The server did not answer", note("bad", "Nothing is frozen by this page yet."), button("Try again", start));
}

const when = (iso) => new Date(iso).toLocaleString([], {
  day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

start(); // last: all that it needs is there

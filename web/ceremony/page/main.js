// The page: open the link, and go where it leads.

import { readyToAdd } from "./add.js";
import { offerBack } from "./back.js";
import { must } from "./bytes.js";
import { failed, wrongLink } from "./ends.js";
import { memory, open } from "./flow.js";
import { readyToAsk } from "./lost.js";
import { fetchPin } from "./open.js";
import { readyToRecover } from "./recover.js";
import { readyToRegister } from "./register.js";
import { actions, endings, environment, note, say, show } from "./render.js";
import { readyToStamp } from "./stamp.js";

const pages = { register: readyToRegister, add: readyToAdd, lost: readyToAsk, recover: readyToRecover };

// What stands behind a dot is for this page alone: a mail's half of a recovery.
let [token, bundle] = location.hash.slice(1).split(".");

// The token leaves the address bar and the history at once.
history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload()); // another link in the same tab
addEventListener("follow", ({ detail }) => {
  [token, bundle] = detail.split(".");
  start();
});
addEventListener("further", ({ detail }) => { token = detail; }); // a link that this page has made goes on where its own has ended
endings.addEventListener("end", () => offerBack(token));

start();

async function start() {
  if (token === "") return wrongLink();
  show("loading", "One moment", note("plain", "The page checks what you are asked to sign."), actions("Checking", null));
  say("Loading.");
  try {
    must(globalThis.crypto?.subtle && navigator.credentials, "this browser has no passkeys here: the page needs HTTPS, and a browser of these years");
    const pin = checkPin(await fetchPin());
    memory.meet(pin.identityKey);
    environment(pin.environment);
    const opened = await open(pin, token);
    must(opened.environment === pin.environment, "the server is of another environment than this page");
    await (pages[opened.kind] ?? readyToStamp)(pin, token, opened, bundle);
  } catch (error) {
    failed(error, start);
  }
}

function checkPin(pin) {
  must(/^0[23][0-9a-f]{64}$/.test(pin.identityKey) && pin.rpId && pin.environment, "the page does not say which signer it belongs to");
  return pin;
}

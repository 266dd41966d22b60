// The way back: once a link has ended, a button leads to the website that made it. The server
// says where; nothing in the address of this page does.

import { leaveCeremony } from "./open.js";
import { actions } from "./render.js";

// offerBack adds the button, where there is a way back. Where the server does not answer there is none: the page
// says what was done, and can be closed.
export async function offerBack(token) {
  const page = document.getElementById("page");
  const end = page.firstChild; // the heading of what is shown: another view has another
  const to = backTo(await leaveCeremony(token).catch(() => null));
  if (to && page.firstChild === end) page.append(actions(`Back to ${to.origin}`, () => location.assign(to.href)));
}

// backTo is an address that the page may lead to: on the very origin that the button names, and that a browser reads as
// it is written. Anything else is none.
export function backTo(answer) {
  const { origin, url } = answer ?? {};
  if (typeof url !== "string" || typeof origin !== "string" || !URL.canParse(url)) return null;
  const to = new URL(url);
  const secure = to.protocol === "https:" || (to.protocol === "http:" && to.hostname === "localhost");
  const plain = to.username === "" && to.password === "" && (url === origin || /^[/?]/.test(url.slice(origin.length)));
  return secure && plain && to.origin === origin && url.startsWith(origin) ? to : null;
}

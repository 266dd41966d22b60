// A recovery code is shown, once.

import { copyText, el, actions, note, say, show, small } from "./render.js";
import { plain } from "./text.js";

// showCode shows a code until its owner has saved it, and then goes on.
export function showCode(code, email, website, done) {
  addEventListener("beforeunload", unsaved);
  const saved = () => {
    removeEventListener("beforeunload", unsaved);
    done();
  };
  show("code", "Save your recovery code",
    note("plain", "If your passkey is lost, this code and a mail to your address bring back what it signs for."),
    el("code", { class: "recovery", "aria-label": "Recovery code" }, code.split("-").map((four) => el("span", {}, four))),
    el("div", { class: "beside" }, small("Copy", () => copyText(code)), small("Download", () => download(code, email, website))),
    note("warning", "It is shown this once, and nobody can make another copy. Keep it where nobody else reads it, and not in your mailbox."),
    actions("I have saved it", saved));
  say("The passkey is ready. Save the code before you close this page.");
}

// unsaved has the browser ask before it closes the page.
const unsaved = (event) => event.preventDefault();

// download saves the code as a file. It is made here: nothing is sent.
function download(code, email, website) {
  const text = `Recovery code\n\n${code}\n\nE-mail: ${plain(email)}\nWebsite: ${plain(website)}\n\n` +
    "If your passkey is lost, this code and a mail to your address bring back what it\n" +
    "signs for. Keep it where nobody else reads it. Nobody can make another copy.\n";
  const link = el("a", { download: "recovery-code.txt", href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a browser may still be reading it
  say("Saved as recovery-code.txt, where your downloads are.");
}

// A further passkey is made here, and added by one that is there already: on this
// page or, by a second link, on another device.

import { must } from "./bytes.js";
import { declinable } from "./decline.js";
import { ask, expireAt, open } from "./flow.js";
import { finishCeremony } from "./open.js";
import { createPasskey } from "./passkey.js";
import { actions, copyText, el, emailName, note, rowsOf, say, serverWords, show, small } from "./render.js";
import { failed } from "./ends.js";
import { readyToStamp } from "./stamp.js";

export function readyToAdd(pin, token, opened) {
  const { register, expiresAt, now } = opened;
  must(register.options.rp?.id === pin.rpId, "the passkey would be for another website than the signer is set up for");
  offer(pin, token, opened);
  expireAt(now, expiresAt);
}

function offer(pin, token, opened) {
  const { email, options } = opened.register;
  const create = () => ask("Your device asks you to create a passkey.", async () => {
    const made = await createPasskey(options, pin.rpId, email);
    return () => added(pin, token, email, made);
  });
  show("ready", "Create a further passkey",
    note("plain", "First the passkey is made on this device. Then one that can sign already, here or on another device, adds it."),
    rowsOf([["E-mail", emailName(email)], ["Website", pin.rpId]]),
    serverWords(opened),
    actions("Create passkey", create),
    declinable({ token, title: "create a further passkey" }, () => offer(pin, token, opened)));
  say("It can do nothing until it is added.");
}

// added shows the new passkey, and the link by which another one adds it.
async function added(pin, token, email, made) {
  const { ceremonyUrl, expiresAt, now } = await finishCeremony(token, { attestation: made.attestation });
  const link = new URL(ceremonyUrl);
  must(link.origin === location.origin && link.hash.length > 1, "the link to add the passkey leads to another page");
  const further = link.hash.slice(1);
  dispatchEvent(new CustomEvent("further", { detail: further }));
  show("ready", "Now add it",
    note("plain", "The new passkey is made. A passkey that can sign already has to add it."),
    rowsOf([["E-mail", emailName(email)], ["Id of the new passkey", el("code", {}, made.attestation.credentialId)]]),
    actions("Add it with a passkey on this device", () => here(pin, further, made)),
    note("plain aside", "Is that passkey on another device? Open this link there, and compare the id.", small("Copy the link", () => copyText(ceremonyUrl))));
  expireAt(now, expiresAt);
}

// here goes on on this page, which knows the passkey that is to be added.
async function here(pin, token, made) {
  try {
    await readyToStamp(pin, token, await open(pin, token), made);
  } catch (error) {
    failed(error, () => here(pin, token, made));
  }
}

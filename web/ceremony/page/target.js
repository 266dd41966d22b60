// The target key of a recovery: whoever reads the mail cannot open what is in it,
// because that takes a key which never leaves the browser that asked. It is not
// extractable, and kept for a day.

import { fromHex, hex } from "./bytes.js";
import { compress } from "./curve.js";
import { open } from "./hpke.js";

const day = 24 * 60 * 60 * 1000;
const lost = []; // where the browser keeps nothing, the page itself does

// newTarget makes a key, keeps it, and gives its public half (compressed, hex).
export async function newTarget() {
  const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
  const publicKey = hex(new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)));
  const target = { publicKey, privateKey: pair.privateKey, at: Date.now() };
  lost.push(target);
  try {
    await stored("readwrite", (kept) => kept.put(target));
  } catch {
    // Then the link has to be pasted into this page.
  }
  return compress(publicKey.slice(2, 66), publicKey.slice(66));
}

// openBundle opens what was mailed, with whichever of the keys it is for.
export async function openBundle(bundle, info) {
  for (const { publicKey, privateKey } of [...lost, ...(await kept())]) {
    try {
      return await open({ publicKey: fromHex(publicKey), privateKey }, info, bundle);
    } catch {
      // It is for another key.
    }
  }
  return null;
}

async function kept() {
  try {
    const all = await stored("readonly", (keys) => keys.getAll());
    const old = all.filter((target) => Date.now() - target.at > day);
    for (const { publicKey } of old) await stored("readwrite", (keys) => keys.delete(publicKey));
    return all.filter((target) => !old.includes(target));
  } catch {
    return [];
  }
}

// stored does one thing with the browser's store of keys.
async function stored(mode, act) {
  const opening = indexedDB.open("railkit", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("targets", { keyPath: "publicKey" });
  const db = await done(opening);
  try {
    return await done(act(db.transaction("targets", mode).objectStore("targets")));
  } finally {
    db.close();
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

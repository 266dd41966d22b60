// The page as a reader has it before him: what stands on it, the buttons to press, and a server that answers as a test
// tells it to.

import { html, text } from "./dom.js";

class Screen extends Node {
  constructor(id) {
    super("div");
    this.id = id;
  }

  get firstChild() {
    return this.nodes[0];
  }

  replaceChildren(...nodes) {
    this.nodes = [];
    this.append(...nodes);
  }

  querySelectorAll() {
    return buttons(this);
  }
}

Node.prototype.focus = () => {};

const parts = Object.fromEntries(["page", "status", "more", "environment"].map((id) => [id, new Screen(id)]));
const heard = new EventTarget();

Object.assign(document, { getElementById: (id) => parts[id] });
Object.assign(globalThis, {
  window: {}, scrollTo() {}, history: { replaceState() {} },
  addEventListener: heard.addEventListener.bind(heard), dispatchEvent: heard.dispatchEvent.bind(heard),
});

const buttons = (node) => (node instanceof Node ? [...(node.name === "button" ? [node] : []), ...node.nodes.flatMap(buttons)] : []);

export const shown = () => text(parts.page.nodes);
export const state = () => parts.page.dataset.state;

// press presses a button, and waits until the page has done what comes of it.
export async function press(label) {
  const button = buttons(parts.page).find((b) => b.textContent === label);
  if (!button) throw new Error(`no button ${label} on ${html(parts.page.nodes)}`);
  button.listeners.click();
  await settled();
}

// settled waits for what the page does without a passkey or a server of its own: each answer of a test is there at once.
export const settled = () => new Promise((resolve) => { setImmediate(() => setImmediate(() => setImmediate(resolve))); });

// serve has the server answer: answer is given the path and the body of each call, and gives status and body; null: it
// does not answer.
export function serve(answer) {
  globalThis.fetch = async (path, { body }) => {
    const [status, json] = answer(path, body && JSON.parse(body)) ?? [];
    if (!status) throw new TypeError("fetch failed");
    return { ok: status < 400, status, json: async () => json };
  };
}

export const refusal = (status, error, reason) => [status, { success: false, error, message: "In the server's words.", details: { reason } }];

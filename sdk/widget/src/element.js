// <railkit-widget>: reads its attributes, loads what it shows, and shows it or says why not.

import { Acts } from "./acts.js";
import { holdsKey } from "./backend.js";
import { address, load } from "./load.js";
import * as environments from "./networks.js";
import { Refusal, Unreachable } from "./errors.js";
import { styleSheet } from "./style.js";
import { el, icon, note, quote } from "./view.js";

const watched = ["src", "backend", "directory", "tokens", "blocks", "ceremony-origin", "sandbox", "allow-unlisted", "handover"];

export class RailkitWidget extends HTMLElement {
  static observedAttributes = watched;

  // wallet is a provider of EIP-1193, or a wallet of the Wallet Standard, that the page gives; without one those of the
  // browser are offered.
  wallet = null;

  #root = this.attachShadow({ mode: "open" });
  #card = el("section", { class: "card", "aria-busy": "true" });
  #head = el("div");
  #body = el("div");
  #status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  #running = null; // ends what was begun for the attributes as they were
  #due = false;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [styleSheet()];
    this.#card.append(this.#head, this.#body, this.#status);
    this.#root.append(this.#card);
  }

  connectedCallback() { this.#soon(); }

  disconnectedCallback() { this.#running?.abort(); }

  attributeChangedCallback() { this.#soon(); }

  // reload begins anew, as after a change of an attribute.
  reload() { this.#soon(); }

  // state is what the widget is at: loading, ready, review, paying, sent, done, failed, refused, unlisted, unreachable.
  get state() { return this.dataset.state ?? "loading"; }

  // #soon begins once, however many attributes change at a time.
  #soon() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (this.isConnected) this.#begin();
    });
  }

  async #begin() {
    this.#running?.abort();
    const running = this.#running = new AbortController();
    this.#show("loading", [el("h2", {}, "One moment")], []);
    this.#say("The widget loads.");
    try {
      const options = this.#options(running.signal);
      const world = await load(options);
      if (running.signal.aborted) return;
      if (world.unlisted && !options.allowUnlisted) return this.#unlisted(world);
      this.#ready(world, options);
    } catch (error) {
      if (!running.signal.aborted) this.#fail(error);
    }
  }

  #options(signal) {
    if (holdsKey(this.attributes)) throw new Refusal("This page holds a key that every visitor can read. Tell whoever runs the page.");
    const sandbox = this.hasAttribute("sandbox");
    const url = (name) => this.hasAttribute(name) ? address(this.getAttribute(name), name, sandbox) : null;
    const directory = url("directory");
    if (!this.getAttribute("src")) throw new Refusal("This widget has no attribute src.");
    return {
      src: url("src"), backend: url("backend"), directory, signal, sandbox,
      tokenList: url("tokens") ?? (directory && new URL("tokens/all/usdc", directory)),
      blocks: url("blocks") ?? (directory && new URL("blocks/recent", directory)),
      networks: sandbox ? environments.sandbox : environments.production,
      ceremonyOrigin: url("ceremony-origin")?.origin, handover: this.hasAttribute("handover"),
      allowUnlisted: this.hasAttribute("allow-unlisted"),
    };
  }

  #ready(world, options) {
    const { metadata } = world;
    const listed = world.unlisted
      ? el("span", { class: "no" }, "not in the directory") : el("span", { class: "ok" }, "in the directory");
    const acts = new Acts(world, options, {
      show: (state, ...nodes) => this.#enter(state, nodes), say: (text, wrong) => this.#say(text, wrong),
      tell: (name, detail) => this.#tell(name, detail), wallet: () => this.wallet,
    });
    this.#show("ready", [
      el("header", {}, icon(metadata.icon, metadata.title), el("div", {},
        el("h2", { id: "title", tabindex: "-1" }, quote(metadata.title)),
        el("p", { class: "host" }, quote(world.host), " · ", listed))),
      el("p", { class: "about", dir: "auto" }, metadata.description),
    ], []);
    this.#say("");
    acts.begin();
  }

  #unlisted({ unlisted }) {
    this.#show("unlisted", this.#stopHead("Not in the directory", "?", "warn"), [
      note("warn", "Nobody in the directory of this page vouches for ", quote(unlisted), ". So this widget offers no button."),
    ]);
    this.#say("");
  }

  #fail(error) {
    if (error instanceof Unreachable) {
      const again = el("button", { type: "button", class: "second", click: () => this.reload() }, "Try again");
      this.#show("unreachable", this.#stopHead("This did not load", "…", "warn"), [note("", error.message), el("div", { class: "buttons" }, again)]);
    } else {
      const told = error instanceof Refusal ? error.message : "The widget met what it did not expect.";
      this.#show("refused", this.#stopHead("This widget is refused", "!"), [note("bad", told)]);
      this.#card.classList.add("stop");
      this.#tell("refused", { reason: told });
    }
    this.#say("");
  }

  #stopHead(title, mark, kind = "bad") {
    return [el("header", {}, el("span", { class: "icon letter " + kind, "aria-hidden": "true" }, mark), el("div", {}, el("h2", { id: "title", tabindex: "-1" }, title)))];
  }

  #show(state, head, body) {
    this.#card.classList.remove("stop");
    this.#card.setAttribute("aria-labelledby", "title");
    this.#head.replaceChildren(...head);
    this.#enter(state, body);
  }

  // #enter puts the part below the head into a state, and tells the page.
  #enter(state, nodes) {
    this.#body.replaceChildren(...nodes);
    this.#card.setAttribute("aria-busy", String(["loading", "preparing", "paying", "sent"].includes(state)));
    if (this.dataset.state === state) return;
    this.dataset.state = state;
    this.#tell("state", { state });
  }

  #say(text, wrong = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("wrong", wrong);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent("railkit-" + name, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("railkit-widget")) customElements.define("railkit-widget", RailkitWidget);

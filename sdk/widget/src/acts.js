// The buttons of a widget, from the first click to the receipt. What would be sent is always shown first.

import { ask, handOver, linkOf } from "./backend.js";
import { Invalid, Refusal, Unreachable, WalletError } from "./errors.js";
import { nextStep } from "./flow.js";
import { newForm } from "./form.js";
import { familyOf } from "./families.js";
import { endpoint } from "./load.js";
import { describeCall, listedToken, makePlan, networkText } from "./plan.js";
import { isVisible } from "./text.js";
import { networkNamed } from "./values.js";
import { el, fours, note, quote, rows } from "./view.js";
import { walletsOf } from "./wallets.js";

// paramsOf are the values of an action that were given, each with its type.
const paramsOf = (action, values) => (action.params ?? []).filter((p) => (values[p.name] ?? "") !== "")
  .map((p) => ({ name: p.name, value: values[p.name], type: p.type }));

// readsServers reports whether a server's transaction can be shown for what it does, before a wallet gets it.
const readsServers = (network) => Boolean(familyOf(network).readTransaction);

// askToken asks the chain, by a wallet, what a token is that is on no list.
function askToken(wallet, ...token) {
  if (!wallet) throw new Refusal("The token is on no list, and there is no wallet to ask about it.");
  return wallet.askToken(...token);
}

// ends are what a transaction may come to that does nothing.
const ends = {
  failed: "The network has refused it. What was to be sent is still yours, but for the fee.",
  expired: "No block took it in time, and none takes it any more: nothing was sent. Look in your wallet whether it tried again, before you pay again.",
};

export class Acts {
  // page shows states and tells the page of events: { show, say, tell, wallet }.
  constructor(world, options, page) {
    Object.assign(this, { world, options, page });
    this.flow = null; // { index, action, step, answers } while a flow goes on
  }

  // begin shows all buttons.
  begin() {
    this.flow = null;
    this.offer(this.world.metadata.actions.map((action, index) =>
      action.type === "flow" ? this.opener(action, index) : this.formOf(action, index).form));
  }

  // offer shows forms, and keeps them with what is typed for who comes back.
  offer(forms) {
    this.offered = forms;
    this.page.show("ready", ...forms);
  }

  // opener begins a flow.
  opener(action, index) {
    const start = () => {
      this.flow = { index, action, answers: {} };
      this.step(action.initialActionId);
    };
    return el("div", { class: "action" }, action.description && el("p", { class: "plain", dir: "auto" }, action.description),
      el("button", { type: "button", click: start }, quote(action.label)));
  }

  // formOf is the form of a button, whose values go where its type says.
  formOf(action, index) {
    const view = newForm(action, this.networkOf(action), this.coinOf(action), (values) => this.submit(action, index, values, view));
    return view;
  }

  networkOf(action) { return action.chains ? networkNamed(this.world.networks, action.chains.source) : null; }

  wallets(network) { return walletsOf(network, this.page.wallet(), this.options); }

  // coinOf is what an amount is counted in, where that is known yet.
  coinOf(action) {
    const network = this.networkOf(action);
    if (!network || action.type !== "transfer") return null;
    return action.token ? listedToken(network, this.world.tokens, action.token) : network.native;
  }

  async submit(action, index, values, view) {
    view.busy(true);
    this.page.say("");
    try {
      if (action.type === "decision") return this.decided(action, values);
      if (action.type === "http") return await this.request(action, values);
      this.page.say("One moment.");
      const plan = await this.plan(action, values);
      this.page.say("");
      this.review({ action, index, values, plan, view });
    } catch (error) {
      this.explain(error, view);
    } finally {
      view.busy(false);
    }
  }

  plan(action, values) {
    const network = this.networkOf(action);
    const [first] = this.wallets(network);
    if (action.type !== "dynamic") return makePlan(this.world, action, values, (...token) => askToken(first, ...token));
    return first && readsServers(network) && !this.options.ceremonyOrigin ? this.planDynamic(action, values, first) : this.planUnknown(action, values);
  }

  // planUnknown is a dynamic action before its server was asked: what is sent is known there, and later to whoever agrees.
  planUnknown(action, values) {
    const network = this.networkOf(action);
    const labels = new Map((action.params ?? []).map((p) => [p.name, p.label]));
    return {
      network, headline: `Ask ${endpoint(this.world.metadata, action).host} for a transaction`,
      unknown: true, warnings: ["What is sent is not known here yet. You see it before you agree."],
      rows: [...Object.entries(values).map(([name, value]) => [labels.get(name), value]), ["Network", networkText(network)]],
    };
  }

  // planDynamic asks the server of a dynamic action for its transaction, which has to be of the network that was named.
  async planDynamic(action, values, wallet) {
    const network = this.networkOf(action);
    this.page.say("Look at your wallet: it asks which account you use.");
    const account = await wallet.connect(network);
    const url = endpoint(this.world.metadata, action);
    const answer = await ask(url, "POST", [...paramsOf(action, values), { name: "account", value: account }], this.options.signal);
    const transaction = familyOf(network).readTransaction(answer.serializedTransaction);
    if (!transaction) throw new Refusal(`${url.host} answers with no transaction that this widget can read.`);
    if (transaction.chainId !== BigInt(network.chainId)) throw new Refusal(`${url.host} answers with a transaction of another network.`);
    return describeCall(this.world, network, transaction);
  }

  // request asks the server of an http action. No wallet is asked, and nothing is shown of the answer but a text.
  async request(action, values) {
    const url = endpoint(this.world.metadata, action);
    this.page.say(`Asking ${url.host}.`);
    const answer = await ask(url, action.method || "GET", paramsOf(action, values), this.options.signal);
    const told = typeof answer.message === "string" && answer.message.length <= 300 && isVisible(answer.message) ? answer.message : "";
    this.page.say("");
    this.finish(action, values, [note("good", told ? quote(told) : `${url.host} has taken it.`)]);
  }

  // explain says what went wrong where the user is, and what to do.
  explain(error, view) {
    if (error instanceof Invalid && view.refuse(error.field, error.message)) return this.page.say("");
    const known = [Invalid, Refusal, Unreachable, WalletError].some((kind) => error instanceof kind);
    this.page.say(known ? error.message : "The widget met what it did not expect.", true);
    if (error instanceof Refusal) this.page.tell("refused", { reason: error.message });
  }

  // review shows in words what would be sent, and the ways to send it.
  review(order) {
    const { plan } = order;
    const heading = el("h3", { tabindex: "-1" }, quote(plan.headline));
    const ways = this.ways(order);
    const back = el("button", { type: "button", class: "second", click: () => this.back(order.view) }, "Back");
    this.page.show("review", el("div", { class: "review" }, heading, rows(plan.rows), plan.warnings.map((text) => note("warn", text)),
      ways.length === 0 && note("", this.noWay(plan)), el("div", { class: "buttons" }, ways, back)));
    heading.focus();
  }

  noWay(plan) {
    if (plan.crossing) return "This page has not said who carries a payment to another network.";
    if (plan.unknown && !readsServers(plan.network)) return `On ${plan.network.title} a wallet is asked for payments only, and this page names no backend.`;
    return `There is no wallet for ${plan.network.title} in this browser, and this page names no backend. Install a wallet, and load the page again.`;
  }

  // ways are the buttons by which a plan is sent.
  ways(order) {
    const button = (label, act) => el("button", { type: "button", click: (event) => this.run(event.target, order, act) }, label);
    const verb = order.plan.headline.startsWith("Send ") ? "Pay with " : "Agree with ";
    const all = [];
    if (order.plan.transaction) {
      for (const wallet of this.wallets(order.plan.network)) all.push(button([verb, quote(wallet.name)], () => this.pay(order, wallet)));
    }
    if (order.plan.unknown && readsServers(order.plan.network)) {
      for (const wallet of this.wallets(order.plan.network)) all.push(button([verb, quote(wallet.name)], () => this.reviewDynamic(order, wallet)));
    }
    if (this.options.backend || (order.plan.unknown && this.options.ceremonyOrigin)) {
      all.push(button([verb, "your passkey"], () => this.passkey(order)));
    }
    if (this.options.handover) all.push(button("Hand over to this page", () => this.handOver(order)));
    return all;
  }

  // run keeps a button from being pressed twice, and brings it back where nothing was sent.
  async run(pressed, order, act) {
    const buttons = [...pressed.closest(".buttons").querySelectorAll("button")];
    for (const one of buttons) one.disabled = true;
    try {
      await act();
    } catch (error) {
      this.explain(error, { refuse: () => false });
      for (const one of buttons) one.disabled = false;
      pressed.closest("button").focus();
    }
  }

  async pay(order, wallet) {
    this.page.say("Look at your wallet: it asks you to agree.");
    const { network } = order.plan;
    const sent = await wallet.send(order.plan);
    const { hash } = sent;
    const told = { hash, chainId: network.chainId, network: network.slug };
    this.page.tell("sent", told);
    const where = this.hashNote(network, hash);
    this.page.show("sent", note("", "It is sent. The network has not confirmed it yet."), where);
    this.page.say("Waiting for the network.");
    const fate = await wallet.confirmed(sent, network);
    if (this.options.signal.aborted) return;
    this.page.say(fate === null ? "Your wallet does not say whether it is confirmed. Look there before you pay again." : "", true);
    if (fate === null) return;
    this.page.tell(fate === "confirmed" ? fate : "failed", told);
    if (fate !== "confirmed") return this.end("failed", [note("bad", ends[fate]), where]);
    this.finish(order.action, order.values, [note("good", `Done: ${order.plan.headline}.`), where]);
  }

  hashNote(network, hash) {
    const page = network.explorer?.startsWith("https://") && network.explorer.replace("%s", hash);
    return el("div", { class: "note" }, el("span", { class: "plain" }, "Transaction"), fours(hash),
      page && el("a", { class: "link", href: page, target: "_blank", rel: "noopener noreferrer" }, "See it in the explorer"));
  }

  // reviewDynamic shows the transaction that a dynamic action's server makes for a wallet.
  async reviewDynamic(order, wallet) {
    const plan = await this.planDynamic(order.action, order.values, wallet);
    this.page.say("");
    this.review({ ...order, plan });
  }

  // prepared is the link at which the user agrees, of the page's own backend or of a dynamic action's server.
  async prepared({ action, index, values }) {
    const { backend, signal } = this.options;
    if (backend) {
      this.page.say(`Asking ${backend.host} to prepare it.`);
      return handOver(backend, { src: this.world.src, index, step: this.flow?.step, values }, this.options);
    }
    const url = endpoint(this.world.metadata, action);
    this.page.say(`Asking ${url.host} to prepare it.`);
    return linkOf(await ask(url, "POST", paramsOf(action, values), signal), this.options);
  }

  // passkey has a server prepare the payment, and leads to the page where the user agrees.
  async passkey(order) {
    const { plan, view } = order;
    const link = await this.prepared(order);
    this.page.say("");
    const open = el("a", { class: "main", href: link, target: "_blank", rel: "noopener noreferrer" }, "Continue at the passkey page");
    this.page.show("handed", el("div", { class: "review" }, el("h3", { tabindex: "-1" }, quote(plan.headline)),
      note("", "A page of ", quote(new URL(link).host), " opens and shows once more what is sent. Your passkey agrees to it there. This page never sees it."),
      el("div", { class: "buttons" }, open, el("button", { type: "button", class: "second", click: () => this.back(view) }, "Back"))));
    open.focus();
    this.page.tell("handed", { origin: new URL(link).origin });
  }

  // handOver leaves the rest to the page around the widget.
  handOver({ action, index, values }) {
    this.page.tell("handover", { metadata: this.world.src.href, index, type: action.type, params: values });
    this.finish(action, values, [note("good", "The page around this widget goes on with it.")]);
  }

  back(view) {
    this.page.say("");
    this.offer(this.offered);
    view.focus();
  }

  // finish ends a button, or goes on in its flow.
  finish(action, values, nodes) {
    if (!this.flow) return this.end("done", nodes);
    Object.assign(this.flow.answers, values);
    const next = nextStep(action, this.flow.answers);
    if (!next) return this.end("done", nodes);
    this.step(next, nodes);
  }

  // end shows how it ended, and gives the focus to what can be done next.
  end(state, nodes) {
    const again = el("button", { type: "button", class: "second", click: () => this.begin() }, "Back to the start");
    this.page.show(state, ...nodes, el("div", { class: "buttons" }, again));
    again.focus();
  }

  decided(action, values) {
    const option = action.options[Number(values.choice)];
    this.flow.answers[action.id] = option.value;
    const next = option.nextActionId || nextStep(action, this.flow.answers);
    if (next) return this.step(next);
    this.end("done", [note("", "That is all.")]);
  }

  // step shows a step of the flow, below what the one before it came to.
  step(id, before = []) {
    const { action: flow, index } = this.flow;
    const action = flow.actions.find((one) => one.id === id);
    this.flow.step = id;
    if (action.type === "completion") {
      const kind = { success: "good", error: "bad", info: "" }[action.status];
      return this.end("done", [...before, el("p", { class: "note about " + kind, dir: "auto" }, action.message)]);
    }
    const { form } = this.formOf(action, index);
    this.offer([...before, form]);
    form.querySelector("input, select, textarea, button").focus();
  }
}

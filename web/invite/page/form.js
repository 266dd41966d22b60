// The form: one currency's fields at a time, each with what is wrong beside it.

import { compact } from "./check.js";
import { currencies } from "./fields.js";
import { el } from "./view.js";

// newForm makes the form. send is called with the account once it is sent off.
export function newForm(opened, send) {
  const offered = opened.currencies.filter((c) => currencies[c]);
  let current = offered.includes(opened.suggestedCurrency) ? opened.suggestedCurrency : offered[0];
  let inputs = [];
  const place = el("div", {});
  const alert = el("p", { class: "note bad", role: "alert", tabindex: "-1", hidden: true });
  const submit = el("button", { type: "submit" }, "Send the account");

  function choose(currency) {
    current = currency;
    inputs = currencies[currency].fields.map((f) => (f.choices ? choiceOf(f) : inputOf(f)));
    place.replaceChildren(...inputs.map((i) => i.node));
    tell("");
  }

  function tell(text) {
    alert.textContent = text;
    alert.hidden = !text;
  }

  // account is what the form holds, without what was left empty.
  function account() {
    const pairs = inputs.map((i) => [i.name, i.value()]).filter(([, value]) => value);
    return { currency: current, ...Object.fromEntries(pairs) };
  }

  // refuse shows what is wrong: beside the field, or above all of them.
  function refuse(name, text) {
    const at = inputs.find((i) => i.name === name);
    if (at) return at.refuse(text);
    tell(text);
    alert.focus();
  }

  function onsubmit(event) {
    event.preventDefault();
    tell("");
    inputs.forEach((i) => i.clear());
    const empty = inputs.find((i) => !i.optional && !i.value());
    if (empty) return empty.refuse(`${empty.label} is needed.`);
    send(account());
  }

  choose(current);
  const form = el("form", { novalidate: true, autocomplete: "off", onsubmit }, alert,
    choiceOfCurrency(offered, current, choose), place, el("div", { class: "actions" }, submit));
  const busy = (yes) => {
    form.querySelectorAll("input, select, button").forEach((node) => { node.disabled = yes; });
    submit.textContent = yes ? "Sending" : "Send the account";
  };
  return { form, busy, refuse };
}

function choiceOfCurrency(offered, current, choose) {
  const select = el("select", { id: "currency", name: "currency", onchange: () => choose(select.value) },
    offered.map((c) => el("option", { value: c, selected: c === current }, currencies[c].label)));
  return el("div", { class: "field" }, el("label", { for: "currency" }, "Where the account is"), select);
}

function inputOf(f) {
  const wrong = el("p", { class: "wrong", id: `${f.name}-wrong` });
  const input = el("input", {
    id: f.name, name: f.name, type: "text", inputmode: f.inputmode, maxlength: f.max, autocomplete: "off", spellcheck: "false",
    autocapitalize: f.capitals ? "characters" : "off", "aria-required": f.optional ? false : "true",
    "aria-describedby": `${f.hint ? `${f.name}-hint ` : ""}${f.name}-wrong`,
  });
  const value = () => (f.spaced ? compact(input.value) : input.value.trim());
  const set = (text, refused) => {
    wrong.textContent = text;
    wrong.classList.toggle("hint", Boolean(text) && !refused);
    if (refused) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  // Help only: who is sure of the number may send it.
  input.addEventListener("change", () => set(value() && f.check ? f.check(value()) : "", false));
  input.addEventListener("input", () => set("", false)); // now, not at the click that follows
  const label = el("label", { for: f.name }, f.label, f.optional && el("span", { class: "optional" }, " (optional)"));
  return {
    name: f.name, label: f.label, optional: f.optional, value,
    node: el("div", { class: "field" }, label, f.hint && el("small", { id: `${f.name}-hint` }, f.hint), input, wrong),
    clear: () => set("", false),
    refuse: (text) => { set(text, true); input.focus(); },
  };
}

function choiceOf(f) {
  const wrong = el("p", { class: "wrong", id: `${f.name}-wrong` });
  const radios = Object.keys(f.choices).map((value) => el("input", { type: "radio", name: f.name, id: `${f.name}-${value}`, value }));
  const node = el("fieldset", { class: "field", "aria-describedby": `${f.name}-wrong` }, el("legend", {}, f.label),
    radios.map((radio) => el("label", { class: "choice", for: radio.id }, radio, el("span", {}, f.choices[radio.value]))), wrong);
  return {
    name: f.name, label: f.label, optional: f.optional, node,
    value: () => radios.find((r) => r.checked)?.value ?? "",
    clear: () => { wrong.textContent = ""; },
    refuse: (text) => { wrong.textContent = text; radios[0].focus(); },
  };
}

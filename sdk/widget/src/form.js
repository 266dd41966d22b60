// The fields of a button: what the user says before anything is sent.

import { Unfit, encodeValue } from "./abi.js";
import { familyOf } from "./families.js";
import { textValue } from "./json.js";
import { smallest } from "./units.js";
import { isSolidity, urlOf } from "./values.js";
import { el, quote } from "./view.js";

let made = 0; // so that every field of a shadow tree has an id of its own

// newForm gives { form, refuse, busy, focus }; submit gets the values, all as texts. An action of no network has none.
export function newForm(action, network, coin, submit) {
  const fields = fieldsOf(action, network, coin);
  const button = el("button", { type: "submit", class: "main" }, quote(action.label));
  const form = el("form", { novalidate: true, class: "action", submit: onSubmit },
    action.description && el("p", { class: "plain", dir: "auto" }, action.description), fields.map((f) => f.node), button);
  function onSubmit(event) {
    event.preventDefault();
    const wrong = fields.filter((field) => !field.check());
    if (wrong.length > 0) return wrong[0].focus();
    submit({ ...fixedValues(action), ...Object.fromEntries(fields.map((f) => [f.name, f.value()])) });
  }
  return {
    form,
    refuse(name, message) {
      const field = fields.find((one) => one.name === name);
      field?.refuse(message);
      field?.focus();
      return Boolean(field);
    },
    busy(is) { button.disabled = is; },
    focus() { button.focus(); },
  };
}

function fieldsOf(action, network, coin) {
  if (action.type === "transfer") {
    return action.amount ? [] : [newField({ name: "amount", type: "amount", label: "Amount", required: true, coin })];
  }
  if (action.type === "decision") {
    return [newField({ name: "choice", type: "radio", label: action.title, required: true,
      options: action.options.map((o, i) => ({ ...o, value: String(i) })) })];
  }
  const needed = action.type === "blockchain";
  return (action.params ?? []).filter((p) => !p.fixed)
    .map((p) => newField({ ...p, network, required: p.required || (needed && p.type !== "string") }));
}

// fixedValues are those that the user cannot change.
const fixedValues = (action) =>
  Object.fromEntries((action.params ?? []).filter((p) => p.fixed).map((p) => [p.name, textValue(p.value)]));

function newField(spec) {
  const id = `f${++made}`;
  const wrong = el("p", { class: "wrong", id: id + "-wrong" });
  const helped = Boolean(spec.description || hint(spec));
  const help = helped && el("small", { id: id + "-help", dir: "auto" }, [spec.description, hint(spec)].filter(Boolean).join(" "));
  const described = [helped && id + "-help", id + "-wrong"].filter(Boolean).join(" ");
  const input = inputOf(spec, id, described);
  const field = {
    name: spec.name, node: wrap(spec, id, input, help, wrong), value: input.value, focus: () => input.first.focus(),
    refuse(message) {
      wrong.textContent = message ? `${spec.label}: ${message}.` : "";
      for (const node of input.all) message ? node.setAttribute("aria-invalid", "true") : node.removeAttribute("aria-invalid");
    },
    check() {
      const message = problem(spec, input.value());
      field.refuse(message);
      return !message;
    },
  };
  for (const node of input.all) node.addEventListener("input", () => field.refuse(""));
  return field;
}

function wrap(spec, id, input, help, wrong) {
  const optional = !spec.required && !isFlag(spec) && el("span", { class: "optional" }, " optional");
  if (spec.type === "radio") {
    return el("fieldset", { class: "field", "aria-describedby": id + "-wrong" }, el("legend", {}, quote(spec.label), optional), help, input.node, wrong);
  }
  if (isFlag(spec)) return el("div", { class: "field" }, el("label", { class: "choice", for: id }, input.node, quote(spec.label)), help, wrong);
  const unit = spec.coin && el("span", { class: "unit", "aria-hidden": "true" }, spec.coin.symbol);
  return el("div", { class: "field" },
    el("label", { for: id }, quote(spec.label), spec.coin && el("span", { class: "hidden" }, ` in ${spec.coin.symbol}`), optional),
    el("div", { class: "box" }, input.node, unit), help, wrong);
}

const isFlag = (spec) => spec.type === "boolean" || spec.type === "bool";

const hint = (spec) => /^u?int/.test(spec.type) ? "A whole number." : "";

// inputOf gives { node, all, first, value }.
function inputOf(spec, id, described) {
  const initial = spec.value === undefined ? "" : textValue(spec.value);
  const common = { id, "aria-describedby": described, "aria-required": spec.required ? "true" : undefined };
  if (spec.type === "radio") return radios(spec, id, described, initial);
  if (isFlag(spec)) {
    const node = el("input", { ...common, type: "checkbox" });
    node.checked = initial === "true";
    return one(node, () => String(node.checked));
  }
  if (spec.type === "select") {
    const node = el("select", common, el("option", { value: "" }, "Choose"),
      spec.options.map((o, i) => el("option", { value: String(i), selected: textValue(o.value) === initial }, o.label)));
    return one(node, () => node.value === "" ? "" : textValue(spec.options[Number(node.value)].value));
  }
  if (spec.type === "textarea") {
    const node = el("textarea", { ...common, rows: "3", maxlength: "1000" });
    node.value = initial;
    return one(node, () => node.value);
  }
  const node = el("input", { ...common, ...attributes(spec.type), maxlength: "1000" });
  node.value = initial;
  return one(node, () => node.value.trim());
}

const one = (node, value) => ({ node, all: [node], first: node, value });

// attributes tell keyboards of phones what is typed. Browsers keep nothing of it.
const attributes = (type) => ({
  type: type === "datetime" ? "datetime-local" : "text", autocomplete: "off",
  inputmode: type === "amount" || type === "number" ? "decimal" : { email: "email", url: "url" }[type] ?? (/^uint/.test(type) ? "numeric" : undefined),
  spellcheck: type === "text" || type === "string" ? undefined : "false",
  autocapitalize: type === "text" || type === "string" ? undefined : "none",
});

function radios(spec, id, described, initial) {
  const all = spec.options.map((o, i) => {
    const node = el("input", { type: "radio", name: id, id: `${id}-${i}`, value: String(i), "aria-describedby": described });
    node.checked = initial !== "" && textValue(o.value) === initial;
    return node;
  });
  const node = el("div", {}, all.map((radio, i) => el("label", { class: "choice", for: radio.id }, radio,
    el("span", {}, quote(spec.options[i].label), spec.options[i].description && el("small", { dir: "auto" }, spec.options[i].description)))));
  const chosen = () => all.findIndex((radio) => radio.checked);
  return { node, all, first: all[0], value: () => chosen() < 0 ? "" : textValue(spec.options[chosen()].value) };
}

// problem is what is wrong with a value; "" is nothing.
function problem(spec, value) {
  if (value === "") return spec.required ? "enter it, please" : "";
  switch (spec.type) {
  case "amount": return smallest(value, 36) === null ? "must be a number above 0, such as 2.50" : "";
  case "number": return /^-?[0-9]+(\.[0-9]+)?$/.test(value) ? "" : "must be a number, such as 2.50";
  case "email": return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? "" : "must be a mail address";
  case "url": return urlOf(value)?.protocol === "https:" ? "" : "must be an address that begins with https://";
  case "address": return !spec.network || familyOf(spec.network).isAddress(value) ? "" : `must be an address: ${spec.network.typed}`;
  }
  if (!isSolidity(spec.type)) return "";
  try {
    encodeValue(spec.type, value);
    return "";
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

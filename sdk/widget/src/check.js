// The rules of metadata: the same as those of kit/widget/action, in check.go. sdk/widget/testdata has what both have to
// judge alike.

import { Digits, readJSON } from "./json.js";
import { Checker, most } from "./values.js";

export const mostBytes = 64 << 10;

// Forms of what may be there. A member that is not known is refused: nobody has thought of what a widget makes of it.
const option = { label: "string", value: "any", description: "string", nextActionId: "string" };
const condition = { field: "string", operator: "string", value: "any" };
const param = {
  name: "string", type: "string", label: "string", description: "string", required: "boolean", fixed: "boolean",
  value: "any", options: [option],
};
const action = {
  type: "string", id: "string", label: "string", title: "string", description: "string",
  chains: { source: "string", destination: "string" }, to: "string", token: "string", amount: "number",
  address: "string", abi: "any", functionName: "string", path: "string", method: "string", params: [param],
  initialActionId: "string", nextActions: [{ actionId: "string", conditions: [condition] }], options: [option],
  message: "string", status: "string",
};
action.actions = [action];
const metadata = {
  url: "string", icon: "string", title: "string", description: "string", baseUrl: "string", actions: [action],
};

function fits(value, form) {
  if (form === "any") return value !== null;
  if (form === "number") return value instanceof Digits;
  if (typeof form === "string") return typeof value === form;
  if (Array.isArray(form)) return Array.isArray(value) && value.every((item) => fits(item, form[0]));
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Digits) &&
    Object.keys(value).every((name) => Object.hasOwn(form, name) && fits(value[name], form[name]));
}

// read reads metadata strictly, and gives { metadata } or { problem: { field, constraint } }.
export function read(text, { networks, local }) {
  const unknown = { problem: { field: "metadata", constraint: "must be JSON of the known members" } };
  let value;
  try {
    value = readJSON(text);
  } catch {
    return unknown;
  }
  if (!fits(value, metadata)) return unknown;
  const checker = new Checker(networks, local);
  all(checker, value);
  return checker.problem ? { problem: checker.problem } : { metadata: value };
}

function all(c, m) {
  c.url("url", m.url);
  c.url("icon", m.icon);
  c.line("title", m.title, true);
  c.text("description", m.description, true);
  if ((c.based = Boolean(m.baseUrl))) c.url("baseUrl", m.baseUrl);
  const actions = m.actions ?? [];
  if (actions.length === 0 || actions.length > most.actions) c.wrong("actions", `must be 1 to ${most.actions}`);
  actions.forEach((a, i) => oneAction(c, `actions[${i}]`, a, false));
}

// members are those that an action of each type has beside type, label and description.
const members = {
  transfer: "chains to token amount",
  blockchain: "chains address abi functionName params amount",
  http: "path method params",
  dynamic: "chains path params",
  flow: "initialActionId actions",
  completion: "message status",
  decision: "title options",
};

const checks = { transfer, blockchain, http, dynamic, flow, completion, decision };

function oneAction(c, at, a, step) {
  const known = Object.hasOwn(members, a.type ?? "");
  const onlyStep = a.type === "completion" || a.type === "decision";
  if (!known || (step && a.type === "flow") || (!step && onlyStep)) {
    return c.wrong(at + ".type", "is not a type of action here");
  }
  const allowed = ["type", "label", "description", ...members[a.type].split(" ")];
  if (step) {
    allowed.push("id", "nextActions");
    c.word(at + ".id", a.id);
  }
  for (const name of Object.keys(action)) {
    if (a[name] !== undefined && a[name] !== "" && !allowed.includes(name)) {
      c.wrong(`${at}.${name}`, `is no member of an action of type ${a.type}`);
    }
  }
  c.line(at + ".label", a.label, true);
  c.text(at + ".description", a.description, false);
  checks[a.type](c, at, a);
}

function transfer(c, at, a) {
  const from = c.source(at, a.chains);
  const to = a.chains?.destination ? crossing(c, at + ".chains", from, a.chains.destination) : from;
  c.payee(at + ".to", to, a.to);
  const coin = a.token ? c.token(at + ".token", from, a.token) : from?.native;
  c.amount(at + ".amount", a.amount, from, coin);
}

// crossing is the network where a payment arrives that leaves another one.
function crossing(c, at, from, name) {
  const why = "nobody is known who carries a payment across between it and others";
  const to = c.network(at + ".destination", name);
  c.callable(at + ".source", from, why);
  c.callable(at + ".destination", to, why);
  if (to && to === from) c.wrong(at + ".destination", "must be another network than source");
  return to;
}

function blockchain(c, at, a) {
  const network = c.source(at, a.chains);
  c.callable(at + ".chains.source", network, "elsewhere no contract is called by an abi");
  c.address(at + ".address", network, a.address);
  c.amount(at + ".amount", a.amount, network, network?.native);
  c.word(at + ".functionName", a.functionName); // the user reads it
  const called = functionOf(a);
  if (!called) c.wrong(at + ".functionName", "must be exactly one function of abi");
  c.params(at, network, a.params);
  (a.params ?? []).forEach((p, i) => {
    if (!called?.inputs.some((input) => input?.name === p.name)) {
      c.wrong(`${at}.params[${i}].name`, "is no parameter of the function");
    }
  });
}

// functionOf is the function that an action calls. One name for several functions could call another than its text says.
export function functionOf(a) {
  if (!Array.isArray(a.abi) || !a.functionName) return null;
  const found = a.abi.filter((item) => item?.type === "function" && item.name === a.functionName);
  if (found.length !== 1) return null;
  const inputs = found[0].inputs ?? [];
  return Array.isArray(inputs) ? { ...found[0], inputs } : null;
}

function http(c, at, a) {
  c.path(at + ".path", a.path);
  if (a.method && !["GET", "POST", "PUT", "DELETE"].includes(a.method)) {
    c.wrong(at + ".method", "must be GET, POST, PUT or DELETE");
  }
  c.params(at, null, a.params);
}

function dynamic(c, at, a) {
  const network = c.source(at, a.chains);
  c.path(at + ".path", a.path);
  c.params(at, network, a.params);
}

function flow(c, at, a) {
  const steps = a.actions ?? [];
  c.bounds(at + ".actions", steps.length, most.steps);
  const ids = new Set();
  steps.forEach((step, i) => {
    const field = `${at}.actions[${i}]`;
    if (ids.has(step.id)) c.wrong(field + ".id", "is the id of two steps");
    ids.add(step.id);
    oneAction(c, field, step, true);
  });
  const leads = (field, id) => {
    if (!id || !ids.has(id)) c.wrong(field, "is not the id of a step");
  };
  leads(at + ".initialActionId", a.initialActionId);
  steps.forEach((step, i) => {
    const field = `${at}.actions[${i}]`;
    (step.nextActions ?? []).forEach((next, j) => {
      leads(`${field}.nextActions[${j}].actionId`, next.actionId);
      conditions(c, `${field}.nextActions[${j}]`, next.conditions);
    });
    (step.options ?? []).forEach((o, j) => leads(`${field}.options[${j}].nextActionId`, o.nextActionId));
  });
}

function conditions(c, at, all = []) {
  all.forEach((one, i) => {
    const field = `${at}.conditions[${i}]`;
    c.word(field + ".field", one.field);
    c.scalar(field + ".value", one.value);
    if (!["eq", "ne", "gt", "lt", "gte", "lte", "contains"].includes(one.operator)) {
      c.wrong(field + ".operator", "must be eq, ne, gt, lt, gte, lte or contains");
    }
  });
}

function completion(c, at, a) {
  c.text(at + ".message", a.message, true);
  if (!["success", "error", "info"].includes(a.status)) c.wrong(at + ".status", "must be success, error or info");
}

function decision(c, at, a) {
  c.line(at + ".title", a.title, true);
  c.options(at, a.options);
}

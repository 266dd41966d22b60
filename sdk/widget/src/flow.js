// Which step of a flow follows.

import { textValue } from "./json.js";

// nextStep is the id of the first step whose conditions all hold; undefined: the flow ends here.
export const nextStep = (action, answers) =>
  (action.nextActions ?? []).find((next) => (next.conditions ?? []).every((one) => holds(one, answers)))?.actionId;

function holds({ field, operator, value }, answers) {
  if (!Object.hasOwn(answers, field)) return false;
  const [given, wanted] = [textValue(answers[field]), textValue(value)];
  switch (operator) {
  case "eq": return given === wanted;
  case "ne": return given !== wanted;
  case "contains": return given.includes(wanted);
  }
  const order = compare(given, wanted);
  return order !== null && { gt: order > 0, lt: order < 0, gte: order >= 0, lte: order <= 0 }[operator];
}

// compare compares decimals exactly; null: one is none.
function compare(a, b) {
  const parts = [a, b].map((text) => /^(-?)([0-9]{1,40})(?:\.([0-9]{1,40}))?$/.exec(text));
  if (parts.includes(null)) return null;
  const [x, y] = parts.map(([, sign, whole, fraction = ""]) => BigInt(sign + whole + fraction.padEnd(40, "0")));
  return x < y ? -1 : x > y ? 1 : 0;
}

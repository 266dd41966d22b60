// JSON, read so that nothing is lost: JSON.parse rounds numbers, and lets the last of two equal names win.

// Digits is a number as it was written.
export class Digits {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const deepest = 64;
const token = /[ \t\r\n]*(?:([{}[\]:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null))/y;

const wrong = () => new SyntaxError("this is not JSON");

// readJSON reads one value. Objects have no prototype, so that no name of a member means something else.
export function readJSON(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const value = (depth) => {
    const next = tokens[at++];
    if (next === undefined || depth > deepest) throw wrong();
    if (next.mark === "{") return members(depth);
    if (next.mark === "[") return items(depth);
    if (next.mark !== undefined) throw wrong();
    return next.value;
  };
  const members = (depth) => {
    const object = Object.create(null);
    if (tokens[at]?.mark === "}") return at++, object;
    for (;;) {
      const name = tokens[at++]?.value;
      if (typeof name !== "string" || tokens[at++]?.mark !== ":" || name in object) throw wrong();
      object[name] = value(depth + 1);
      const mark = tokens[at++]?.mark;
      if (mark === "}") return object;
      if (mark !== ",") throw wrong();
    }
  };
  const items = (depth) => {
    const all = [];
    if (tokens[at]?.mark === "]") return at++, all;
    for (;;) {
      all.push(value(depth + 1));
      const mark = tokens[at++]?.mark;
      if (mark === "]") return all;
      if (mark !== ",") throw wrong();
    }
  };
  const whole = value(0);
  if (at !== tokens.length) throw wrong();
  return whole;
}

// wellFormed refuses half of a character, which is no text to other readers.
function wellFormed(text) {
  if (!text.isWellFormed()) throw wrong();
  return text;
}

function tokensOf(text) {
  const all = [];
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1])) end--;
  token.lastIndex = 0;
  while (token.lastIndex < end) {
    const found = token.exec(text);
    if (!found) throw wrong();
    const [, mark, string, number, word] = found;
    if (mark) all.push({ mark });
    else if (string) all.push({ value: wellFormed(JSON.parse(string)) });
    else if (number) all.push({ value: new Digits(number) });
    else all.push({ value: word === "null" ? null : word === "true" });
  }
  return all;
}

// textValue is a text, number or boolean of metadata as a form has it.
export const textValue = (value) => value instanceof Digits ? value.text : String(value);

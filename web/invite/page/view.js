// The page's view. It makes nodes and sets text, never markup.

// unseen is what moves other text about or is not seen: names are others' words.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

const shown = (text) => String(text).replace(unseen, "");

// el makes an element; of its attributes those that are on are set.
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === "") continue;
    if (attribute.startsWith("on")) node.addEventListener(attribute.slice(2), value);
    else node.setAttribute(attribute, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c || c === 0).map((c) => (c instanceof Node ? c : shown(c))));
  return node;
}

// named is a name that somebody chose.
export const named = (text) => el("bdi", { class: "name" }, text);

export const note = (kind, ...content) => el("p", { class: `note ${kind}` }, content);

export const button = (label, onclick) => el("div", { class: "actions" }, el("button", { type: "button", onclick }, label));

const page = () => document.getElementById("page");

// show puts a state on the page, and the reader at its beginning.
export function show(state, title, ...content) {
  const heading = el("h1", { tabindex: "-1" }, title);
  page().replaceChildren(heading, ...content.flat().filter(Boolean));
  page().dataset.state = state;
  document.title = title;
  say("");
  if (state !== "loading") heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

// state moves the view that is there to another state.
export function state(name, text) {
  page().dataset.state = name;
  say(text);
}

// say is for the line below, which screen readers read out.
export function say(text) {
  document.getElementById("status").textContent = shown(text);
}

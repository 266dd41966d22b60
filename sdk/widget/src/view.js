// What the widget is made of. Texts become text nodes: nothing here reads HTML.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// quote is a text of the metadata: a direction of its own, so that it moves nothing around it.
export const quote = (text, props = {}) => el("bdi", props, text);

export const note = (kind, ...children) => el("p", { class: "note " + kind }, ...children);

// lines keeps the line breaks of a text.
export const lines = (text, props) => el("p", { ...props, dir: "auto" }, text);

// fours shows an address in groups, of which copying gives the whole.
export const fours = (address) => el("code", {}, ...(address.match(/^0x|.{1,4}/g) ?? []).map((four) => el("span", {}, four)));

export const rows = (all) => el("dl", {}, ...all.map(([name, value, kind]) =>
  el("div", { class: "row" }, el("dt", {}, quote(name)), el("dd", {}, kind === "address" ? fours(value) : quote(value)))));

// icon shows the widget's image, or the first letter of its title where there is none.
export function icon(url, title) {
  const letter = el("span", { class: "icon letter", "aria-hidden": "true" }, [...title.trim()][0].toUpperCase());
  const image = el("img", { class: "icon", alt: "", width: "44", height: "44", referrerpolicy: "no-referrer", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(letter));
  image.src = url;
  return image;
}

// As much of a document as the page's functions make nodes with. It writes what they made as HTML, so that a test sees
// what is text and what is an element.

class Node {
  constructor(name) {
    Object.assign(this, { name, attributes: {}, nodes: [], dataset: {}, listeners: {} });
  }

  append(...nodes) {
    this.nodes.push(...nodes.flatMap((n) => (n instanceof Node && !n.name ? n.nodes : [n])));
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  addEventListener(event, listener) {
    this.listeners[event] = listener;
  }

  set textContent(text) {
    this.nodes = [text];
  }

  get textContent() {
    return this.nodes.map((n) => n.textContent ?? n).join("");
  }
}

Object.assign(globalThis, {
  Node,
  document: { createElement: (name) => new Node(name), createDocumentFragment: () => new Node("") },
});

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// html writes nodes, and the text of each.
export function html(...nodes) {
  return nodes.flat(Infinity).filter(Boolean).map((n) => {
    if (!(n instanceof Node)) return escaped(n);
    const attributes = Object.entries(n.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
    return n.name ? `<${n.name}${attributes}>${html(n.nodes)}</${n.name}>` : html(n.nodes);
  }).join("");
}

// text is what a reader sees, with a bar between blocks. The groups of an address are together.
export const text = (...nodes) => html(...nodes).replace(/<\/?(span|bdi|strong|mark)[^>]*>/g, "").replace(/<[^>]*>/g, "|").replace(/\|+/g, "|");

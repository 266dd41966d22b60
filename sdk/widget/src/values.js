// The rules of single values of metadata: the same as those of kit/widget/action, in values.go.

import { familyOf } from "./families.js";
import { Digits } from "./json.js";
import { isVisible } from "./text.js";
import { smallest } from "./units.js";

export const most = { line: 100, text: 1000, url: 2048, params: 16, options: 32, actions: 4, steps: 32, digits: 15 };

const inputs = ["text", "number", "boolean", "email", "url", "datetime", "textarea", "select", "radio"];

const unseen = "must have only characters that can be seen, and no space but the plain one";

// Checker keeps the first thing that is wrong.
export class Checker {
  constructor(networks, local) {
    this.networks = networks;
    this.local = local; // the sandbox: URLs of this machine are good as well
    this.based = false; // paths may be relative
    this.problem = null;
  }

  wrong(field, constraint) { this.problem ??= { field, constraint }; }

  line(field, text, required) { this.prose(field, [text ?? ""], required, most.line); }

  text(field, text, required) { this.prose(field, (text ?? "").split("\n"), required, most.text); }

  prose(field, lines, required, length) {
    const whole = lines.join("\n");
    if (required && whole.trim() === "") return this.wrong(field, "is required");
    if ([...whole].length > length) return this.wrong(field, `must be at most ${length} characters`);
    if (!lines.every(isVisible)) this.wrong(field, unseen);
  }

  word(field, text) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(text ?? "")) {
      this.wrong(field, "must be a word of letters, digits, _ and -, of at most 64");
    }
  }

  bounds(field, n, limit) {
    if (n > limit) this.wrong(field, `must be at most ${limit}`);
  }

  url(field, text) {
    if (!text) return this.wrong(field, "is required");
    const url = text.length <= most.url ? urlOf(text) : null;
    if (!url) return this.wrong(field, "must be a URL in ASCII with a host and no user, of at most 2048 characters");
    if (url.protocol !== "https:" && !(this.local && url.protocol === "http:" && isLoopback(url.hostname))) {
      this.wrong(field, "must begin with https://");
    }
  }

  // path is a URL, or what follows baseUrl.
  path(field, text = "") {
    if (!text.startsWith("/")) return this.url(field, text);
    if (!this.based) return this.wrong(field, "must be a URL where there is no baseUrl");
    if (text.startsWith("//") || text.includes("..")) return this.wrong(field, "must not lead away from baseUrl");
    this.url(field, "https://base.example" + text);
  }

  source(at, chains) {
    if (!chains) return this.wrong(at + ".chains", "is required"), null;
    return this.network(at + ".chains.source", chains.source);
  }

  network(field, name) {
    const found = networkNamed(this.networks, name);
    if (!found) this.wrong(field, "is not a network of this environment");
    return found;
  }

  address(field, network, text) {
    if (network && !familyOf(network).isAddress(text)) this.wrong(field, `must be an address (${network.typed})`);
  }

  // payee is an address of which somebody may have the key.
  payee(field, network, text) {
    this.address(field, network, text);
    const token = network?.tokens.find((t) => familyOf(network).same(t.address, text ?? ""));
    if (token) this.wrong(field, `cannot be paid: it is that of the token ${token.symbol}`);
    if (network && familyOf(network).unpayable(text ?? "")) this.wrong(field, "cannot be paid: nobody has its key");
  }

  // token gives the listed token at an address; of another one nothing is known.
  token(field, network, text) {
    this.address(field, network, text);
    if (network && familyOf(network).unpayable(text)) this.wrong(field, "cannot be paid: nobody has its key");
    return network?.tokens.find((t) => familyOf(network).same(t.address, text)) ?? null;
  }

  // callable is a network where contracts are called by their ABI, or where payments go from one network to another.
  callable(field, network, why) {
    if (network && !familyOf(network).calls) this.wrong(field, "must be an EVM network: " + why);
  }

  // amount is of a coin, unless nobody here knows its decimals.
  amount(field, amount, network, coin) {
    if (amount === undefined || !network) return;
    const digits = amount.text.replace(".", "").replace(/^0+/, "");
    const plain = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/.test(amount.text);
    if (!plain || digits === "" || digits.length > most.digits) {
      this.wrong(field, "must be a number above 0 with at most 15 digits");
    }
    if (!coin) return;
    const units = smallest(amount.text, coin.decimals);
    if (units === null || units > familyOf(network).most) {
      this.wrong(field, `must have at most ${coin.decimals} decimals, and be no more than a transaction can pay`);
    }
  }

  params(at, network, all = []) {
    this.bounds(at + ".params", all.length, most.params);
    const seen = new Set();
    all.forEach((param, i) => {
      const field = `${at}.params[${i}]`;
      this.word(field + ".name", param.name);
      this.line(field + ".label", param.label, true);
      this.text(field + ".description", param.description, false);
      if (seen.has(param.name)) this.wrong(field + ".name", "is the name of two parameters");
      seen.add(param.name);
      if (!isSolidity(param.type ?? "") && !inputs.includes(param.type)) {
        this.wrong(field + ".type", "is not a type of parameter");
      }
      this.value(field, network, param);
    });
  }

  value(field, network, param) {
    const choice = param.type === "select" || param.type === "radio";
    if (param.fixed && param.value === undefined) this.wrong(field + ".value", "is required, since it is fixed");
    else if (choice !== (param.options ?? []).length > 0) {
      this.wrong(field + ".options", "must be there for select and radio, and for no other type");
    }
    if (param.value !== undefined) this.scalar(field + ".value", param.value);
    if (typeof param.value === "string" && param.type === "address") {
      this.address(field + ".value", network, param.value);
    }
    if (choice) this.options(field, param.options);
  }

  options(at, all = []) {
    if (all.length === 0) this.wrong(at + ".options", "is required");
    this.bounds(at + ".options", all.length, most.options);
    all.forEach((option, i) => {
      const field = `${at}.options[${i}]`;
      this.line(field + ".label", option.label, true);
      this.text(field + ".description", option.description, false);
      this.scalar(field + ".value", option.value);
    });
  }

  scalar(field, value) {
    if (typeof value === "string") return this.text(field, value, false);
    if (typeof value !== "boolean" && !(value instanceof Digits)) {
      this.wrong(field, "must be a text, a number or a boolean");
    }
  }
}

export const isSolidity = (type) =>
  /^(address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?|u?int([1-9][0-9]{0,2})?)$/.test(type);

// networkNamed finds a network by its slug, its chain id, or as wallets name it.
export const networkNamed = (networks, name) =>
  networks.find((n) => n.slug === name) ?? networks.find((n) => n.names.includes(name)) ?? null;

export const isLoopback = (host) => host === "localhost" || host === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(host);

// urlOf reads a URL whose host every reader takes for the same: what a browser would write in another way is none.
export function urlOf(text) {
  const parts = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?#].*)?$/.exec(text);
  if (!parts || /[^!-~]|\\/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return null;
  const url = URL.parse ? URL.parse(text) : attempt(() => new URL(text));
  return url && url.hostname === parts[1].toLowerCase() ? url : null;
}

function attempt(make) {
  try {
    return make();
  } catch {
    return null;
  }
}

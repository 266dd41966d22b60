// railkit-widget, made of sdk/widget/src. Apache-2.0.

// src/errors.js
var Refusal = class extends Error {
};
var Unreachable = class extends Error {
};
var Invalid = class extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
};
var WalletError = class extends Error {
};

// src/json.js
var Digits = class {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
};
var deepest = 64;
var token = /[ \t\r\n]*(?:([{}[\]:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null))/y;
var wrong = () => new SyntaxError("this is not JSON");
function readJSON(text) {
  const tokens2 = tokensOf(text);
  let at = 0;
  const value = (depth) => {
    const next = tokens2[at++];
    if (next === void 0 || depth > deepest) throw wrong();
    if (next.mark === "{") return members2(depth);
    if (next.mark === "[") return items(depth);
    if (next.mark !== void 0) throw wrong();
    return next.value;
  };
  const members2 = (depth) => {
    const object = /* @__PURE__ */ Object.create(null);
    if (tokens2[at]?.mark === "}") return at++, object;
    for (; ; ) {
      const name = tokens2[at++]?.value;
      if (typeof name !== "string" || tokens2[at++]?.mark !== ":" || name in object) throw wrong();
      object[name] = value(depth + 1);
      const mark = tokens2[at++]?.mark;
      if (mark === "}") return object;
      if (mark !== ",") throw wrong();
    }
  };
  const items = (depth) => {
    const all2 = [];
    if (tokens2[at]?.mark === "]") return at++, all2;
    for (; ; ) {
      all2.push(value(depth + 1));
      const mark = tokens2[at++]?.mark;
      if (mark === "]") return all2;
      if (mark !== ",") throw wrong();
    }
  };
  const whole2 = value(0);
  if (at !== tokens2.length) throw wrong();
  return whole2;
}
function wellFormed(text) {
  if (!text.isWellFormed()) throw wrong();
  return text;
}
function tokensOf(text) {
  const all2 = [];
  let end = text.length;
  while (end > 0 && " 	\r\n".includes(text[end - 1])) end--;
  token.lastIndex = 0;
  while (token.lastIndex < end) {
    const found2 = token.exec(text);
    if (!found2) throw wrong();
    const [, mark, string, number3, word2] = found2;
    if (mark) all2.push({ mark });
    else if (string) all2.push({ value: wellFormed(JSON.parse(string)) });
    else if (number3) all2.push({ value: new Digits(number3) });
    else all2.push({ value: word2 === "null" ? null : word2 === "true" });
  }
  return all2;
}
var textValue = (value) => value instanceof Digits ? value.text : String(value);

// src/keccak.js
var mask = (1n << 64n) - 1n;
var rotl = (x, n) => n === 0n ? x : (x << n | x >> 64n - n) & mask;
var [rounds, turns] = (() => {
  const constants = [];
  let bits = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (bits & 1) constant |= 1n << BigInt(2 ** j - 1);
      bits = bits & 128 ? bits << 1 ^ 369 : bits << 1;
    }
    constants.push(constant);
  }
  const offsets = Array(25).fill(0n);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    offsets[x + 5 * y] = BigInt((t + 1) * (t + 2) / 2 % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return [constants, offsets];
})();
function permute(a) {
  for (const constant of rounds) {
    const c = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    for (let i = 0; i < 25; i++) a[i] ^= c[(i + 4) % 5] ^ rotl(c[(i + 1) % 5], 1n);
    const b = Array(25);
    for (let i = 0; i < 25; i++) {
      const [x, y] = [i % 5, Math.floor(i / 5)];
      b[y + 5 * ((2 * x + 3 * y) % 5)] = rotl(a[i], turns[i]);
    }
    for (let i = 0; i < 25; i++) {
      const row = i - i % 5;
      a[i] = b[i] ^ ~b[row + (i + 1) % 5] & mask & b[row + (i + 2) % 5];
    }
    a[0] ^= constant;
  }
}
function keccak256(bytes) {
  const rate = 136;
  const padded2 = new Uint8Array((Math.floor(bytes.length / rate) + 1) * rate);
  padded2.set(bytes);
  padded2[bytes.length] ^= 1;
  padded2[padded2.length - 1] ^= 128;
  const state = Array(25).fill(0n);
  const view = new DataView(padded2.buffer);
  for (let from = 0; from < padded2.length; from += rate) {
    for (let i = 0; i < rate / 8; i++) state[i] ^= view.getBigUint64(from + 8 * i, true);
    permute(state);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 4; i++) out.setBigUint64(8 * i, state[i], true);
  return new Uint8Array(out.buffer);
}
var utf8 = (text) => new TextEncoder().encode(text);
var hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

// src/address.js
function checksummed(address2) {
  const digits2 = address2.slice(2).toLowerCase();
  const sum = hex(keccak256(utf8(digits2)));
  return "0x" + Array.from(digits2, (c, i) => parseInt(sum[i], 16) > 7 ? c.toUpperCase() : c).join("");
}
function isAddress(text) {
  if (typeof text !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(text)) return false;
  const digits2 = text.slice(2);
  return digits2 === digits2.toLowerCase() || digits2 === digits2.toUpperCase() || checksummed(text) === text;
}
var sameAddress = (a, b) => a.toLowerCase() === b.toLowerCase();
var isZero = (address2) => /^0x0{40}$/.test(address2);

// src/abi.js
var Unfit = class extends Error {
};
var word = (n) => n.toString(16).padStart(64, "0");
var padded = (digits2) => digits2.padEnd(Math.ceil(digits2.length / 64) * 64, "0");
var isDynamic = (type) => type === "string" || type === "bytes";
function encodeValue(type, value) {
  if (!isSolidity(type)) throw new Unfit(`this widget does not write values of type ${type}`);
  const text = String(value);
  const number3 = /^(u?)int(\d*)$/.exec(type);
  if (number3) return encodeInteger(number3[1] === "u", Number(number3[2] || 256), text);
  if (type === "address") {
    if (!isAddress(text)) throw new Unfit("must be an address: 0x and 40 hexadecimal digits");
    return word(BigInt(text));
  }
  if (type === "bool") {
    if (text !== "true" && text !== "false") throw new Unfit("must be yes or no");
    return word(text === "true" ? 1 : 0);
  }
  const digits2 = type === "string" ? hex(utf8(text)) : /^0x((?:[0-9a-fA-F]{2})*)$/.exec(text)?.[1];
  if (digits2 === void 0) throw new Unfit("must be bytes: 0x and pairs of hexadecimal digits");
  if (isDynamic(type)) return word(digits2.length / 2) + padded(digits2);
  if (digits2.length !== 2 * Number(type.slice(5))) throw new Unfit(`must be ${type.slice(5)} bytes`);
  return padded(digits2);
}
function encodeInteger(unsigned2, bits, text) {
  if (bits % 8 !== 0 || bits > 256) throw new Unfit(`this widget knows no number of ${bits} bits`);
  if (!/^-?(0|[1-9][0-9]{0,77})$/.test(text)) throw new Unfit("must be a whole number");
  const n = BigInt(text);
  const [least, most2] = unsigned2 ? [0n, (1n << BigInt(bits)) - 1n] : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n];
  if (n < least || n > most2) throw new Unfit("is too large or too small");
  return word(BigInt.asUintN(256, n));
}
function encodeCall(name, types, values) {
  const encoded = types.map((type, i) => encodeValue(type, values[i]));
  let head = "";
  let tail = "";
  encoded.forEach((digits2, i) => {
    if (!isDynamic(types[i])) return void (head += digits2);
    head += word(types.length * 32 + tail.length / 2);
    tail += digits2;
  });
  return selector(name, types) + head + tail;
}
var selector = (name, types) => {
  const full = types.map((type) => /^u?int$/.test(type) ? type + "256" : type);
  return "0x" + hex(keccak256(utf8(`${name}(${full.join(",")})`)).slice(0, 4));
};
var known = [
  ["transfer", ["address", "uint256"]],
  ["approve", ["address", "uint256"]],
  ["transferFrom", ["address", "address", "uint256"]],
  ["increaseAllowance", ["address", "uint256"]]
];
function decodeToken(data) {
  for (const [name, types] of known) {
    if (!data.toLowerCase().startsWith(selector(name, types))) continue;
    const words = data.slice(10).toLowerCase().match(/.{64}/g) ?? [];
    if (data.length !== 10 + 64 * types.length) return null;
    const addresses = words.slice(0, -1);
    if (!addresses.every((one2) => one2.startsWith("0".repeat(24)))) return null;
    return { name, addresses: addresses.map((one2) => checksummed("0x" + one2.slice(24))), amount: BigInt("0x" + words.at(-1)) };
  }
  return null;
}

// src/rlp.js
function readTransaction(text) {
  if (typeof text !== "string" || !/^0x([0-9a-fA-F]{2}){1,65536}$/.test(text)) return null;
  const bytes = Uint8Array.from(text.slice(2).match(/../g), (pair) => parseInt(pair, 16));
  try {
    return bytes[0] === 2 ? fromFields(list(bytes.subarray(1)), [0, 5, 6, 7], [9]) : fromFields(list(bytes), [6, 3, 4, 5], [9]);
  } catch {
    return null;
  }
}
function fromFields(fields, [chainId, to, value, data], lengths) {
  if (!lengths.includes(fields.length) || fields[to].length !== 20) return null;
  return {
    chainId: number(fields[chainId]),
    to: checksummed("0x" + hex(fields[to])),
    value: number(fields[value]),
    data: "0x" + hex(fields[data])
  };
}
function number(bytes) {
  if (!(bytes instanceof Uint8Array) || bytes[0] === 0 || bytes.length > 32) throw new RangeError("no number");
  return BigInt("0x" + (hex(bytes) || "0"));
}
function list(bytes) {
  const [whole2, end] = item(bytes, 0);
  if (!Array.isArray(whole2) || end !== bytes.length) throw new RangeError("no list");
  return whole2;
}
function item(bytes, at) {
  const first = bytes[at];
  if (first === void 0) throw new RangeError("cut short");
  if (first < 128) return [bytes.subarray(at, at + 1), at + 1];
  const isList = first >= 192;
  const [begin, length] = lengthOf(bytes, at, first - (isList ? 192 : 128));
  const end = begin + length;
  if (end > bytes.length) throw new RangeError("cut short");
  if (!isList) return [bytes.subarray(begin, end), end];
  const all2 = [];
  for (let next = begin; next < end; ) {
    const [one2, after] = item(bytes, next);
    all2.push(one2);
    next = after;
  }
  return [all2, end];
}
function lengthOf(bytes, at, marker) {
  if (marker <= 55) return [at + 1, marker];
  const size = marker - 55;
  if (size > 3) throw new RangeError("too long");
  let length = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + size)) length = length * 256 + byte;
  return [at + 1 + size, length];
}

// src/networks.js
var programs = [
  "11111111111111111111111111111111",
  "1nc1nerator11111111111111111111111111111111",
  "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  "AddressLookupTab1e1111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  "BPFLoaderUpgradeab1e11111111111111111111111",
  "ComputeBudget111111111111111111111111111111",
  "Config1111111111111111111111111111111111111",
  "Ed25519SigVerify111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "NativeLoader1111111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
  "So11111111111111111111111111111111111111112",
  "Stake11111111111111111111111111111111111111",
  "Sysvar1111111111111111111111111111111111111",
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  "Vote111111111111111111111111111111111111111"
];
var sandbox = [
  {
    "slug": "ethereum",
    "kind": "evm",
    "title": "Ethereum Sepolia",
    "names": [
      "ethereum",
      "11155111",
      "sepolia"
    ],
    "chainId": 11155111,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "base",
    "kind": "evm",
    "title": "Base Sepolia",
    "names": [
      "base",
      "84532",
      "base-sepolia"
    ],
    "chainId": 84532,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "polygon",
    "kind": "evm",
    "title": "Polygon Amoy",
    "names": [
      "polygon",
      "80002",
      "polygon-amoy"
    ],
    "chainId": 80002,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "POL",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6",
        "decimals": 6
      },
      {
        "symbol": "WPOL",
        "address": "0x360ad4f9a9A8EFe9A8DCB5f461c4Cc1047E1Dcf9",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "arbitrum",
    "kind": "evm",
    "title": "Arbitrum Sepolia",
    "names": [
      "arbitrum",
      "421614",
      "arbitrum-sepolia"
    ],
    "chainId": 421614,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x39f9F06AEF7ADA89AAE50986BdB67E8494f235F9",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x980B62Da83eFf3D4576C647993b0c1D7faf17c73",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "optimism",
    "kind": "evm",
    "title": "OP Sepolia",
    "names": [
      "optimism",
      "11155420",
      "optimism-sepolia"
    ],
    "chainId": 11155420,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x5fd84259d66Cd46123540766Be93DFE6D43130D7",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "avalanche_c_chain",
    "kind": "evm",
    "title": "Avalanche Fuji",
    "names": [
      "avalanche_c_chain",
      "43113",
      "fuji",
      "avalanche-fuji"
    ],
    "chainId": 43113,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "AVAX",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x5425890298aed601595a70AB815c96711a31Bc65",
        "decimals": 6
      },
      {
        "symbol": "WAVAX",
        "address": "0xd00ae08403B9bbb9124bB305C09058E32C39A48c",
        "decimals": 18
      }
    ]
  },
  {
    "slug": "solana",
    "kind": "solana",
    "title": "Solana Devnet",
    "names": [
      "solana"
    ],
    "cluster": "devnet",
    "typed": "base58 of 32 bytes",
    "native": {
      "symbol": "SOL",
      "decimals": 9
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD",
        "decimals": 6
      }
    ]
  },
  {
    "slug": "tron",
    "kind": "tron",
    "title": "Tron Nile",
    "names": [
      "tron"
    ],
    "cluster": "nile",
    "typed": "base58check that begins with T",
    "native": {
      "symbol": "TRX",
      "decimals": 6
    },
    "tokens": [
      {
        "symbol": "USDT",
        "address": "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK",
        "decimals": 6
      }
    ]
  }
];
var production = [
  {
    "slug": "ethereum",
    "kind": "evm",
    "title": "Ethereum",
    "names": [
      "ethereum",
      "1",
      "ethereum",
      "mainnet"
    ],
    "chainId": 1,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xdAC17F958D2ee523a2206206994597C13D831ec7",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
        "decimals": 18
      }
    ],
    "explorer": "https://etherscan.io/tx/%s"
  },
  {
    "slug": "base",
    "kind": "evm",
    "title": "Base",
    "names": [
      "base",
      "8453"
    ],
    "chainId": 8453,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ],
    "explorer": "https://basescan.org/tx/%s"
  },
  {
    "slug": "polygon",
    "kind": "evm",
    "title": "Polygon PoS",
    "names": [
      "polygon",
      "137"
    ],
    "chainId": 137,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "POL",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
        "decimals": 6
      },
      {
        "symbol": "WPOL",
        "address": "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
        "decimals": 18
      }
    ],
    "explorer": "https://polygonscan.com/tx/%s"
  },
  {
    "slug": "arbitrum",
    "kind": "evm",
    "title": "Arbitrum One",
    "names": [
      "arbitrum",
      "42161"
    ],
    "chainId": 42161,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
        "decimals": 18
      }
    ],
    "explorer": "https://arbiscan.io/tx/%s"
  },
  {
    "slug": "optimism",
    "kind": "evm",
    "title": "OP Mainnet",
    "names": [
      "optimism",
      "10"
    ],
    "chainId": 10,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "ETH",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
        "decimals": 6
      },
      {
        "symbol": "WETH",
        "address": "0x4200000000000000000000000000000000000006",
        "decimals": 18
      }
    ],
    "explorer": "https://optimistic.etherscan.io/tx/%s"
  },
  {
    "slug": "avalanche_c_chain",
    "kind": "evm",
    "title": "Avalanche C-Chain",
    "names": [
      "avalanche_c_chain",
      "43114",
      "avalanche"
    ],
    "chainId": 43114,
    "typed": "0x and 40 hex digits; mixed case must be EIP-55",
    "native": {
      "symbol": "AVAX",
      "decimals": 18
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7",
        "decimals": 6
      },
      {
        "symbol": "WAVAX",
        "address": "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7",
        "decimals": 18
      }
    ],
    "explorer": "https://snowtrace.io/tx/%s"
  },
  {
    "slug": "solana",
    "kind": "solana",
    "title": "Solana",
    "names": [
      "solana"
    ],
    "cluster": "mainnet",
    "typed": "base58 of 32 bytes",
    "native": {
      "symbol": "SOL",
      "decimals": 9
    },
    "tokens": [
      {
        "symbol": "USDC",
        "address": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "decimals": 6
      },
      {
        "symbol": "USDT",
        "address": "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
        "decimals": 6
      }
    ],
    "explorer": "https://explorer.solana.com/tx/%s"
  },
  {
    "slug": "tron",
    "kind": "tron",
    "title": "Tron",
    "names": [
      "tron"
    ],
    "cluster": "mainnet",
    "typed": "base58check that begins with T",
    "native": {
      "symbol": "TRX",
      "decimals": 6
    },
    "tokens": [
      {
        "symbol": "USDT",
        "address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        "decimals": 6
      }
    ],
    "explorer": "https://tronscan.org/#/transaction/%s"
  }
];

// src/solana.js
var digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
var number2 = (bytes) => bytes.reduce((n, byte) => (n << 8n) + BigInt(byte), 0n);
function base58(bytes) {
  let text = "";
  for (let n = number2([...bytes]); n > 0n; n /= 58n) text = digits[n % 58n] + text;
  const zeros = bytes.findIndex((b) => b !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
function bytesOf(text) {
  if (typeof text !== "string" || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return null;
  let n = [...text].reduce((sum, c) => sum * 58n + BigInt(digits.indexOf(c)), 0n);
  if (n >> 256n) return null;
  const bytes = new Uint8Array(32);
  for (let i = 31; i >= 0; i--, n >>= 8n) bytes[i] = Number(n & 255n);
  return base58(bytes) === text ? bytes : null;
}
var unpayable = (address2) => programs.includes(address2) || /^Sysvar.*1111111111$/.test(address2) ? "It would pay to a program of Solana itself, from which nothing returns." : "";
var P = 2n ** 255n - 19n;
var D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;
function onCurve(bytes) {
  const y = number2([...bytes].reverse()) & (1n << 255n) - 1n;
  const x2 = ((y * y - 1n) * (D * y * y + 1n) % P + P) % P;
  let root = 1n;
  for (let base = x2, n = (P - 1n) / 2n; n > 0n; n >>= 1n, base = base * base % P) if (n & 1n) root = root * base % P;
  return x2 === 0n || root === 1n;
}
var warn = (address2) => onCurve(bytesOf(address2)) ? [] : ["No key can sign for this address: it belongs to a program, such as a wallet of several people. What a program does not expect is lost there."];
var system = "11111111111111111111111111111111";
var tokens = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
var associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
async function tokenAccount(owner, mint) {
  const seeds = [owner, tokens, mint].flatMap((text) => [...bytesOf(text)]);
  const end = [...bytesOf(associated), ...new TextEncoder().encode("ProgramDerivedAddress")];
  for (let bump = 255; bump >= 0; bump--) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from([...seeds, bump, ...end])));
    if (!onCurve(hash)) return base58(hash);
  }
  throw new Error("no token account");
}
var little = (n, size) => Array.from({ length: size }, (_, i) => Number(BigInt(n) >> BigInt(8 * i) & 255n));
async function calls({ to, amount, token: token2 }, from) {
  if (!token2) return [{ program: system, accounts: [[from, true], [to, true]], data: [...little(2, 4), ...little(amount, 8)] }];
  const [source, target] = [await tokenAccount(from, token2.address), await tokenAccount(to, token2.address)];
  return [
    { program: associated, data: [1], accounts: [[from, true], [target, true], [to, false], [token2.address, false], [system, false], [tokens, false]] },
    { program: tokens, data: [12, ...little(amount, 8), token2.decimals], accounts: [[source, true], [token2.address, false], [target, true], [from, true]] }
  ];
}
async function unsigned(payment, from, blockhash) {
  const all2 = await calls(payment, from);
  const written = /* @__PURE__ */ new Map([[from, true]]);
  for (const { program, accounts } of all2) {
    for (const [key, writes] of [...accounts, [program, false]]) written.set(key, writes || written.get(key) === true);
  }
  const keys = [...written.keys()].sort((a, b) => written.get(b) - written.get(a));
  const readOnly = keys.filter((key) => !written.get(key)).length;
  const called = all2.flatMap(({ program, accounts, data }) => [keys.indexOf(program), accounts.length, ...accounts.map(([key]) => keys.indexOf(key)), data.length, ...data]);
  return Uint8Array.from([
    1,
    ...new Array(64).fill(0),
    1,
    0,
    readOnly,
    keys.length,
    ...keys.flatMap((key) => [...bytesOf(key)]),
    ...bytesOf(blockhash),
    all2.length,
    ...called
  ]);
}

// src/families.js
var families = {
  evm: {
    isAddress,
    canonical: checksummed,
    same: sameAddress,
    warn: () => [],
    unpayable: (address2) => isZero(address2) ? "It would pay to the zero address, from which nothing returns." : "",
    most: 2n ** 256n - 1n,
    // units that a payment can have
    calls: true,
    // contracts, by their ABI
    contract: "Its contract",
    costs: () => [],
    payment: ({ to, amount, token: token2 }) => token2 ? { to: checksummed(token2.address), value: 0n, data: encodeCall("transfer", ["address", "uint256"], [to, amount]) } : { to, value: amount, data: "0x" },
    readTransaction
    // of a server, for a wallet
  },
  solana: {
    isAddress: (text) => bytesOf(text) !== null,
    canonical: (address2) => address2,
    same: (a, b) => a === b,
    unpayable,
    warn,
    most: 2n ** 64n - 1n,
    calls: false,
    contract: "Its mint",
    costs: ({ token: token2 }) => token2 ? [["May cost also", `the rent of an account for ${token2.symbol}, about 0.002 SOL, where the receiver has none`]] : [],
    payment: (payment) => payment
  }
};
function familyOf(network) {
  const family = families[network.kind];
  if (!family) throw new Refusal(`This widget does not pay on ${network.title} yet.`);
  return family;
}

// src/text.js
var isVisible = (line) => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(line) && !/[\u2800]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/u.test(line);
var shown = (text, most2 = 60) => {
  const clean = Array.from(String(text), (c) => isVisible(c) ? c : " ").join("").replace(/ +/g, " ").trim();
  return [...clean].length > most2 ? [...clean].slice(0, most2).join("") + "\u2026" : clean;
};
var passFor = new Map(Object.entries({
  A: "\u0410\u0391\u13AA4",
  B: "\u0412\u0392\u13F48",
  C: "\u0421\u03F9\u13DF",
  D: "\u0500\u13A0",
  E: "\u0415\u0395\u13AC3",
  H: "\u041D\u0397\u13BB",
  I: "\u0406\u0399\u04C01L|",
  J: "\u0408\u13AB",
  K: "\u041A\u039A\u13E6",
  M: "\u041C\u039C\u13B7",
  N: "\u039D",
  O: "\u041E\u039F\u05550",
  P: "\u0420\u03A1\u13E2",
  Q: "\u051A",
  S: "\u0405\u054F\u13DA5$",
  T: "\u0422\u03A4\u13A27",
  U: "\u054D\u0531",
  V: "\u0474\u13D9",
  W: "\u051C\u13B3",
  X: "\u0425\u03A7",
  Y: "\u0423\u03A5\u04AE",
  Z: "\u0396\u13C32"
}).flatMap(([latin, others]) => Array.from(others, (c) => [c, latin])));
var folded = (text) => Array.from(
  text.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "").toUpperCase(),
  (c) => passFor.get(c) ?? c
).join("");
var names = (text, symbol) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").split(/[^\p{L}\p{M}\p{N}$|]+/u).some((word2) => [word2, word2.replace(/^[0-9]+|[0-9]+$/g, "")].some((part) => folded(part) === folded(symbol)));

// src/units.js
function smallest(text, decimals) {
  const parts = /^([0-9]{1,30})(?:\.([0-9]{1,36}))?$/.exec(text.trim());
  const fraction = (parts?.[2] ?? "").replace(/0+$/, "");
  if (!parts || fraction.length > decimals) return null;
  const amount = BigInt(parts[1] + fraction.padEnd(decimals, "0"));
  return amount > 0n ? amount : null;
}
function whole(amount, decimals) {
  const digits2 = amount.toString().padStart(decimals + 1, "0");
  const cut = digits2.length - decimals;
  const fraction = digits2.slice(cut).replace(/0+$/, "");
  const units = digits2.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction ? `${units}.${fraction.padEnd(Math.min(2, decimals), "0")}` : units;
}
var quantity = (n) => "0x" + n.toString(16);

// src/values.js
var most = { line: 100, text: 1e3, url: 2048, params: 16, options: 32, actions: 4, steps: 32, digits: 15 };
var inputs = ["text", "number", "boolean", "email", "url", "datetime", "textarea", "select", "radio"];
var unseen = "must have only characters that can be seen, and no space but the plain one";
var Checker = class {
  constructor(networks, local) {
    this.networks = networks;
    this.local = local;
    this.based = false;
    this.problem = null;
  }
  wrong(field, constraint) {
    this.problem ??= { field, constraint };
  }
  line(field, text, required) {
    this.prose(field, [text ?? ""], required, most.line);
  }
  text(field, text, required) {
    this.prose(field, (text ?? "").split("\n"), required, most.text);
  }
  prose(field, lines, required, length) {
    const whole2 = lines.join("\n");
    if (required && whole2.trim() === "") return this.wrong(field, "is required");
    if ([...whole2].length > length) return this.wrong(field, `must be at most ${length} characters`);
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
    const found2 = networkNamed(this.networks, name);
    if (!found2) this.wrong(field, "is not a network of this environment");
    return found2;
  }
  address(field, network, text) {
    if (network && !familyOf(network).isAddress(text)) this.wrong(field, `must be an address (${network.typed})`);
  }
  // payee is an address of which somebody may have the key.
  payee(field, network, text) {
    this.address(field, network, text);
    const token2 = network?.tokens.find((t) => familyOf(network).same(t.address, text ?? ""));
    if (token2) this.wrong(field, `cannot be paid: it is that of the token ${token2.symbol}`);
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
    if (amount === void 0 || !network) return;
    const digits2 = amount.text.replace(".", "").replace(/^0+/, "");
    const plain = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/.test(amount.text);
    if (!plain || digits2 === "" || digits2.length > most.digits) {
      this.wrong(field, "must be a number above 0 with at most 15 digits");
    }
    if (!coin) return;
    const units = smallest(amount.text, coin.decimals);
    if (units === null || units > familyOf(network).most) {
      this.wrong(field, `must have at most ${coin.decimals} decimals, and be no more than a transaction can pay`);
    }
  }
  params(at, network, all2 = []) {
    this.bounds(at + ".params", all2.length, most.params);
    const seen = /* @__PURE__ */ new Set();
    all2.forEach((param2, i) => {
      const field = `${at}.params[${i}]`;
      this.word(field + ".name", param2.name);
      this.line(field + ".label", param2.label, true);
      this.text(field + ".description", param2.description, false);
      if (seen.has(param2.name)) this.wrong(field + ".name", "is the name of two parameters");
      seen.add(param2.name);
      if (!isSolidity(param2.type ?? "") && !inputs.includes(param2.type)) {
        this.wrong(field + ".type", "is not a type of parameter");
      }
      this.value(field, network, param2);
    });
  }
  value(field, network, param2) {
    const choice = param2.type === "select" || param2.type === "radio";
    if (param2.fixed && param2.value === void 0) this.wrong(field + ".value", "is required, since it is fixed");
    else if (choice !== (param2.options ?? []).length > 0) {
      this.wrong(field + ".options", "must be there for select and radio, and for no other type");
    }
    if (param2.value !== void 0) this.scalar(field + ".value", param2.value);
    if (typeof param2.value === "string" && param2.type === "address") {
      this.address(field + ".value", network, param2.value);
    }
    if (choice) this.options(field, param2.options);
  }
  options(at, all2 = []) {
    if (all2.length === 0) this.wrong(at + ".options", "is required");
    this.bounds(at + ".options", all2.length, most.options);
    all2.forEach((option2, i) => {
      const field = `${at}.options[${i}]`;
      this.line(field + ".label", option2.label, true);
      this.text(field + ".description", option2.description, false);
      this.scalar(field + ".value", option2.value);
    });
  }
  scalar(field, value) {
    if (typeof value === "string") return this.text(field, value, false);
    if (typeof value !== "boolean" && !(value instanceof Digits)) {
      this.wrong(field, "must be a text, a number or a boolean");
    }
  }
};
var isSolidity = (type) => /^(address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?|u?int([1-9][0-9]{0,2})?)$/.test(type);
var networkNamed = (networks, name) => networks.find((n) => n.slug === name) ?? networks.find((n) => n.names.includes(name)) ?? null;
var isLoopback = (host) => host === "localhost" || host === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(host);
function urlOf(text) {
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

// src/check.js
var mostBytes = 64 << 10;
var option = { label: "string", value: "any", description: "string", nextActionId: "string" };
var condition = { field: "string", operator: "string", value: "any" };
var param = {
  name: "string",
  type: "string",
  label: "string",
  description: "string",
  required: "boolean",
  fixed: "boolean",
  value: "any",
  options: [option]
};
var action = {
  type: "string",
  id: "string",
  label: "string",
  title: "string",
  description: "string",
  chains: { source: "string", destination: "string" },
  to: "string",
  token: "string",
  amount: "number",
  address: "string",
  abi: "any",
  functionName: "string",
  path: "string",
  method: "string",
  params: [param],
  initialActionId: "string",
  nextActions: [{ actionId: "string", conditions: [condition] }],
  options: [option],
  message: "string",
  status: "string"
};
action.actions = [action];
var metadata = {
  url: "string",
  icon: "string",
  title: "string",
  description: "string",
  baseUrl: "string",
  actions: [action]
};
function fits(value, form) {
  if (form === "any") return value !== null;
  if (form === "number") return value instanceof Digits;
  if (typeof form === "string") return typeof value === form;
  if (Array.isArray(form)) return Array.isArray(value) && value.every((item2) => fits(item2, form[0]));
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Digits) && Object.keys(value).every((name) => Object.hasOwn(form, name) && fits(value[name], form[name]));
}
function read(text, { networks, local }) {
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
  if (c.based = Boolean(m.baseUrl)) c.url("baseUrl", m.baseUrl);
  const actions = m.actions ?? [];
  if (actions.length === 0 || actions.length > most.actions) c.wrong("actions", `must be 1 to ${most.actions}`);
  actions.forEach((a, i) => oneAction(c, `actions[${i}]`, a, false));
}
var members = {
  transfer: "chains to token amount",
  blockchain: "chains address abi functionName params amount",
  http: "path method params",
  dynamic: "chains path params",
  flow: "initialActionId actions",
  completion: "message status",
  decision: "title options"
};
var checks = { transfer, blockchain, http, dynamic, flow, completion, decision };
function oneAction(c, at, a, step) {
  const known2 = Object.hasOwn(members, a.type ?? "");
  const onlyStep = a.type === "completion" || a.type === "decision";
  if (!known2 || step && a.type === "flow" || !step && onlyStep) {
    return c.wrong(at + ".type", "is not a type of action here");
  }
  const allowed = ["type", "label", "description", ...members[a.type].split(" ")];
  if (step) {
    allowed.push("id", "nextActions");
    c.word(at + ".id", a.id);
  }
  for (const name of Object.keys(action)) {
    if (a[name] !== void 0 && a[name] !== "" && !allowed.includes(name)) {
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
  c.word(at + ".functionName", a.functionName);
  const called = functionOf(a);
  if (!called) c.wrong(at + ".functionName", "must be exactly one function of abi");
  c.params(at, network, a.params);
  (a.params ?? []).forEach((p, i) => {
    if (!called?.inputs.some((input) => input?.name === p.name)) {
      c.wrong(`${at}.params[${i}].name`, "is no parameter of the function");
    }
  });
}
function functionOf(a) {
  if (!Array.isArray(a.abi) || !a.functionName) return null;
  const found2 = a.abi.filter((item2) => item2?.type === "function" && item2.name === a.functionName);
  if (found2.length !== 1) return null;
  const inputs2 = found2[0].inputs ?? [];
  return Array.isArray(inputs2) ? { ...found2[0], inputs: inputs2 } : null;
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
  const ids = /* @__PURE__ */ new Set();
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
function conditions(c, at, all2 = []) {
  all2.forEach((one2, i) => {
    const field = `${at}.conditions[${i}]`;
    c.word(field + ".field", one2.field);
    c.scalar(field + ".value", one2.value);
    if (!["eq", "ne", "gt", "lt", "gte", "lte", "contains"].includes(one2.operator)) {
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

// src/plan.js
var listedToken = (network, tokens2, address2) => [...network.tokens, ...tokens2.filter((t) => network.chainId ? t.chainId === network.chainId : t.chain === network.slug)].find((t) => familyOf(network).same(t.address, address2)) ?? null;
var symbols = (networks, tokens2) => /* @__PURE__ */ new Set([...networks.flatMap((n) => [n.native.symbol, ...n.tokens.map((t) => t.symbol)]), ...tokens2.map((t) => t.symbol)]);
function refuseLookAlike({ networks, tokens: tokens2, metadata: metadata2 }, action2, network, address2) {
  if (listedToken(network, tokens2, address2)) return;
  const texts = [metadata2.title, metadata2.description, action2.label, action2.description ?? ""];
  for (const symbol of symbols(networks, tokens2)) {
    if (texts.some((text) => names(text, symbol))) {
      throw new Refusal(`It speaks of ${symbol}, but ${familyOf(network).canonical(address2)} is not ${symbol} on ${network.title}.`);
    }
  }
}
function refuseLookAlikes(world) {
  const each = (action2) => {
    const network = action2.chains && networkNamed(world.networks, action2.chains.source);
    if (action2.type === "transfer" && action2.token) refuseLookAlike(world, action2, network, action2.token);
    if (action2.type === "blockchain" && /^(transfer|transferFrom|approve|increaseAllowance|permit)$/.test(action2.functionName)) {
      refuseLookAlike(world, action2, network, action2.address);
    }
    action2.actions?.forEach(each);
  };
  world.metadata.actions.forEach(each);
}
async function makePlan(world, action2, values, ask2) {
  const network = networkNamed(world.networks, action2.chains.source);
  if (action2.type === "transfer") return planTransfer(world, action2, network, values, ask2);
  if (action2.type === "blockchain") return planCall(world, action2, network, values);
  throw new Refusal("It has no transaction.");
}
async function planTransfer(world, action2, network, values, ask2) {
  const family = familyOf(network);
  const token2 = action2.token ? await coinOf(world, network, action2.token, ask2) : null;
  const coin = token2 ?? network.native;
  const amount = smallest(action2.amount?.text ?? values.amount ?? "", coin.decimals);
  if (amount === null || amount > family.most) {
    throw new Invalid("amount", amount ? "is more than a payment can have" : `must be a number above 0, such as 2.50, with at most ${coin.decimals} decimals`);
  }
  const to = family.canonical(action2.to);
  const lost = family.unpayable(to);
  if (lost) throw new Refusal(lost);
  const written = `${whole(amount, coin.decimals)} ${coin.symbol}`;
  const away = action2.chains.destination && networkNamed(world.networks, action2.chains.destination);
  const plan = {
    headline: `Send ${written}`,
    network,
    warnings: [...coin.warnings ?? [], ...family.warn(to)],
    rows: [["Amount", written], ["To", to, "address"], ...tokenRows(network, token2), ["Network", networkText(network)]]
  };
  if (away) {
    plan.rows.push(["Arrives on", networkText(away)]);
    return { ...plan, crossing: true };
  }
  plan.rows.push(...family.costs({ token: token2 }));
  plan.transaction = family.payment({ to, amount, token: token2 });
  return plan;
}
var networkText = (network) => network.chainId ? `${network.title}, chain id ${network.chainId}` : network.title;
var tokenRows = (network, token2) => token2 ? [["Token", token2.warnings ? `not listed on ${network.title}` : `${token2.symbol} as listed on ${network.title}`], [familyOf(network).contract, familyOf(network).canonical(token2.address), "address"]] : [["Token", `${network.native.symbol}, the coin of ${network.title}`]];
async function coinOf(world, network, address2, ask2) {
  const listed = listedToken(network, world.tokens, address2);
  if (listed) return listed;
  const told = await ask2(network, address2);
  const symbol = shown(told.symbol, 12);
  for (const one2 of symbols(world.networks, world.tokens)) {
    if (names(String(told.symbol), one2)) {
      throw new Refusal(`The token calls itself ${one2}, but ${familyOf(network).canonical(address2)} is not ${one2} on ${network.title}.`);
    }
  }
  return { symbol, address: address2, decimals: told.decimals, warnings: [`${symbol || "This token"} is on no list. Its name is what its own contract says, which anybody can write.`] };
}
function planCall(world, action2, network, values) {
  const called = functionOf(action2);
  const params = new Map((action2.params ?? []).map((p) => [p.name, p]));
  const types = called.inputs.map((input) => {
    if (typeof input?.type !== "string" || !isSolidity(input.type)) throw new Refusal(`${called.name} takes a value that this widget cannot write.`);
    if (!params.has(input.name)) throw new Refusal(`${called.name} takes a value of which nothing is said.`);
    return input.type;
  });
  const given = called.inputs.map((input) => values[input.name] ?? "");
  called.inputs.forEach((input, i) => encodable(input, types[i], given[i]));
  const value = action2.amount ? smallest(action2.amount.text, network.native.decimals) : 0n;
  if (value === null) throw new Refusal("Its amount is finer than the coin.");
  if (value > 0n && called.stateMutability && called.stateMutability !== "payable") throw new Refusal(`${called.name} takes no coin.`);
  const transaction = { to: checksummed(action2.address), value, data: encodeCall(called.name, types, given) };
  const rows2 = called.inputs.map((input, i) => [params.get(input.name).label, given[i], types[i] === "address" ? "address" : ""]);
  return describeCall(world, network, transaction, { called: `${called.name}(${types.join(", ")})`, rows: rows2 });
}
function encodable(input, type, value) {
  try {
    encodeCall("f", [type], [value]);
  } catch (error) {
    if (error instanceof Unfit) throw new Invalid(input.name, error.message);
    throw error;
  }
}
function describeCall(world, network, transaction, { called, rows: rows2 = [] } = {}) {
  const token2 = listedToken(network, world.tokens, transaction.to);
  const plan = { network, transaction, warnings: [], rows: [] };
  const told = token2 && decodeToken(transaction.data);
  if (told) return tokenCall(plan, network, token2, told);
  if (transaction.data === "0x") {
    plan.headline = `Send ${whole(transaction.value, network.native.decimals)} ${network.native.symbol}`;
    plan.rows = [["Amount", plan.headline.slice(5)], ["To", transaction.to, "address"], ["Network", networkText(network)]];
    return plan;
  }
  plan.headline = called ? `Call ${called.split("(")[0]}` : "Call a contract";
  plan.rows = [
    ["Contract", transaction.to, "address"],
    ["Function", called ?? transaction.data.slice(0, 10)],
    ...rows2,
    ["Pays", `${whole(transaction.value, network.native.decimals)} ${network.native.symbol}`],
    ["Network", networkText(network)]
  ];
  plan.warnings.push(called ? "What the contract does with this call is its own business. Your wallet shows more of it." : "Only the server that made this call knows what it does. Read what your wallet shows before you agree.");
  if (token2) plan.rows.splice(1, 0, ["Token", `${token2.symbol} as listed on ${network.title}`]);
  return plan;
}
function tokenCall(plan, network, token2, { name, addresses, amount }) {
  const all2 = amount >= 1n << 255n;
  const written = all2 ? `all your ${token2.symbol}, without limit` : `${whole(amount, token2.decimals)} ${token2.symbol}`;
  const last = addresses.at(-1);
  const spends = name === "approve" || name === "increaseAllowance";
  plan.headline = spends ? `Let somebody take ${written}` : `Send ${written}`;
  if (spends) plan.warnings.push(`Whoever has that address may take ${written}, at any time.`);
  if (isZero(last) && !spends) throw new Refusal("It would pay to the zero address, from which nothing returns.");
  plan.rows = [
    [spends ? "May take" : "Amount", written],
    ...name === "transferFrom" ? [["From", addresses[0], "address"]] : [],
    [spends ? "Who may take it" : "To", last, "address"],
    ...tokenRows(network, token2),
    ["Network", networkText(network)]
  ];
  if (plan.transaction.value > 0n) throw new Refusal("It sends coins to a token, which would be lost.");
  return plan;
}
var request = (plan, from) => ({
  from,
  to: plan.transaction.to,
  value: quantity(plan.transaction.value),
  data: plan.transaction.data,
  chainId: quantity(BigInt(plan.network.chainId))
});

// src/load.js
var patience = 1e4;
var mostPages = 20;
var mostList = 1 << 20;
async function fetchText(url, { signal, most: most2, ...init }) {
  const over = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    const answer = await fetch(url, {
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      ...init,
      signal: over
    });
    if (!answer.ok) throw new Unreachable(`${url.host} answers with ${answer.status}.`);
    return await readCapped(answer, url, most2);
  } catch (error) {
    if (signal.aborted || error instanceof Refusal || error instanceof Unreachable) throw error;
    throw new Unreachable(`${url.host} does not answer.`);
  }
}
async function readCapped(answer, url, most2) {
  const parts = [];
  let length = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((length += value.length) > most2) {
      reader.cancel();
      throw new Refusal(`What ${url.host} answers is too long.`);
    }
    parts.push(value);
  }
  const whole2 = new Uint8Array(length);
  parts.reduce((at, part) => (whole2.set(part, at), at + part.length), 0);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole2);
  } catch {
    throw new Refusal(`What ${url.host} answers is no text.`);
  }
}
function address(text, what, sandbox2) {
  const url = URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : null;
  const local = sandbox2 && url?.protocol === "http:" && isLoopback(url.hostname);
  if (!url || !urlOf(url.href) || url.protocol !== "https:" && !local) {
    throw new Refusal(`The attribute ${what} of this widget is not an https address.`);
  }
  return url;
}
async function fetchJSON(url, signal) {
  const text = await fetchText(url, { signal, most: mostList });
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreachable(`What ${url.host} answers is no JSON.`);
  }
}
var lists = /* @__PURE__ */ new Map();
function shared(url, read2) {
  const kept = lists.get(url.href);
  if (kept && Date.now() - kept.at < 6e4) return kept.promise;
  const promise = read2(url, new AbortController().signal);
  lists.set(url.href, { at: Date.now(), promise });
  promise.catch(() => lists.delete(url.href));
  return promise;
}
async function loadHosts(directory, signal) {
  const hosts = /* @__PURE__ */ new Map();
  let cursor = "";
  for (let page = 0; page < mostPages; page++) {
    const url = new URL(directory);
    url.searchParams.set("limit", "100");
    if (cursor) url.searchParams.set("cursor", cursor);
    const { data, meta } = await fetchJSON(url, signal);
    if (!Array.isArray(data)) throw new Unreachable(`${url.host} gives no directory.`);
    for (const { host, securityState } of data) {
      const name = hostOf("https://" + host);
      if (name && hosts.get(name) !== "denied") hosts.set(name, securityState === "trusted" ? "trusted" : "denied");
    }
    cursor = meta?.nextCursor;
    if (!cursor) return hosts;
  }
  throw new Unreachable("The directory is too long for this widget.");
}
var hostOf = (url) => URL.canParse(url) ? new URL(url).host : "";
async function loadTokens(list2, signal) {
  const { data } = await fetchJSON(list2, signal);
  if (!Array.isArray(data)) throw new Unreachable("The list of tokens cannot be read.");
  return data.filter((t) => (Number.isSafeInteger(t?.chainId) || typeof t?.chain === "string") && /^0x[0-9a-fA-F]{40}$|^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(t.address) && /^[A-Za-z0-9.]{1,16}$/.test(t.symbol) && Number.isInteger(t.decimals) && t.decimals >= 0 && t.decimals <= 36).map(({ chainId, chain, address: at, symbol, decimals }) => ({ chainId, chain, address: at, symbol, decimals }));
}
async function load({ src, directory, tokenList, networks, sandbox: sandbox2, signal }) {
  const [text, hosts, tokens2] = await Promise.all([
    fetchText(src, { signal, most: mostBytes }),
    directory ? shared(directory, loadHosts) : /* @__PURE__ */ new Map(),
    tokenList ? shared(tokenList, loadTokens) : []
  ]);
  const { metadata: metadata2, problem: problem2 } = read(text, { networks, local: sandbox2 });
  if (problem2) throw new Refusal(`What ${src.host} says of it is not as it should be: ${problem2.field} ${problem2.constraint}.`);
  const named = [src.href, metadata2.url, metadata2.icon, metadata2.baseUrl, ...paths(metadata2.actions)].filter(Boolean);
  const denied = named.map(hostOf).find((host) => hosts.get(host) === "denied");
  if (denied) throw new Refusal(`The directory warns of ${denied}.`);
  const world = { metadata: metadata2, networks, tokens: tokens2, src };
  refuseLookAlikes(world);
  const unlisted = named.filter((url) => url !== metadata2.icon).map(hostOf).find((host) => hosts.get(host) !== "trusted" && (host !== directory?.host || host === hostOf(metadata2.url)));
  return { ...world, unlisted, host: hostOf(metadata2.url) };
}
var paths = (actions) => actions.flatMap((a) => [
  ...a.path && !a.path.startsWith("/") ? [a.path] : [],
  ...paths(a.actions ?? [])
]);
var endpoint = (metadata2, action2) => new URL(action2.path.startsWith("/") ? metadata2.baseUrl.replace(/\/$/, "") + action2.path : action2.path);

// src/backend.js
async function handOver(backend, { src, index, step, values }, options) {
  const text = await fetchText(backend, {
    signal: options.signal,
    most: 64 << 10,
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: src.href, action: index, ...step && { step }, params: values })
  });
  return linkOf(parsed(text), options);
}
var linkOf = (answer, { ceremonyOrigin, sandbox: sandbox2 }) => ceremonyLink(answer?.ceremonyUrl ?? answer?.data?.ceremonyUrl, ceremonyOrigin, sandbox2);
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
function ceremonyLink(link, ceremonyOrigin, sandbox2) {
  const url = typeof link === "string" && URL.canParse(link) ? new URL(link) : null;
  const safe = url?.protocol === "https:" || sandbox2 && url?.protocol === "http:" && isLoopback(url.hostname);
  if (!safe || url.username || url.password || url.origin !== ceremonyOrigin) {
    throw new Refusal("The backend names another page than the one at which you agree. Nothing was opened.");
  }
  return url.href;
}
async function ask(url, method, params, signal) {
  const init = { signal, most: 256 << 10, method };
  if (method === "GET") {
    for (const { name, value } of params) url.searchParams.set(name, value);
  } else {
    init.body = `{${params.map(({ name, value, type }) => `${JSON.stringify(name)}:${literal(value, type)}`).join()}}`;
    init.headers = { "Content-Type": "application/json" };
  }
  return parsed(await fetchText(url, init));
}
function literal(value, type) {
  if (type === "number" && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value)) return value;
  if ((type === "boolean" || type === "bool") && /^(true|false)$/.test(value)) return value;
  return JSON.stringify(value);
}
var keyWords = /(api|secret|private|client)[-_]?key|secret|authorization|bearer|password|^rk_/i;
var holdsKey = (attributes2) => Array.from(attributes2).some(({ name, value }) => keyWords.test(name) || /\brk_[a-z]*_?[A-Za-z0-9_-]{20,}|(ApiKey|Bearer)\s|[?&](api_?key|key|token|secret)=|:\/\/[^/]*@/i.test(value));

// src/flow.js
var nextStep = (action2, answers) => (action2.nextActions ?? []).find((next) => (next.conditions ?? []).every((one2) => holds(one2, answers)))?.actionId;
function holds({ field, operator, value }, answers) {
  if (!Object.hasOwn(answers, field)) return false;
  const [given, wanted] = [textValue(answers[field]), textValue(value)];
  switch (operator) {
    case "eq":
      return given === wanted;
    case "ne":
      return given !== wanted;
    case "contains":
      return given.includes(wanted);
  }
  const order = compare(given, wanted);
  return order !== null && { gt: order > 0, lt: order < 0, gte: order >= 0, lte: order <= 0 }[operator];
}
function compare(a, b) {
  const parts = [a, b].map((text) => /^(-?)([0-9]{1,40})(?:\.([0-9]{1,40}))?$/.exec(text));
  if (parts.includes(null)) return null;
  const [x, y] = parts.map(([, sign, whole2, fraction = ""]) => BigInt(sign + whole2 + fraction.padEnd(40, "0")));
  return x < y ? -1 : x > y ? 1 : 0;
}

// src/view.js
function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === void 0 || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== void 0 && child !== false));
  return node;
}
var quote = (text, props = {}) => el("bdi", props, text);
var note = (kind, ...children) => el("p", { class: "note " + kind }, ...children);
var fours = (address2) => el("code", {}, ...(address2.match(/^0x|.{1,4}/g) ?? []).map((four) => el("span", {}, four)));
var rows = (all2) => el("dl", {}, ...all2.map(([name, value, kind]) => el("div", { class: "row" }, el("dt", {}, quote(name)), el("dd", {}, kind === "address" ? fours(value) : quote(value)))));
function icon(url, title) {
  const letter = el("span", { class: "icon letter", "aria-hidden": "true" }, [...title.trim()][0].toUpperCase());
  const image = el("img", { class: "icon", alt: "", width: "44", height: "44", referrerpolicy: "no-referrer", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(letter));
  image.src = url;
  return image;
}

// src/form.js
var made = 0;
function newForm(action2, network, coin, submit) {
  const fields = fieldsOf(action2, network, coin);
  const button = el("button", { type: "submit", class: "main" }, quote(action2.label));
  const form = el(
    "form",
    { novalidate: true, class: "action", submit: onSubmit },
    action2.description && el("p", { class: "plain", dir: "auto" }, action2.description),
    fields.map((f) => f.node),
    button
  );
  function onSubmit(event) {
    event.preventDefault();
    const wrong2 = fields.filter((field) => !field.check());
    if (wrong2.length > 0) return wrong2[0].focus();
    submit({ ...fixedValues(action2), ...Object.fromEntries(fields.map((f) => [f.name, f.value()])) });
  }
  return {
    form,
    refuse(name, message) {
      const field = fields.find((one2) => one2.name === name);
      field?.refuse(message);
      field?.focus();
      return Boolean(field);
    },
    busy(is) {
      button.disabled = is;
    },
    focus() {
      button.focus();
    }
  };
}
function fieldsOf(action2, network, coin) {
  if (action2.type === "transfer") {
    return action2.amount ? [] : [newField({ name: "amount", type: "amount", label: "Amount", required: true, coin })];
  }
  if (action2.type === "decision") {
    return [newField({
      name: "choice",
      type: "radio",
      label: action2.title,
      required: true,
      options: action2.options.map((o, i) => ({ ...o, value: String(i) }))
    })];
  }
  const needed = action2.type === "blockchain";
  return (action2.params ?? []).filter((p) => !p.fixed).map((p) => newField({ ...p, network, required: p.required || needed && p.type !== "string" }));
}
var fixedValues = (action2) => Object.fromEntries((action2.params ?? []).filter((p) => p.fixed).map((p) => [p.name, textValue(p.value)]));
function newField(spec) {
  const id = `f${++made}`;
  const wrong2 = el("p", { class: "wrong", id: id + "-wrong" });
  const helped = Boolean(spec.description || hint(spec));
  const help = helped && el("small", { id: id + "-help", dir: "auto" }, [spec.description, hint(spec)].filter(Boolean).join(" "));
  const described = [helped && id + "-help", id + "-wrong"].filter(Boolean).join(" ");
  const input = inputOf(spec, id, described);
  const field = {
    name: spec.name,
    node: wrap(spec, id, input, help, wrong2),
    value: input.value,
    focus: () => input.first.focus(),
    refuse(message) {
      wrong2.textContent = message ? `${spec.label}: ${message}.` : "";
      for (const node of input.all) message ? node.setAttribute("aria-invalid", "true") : node.removeAttribute("aria-invalid");
    },
    check() {
      const message = problem(spec, input.value());
      field.refuse(message);
      return !message;
    }
  };
  for (const node of input.all) node.addEventListener("input", () => field.refuse(""));
  return field;
}
function wrap(spec, id, input, help, wrong2) {
  const optional = !spec.required && !isFlag(spec) && el("span", { class: "optional" }, " optional");
  if (spec.type === "radio") {
    return el("fieldset", { class: "field", "aria-describedby": id + "-wrong" }, el("legend", {}, quote(spec.label), optional), help, input.node, wrong2);
  }
  if (isFlag(spec)) return el("div", { class: "field" }, el("label", { class: "choice", for: id }, input.node, quote(spec.label)), help, wrong2);
  const unit = spec.coin && el("span", { class: "unit", "aria-hidden": "true" }, spec.coin.symbol);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, quote(spec.label), spec.coin && el("span", { class: "hidden" }, ` in ${spec.coin.symbol}`), optional),
    el("div", { class: "box" }, input.node, unit),
    help,
    wrong2
  );
}
var isFlag = (spec) => spec.type === "boolean" || spec.type === "bool";
var hint = (spec) => /^u?int/.test(spec.type) ? "A whole number." : "";
function inputOf(spec, id, described) {
  const initial = spec.value === void 0 ? "" : textValue(spec.value);
  const common = { id, "aria-describedby": described, "aria-required": spec.required ? "true" : void 0 };
  if (spec.type === "radio") return radios(spec, id, described, initial);
  if (isFlag(spec)) {
    const node2 = el("input", { ...common, type: "checkbox" });
    node2.checked = initial === "true";
    return one(node2, () => String(node2.checked));
  }
  if (spec.type === "select") {
    const node2 = el(
      "select",
      common,
      el("option", { value: "" }, "Choose"),
      spec.options.map((o, i) => el("option", { value: String(i), selected: textValue(o.value) === initial }, o.label))
    );
    return one(node2, () => node2.value === "" ? "" : textValue(spec.options[Number(node2.value)].value));
  }
  if (spec.type === "textarea") {
    const node2 = el("textarea", { ...common, rows: "3", maxlength: "1000" });
    node2.value = initial;
    return one(node2, () => node2.value);
  }
  const node = el("input", { ...common, ...attributes(spec.type), maxlength: "1000" });
  node.value = initial;
  return one(node, () => node.value.trim());
}
var one = (node, value) => ({ node, all: [node], first: node, value });
var attributes = (type) => ({
  type: type === "datetime" ? "datetime-local" : "text",
  autocomplete: "off",
  inputmode: type === "amount" || type === "number" ? "decimal" : { email: "email", url: "url" }[type] ?? (/^uint/.test(type) ? "numeric" : void 0),
  spellcheck: type === "text" || type === "string" ? void 0 : "false",
  autocapitalize: type === "text" || type === "string" ? void 0 : "none"
});
function radios(spec, id, described, initial) {
  const all2 = spec.options.map((o, i) => {
    const node2 = el("input", { type: "radio", name: id, id: `${id}-${i}`, value: String(i), "aria-describedby": described });
    node2.checked = initial !== "" && textValue(o.value) === initial;
    return node2;
  });
  const node = el("div", {}, all2.map((radio, i) => el(
    "label",
    { class: "choice", for: radio.id },
    radio,
    el("span", {}, quote(spec.options[i].label), spec.options[i].description && el("small", { dir: "auto" }, spec.options[i].description))
  )));
  const chosen = () => all2.findIndex((radio) => radio.checked);
  return { node, all: all2, first: all2[0], value: () => chosen() < 0 ? "" : textValue(spec.options[chosen()].value) };
}
function problem(spec, value) {
  if (value === "") return spec.required ? "enter it, please" : "";
  switch (spec.type) {
    case "amount":
      return smallest(value, 36) === null ? "must be a number above 0, such as 2.50" : "";
    case "number":
      return /^-?[0-9]+(\.[0-9]+)?$/.test(value) ? "" : "must be a number, such as 2.50";
    case "email":
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? "" : "must be a mail address";
    case "url":
      return urlOf(value)?.protocol === "https:" ? "" : "must be an address that begins with https://";
    case "address":
      return !spec.network || familyOf(spec.network).isAddress(value) ? "" : `must be an address: ${spec.network.typed}`;
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

// src/standard.js
var registered = /* @__PURE__ */ new Set();
var api = Object.freeze({
  register(...all2) {
    for (const wallet of all2) registered.add(wallet);
    return () => all2.forEach((wallet) => registered.delete(wallet));
  }
});
var welcome = (callback) => {
  try {
    callback(api);
  } catch {
  }
};
addEventListener("wallet-standard:register-wallet", ({ detail }) => welcome(detail));
dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
var connects = "standard:connect";
var sends = "solana:signAndSendTransaction";
var isSender = (wallet) => typeof wallet?.features?.[connects]?.connect === "function" && typeof wallet.features[sends]?.signAndSendTransaction === "function";
var isStandard = (wallet) => typeof wallet?.features === "object";
function standardWallets(own, options) {
  const all2 = own && isStandard(own) ? [own] : [...registered];
  return options.blocks ? all2.filter(isSender).slice(0, 8).map((wallet) => new StandardWallet(wallet, options)) : [];
}
async function asked(question, before) {
  try {
    return await question();
  } catch (error) {
    const told = shown(error?.message ?? "", 200);
    if (error?.code === 4001 || /\b(user|request)\b.*\b(reject|declin|denie|cancel)|\b(reject|declin|denie|cancel).*\b(user|request)\b/i.test(told)) {
      throw new WalletError("You said no in your wallet. Nothing was sent.");
    }
    if (/block ?hash|block height exceeded/i.test(told)) {
      throw new WalletError("It waited too long in your wallet: no block takes it any more. Nothing was sent. Try again.");
    }
    throw new WalletError(`Your wallet refuses${told ? ": " + told.replace(/\.$/, "") : ""}. ${before}`);
  }
}
var StandardWallet = class {
  constructor(wallet, options) {
    Object.assign(this, { wallet, options, name: shown(wallet.name ?? "", 32) || "your wallet" });
  }
  // connect gives the account that the user chooses, on the network of the plan.
  async connect(network) {
    const { accounts } = await asked(() => this.wallet.features[connects].connect(), "Nothing was sent.");
    const all2 = Array.from(accounts ?? []).filter(({ address: address2, publicKey }) => bytesOf(address2) && base58(Uint8Array.from(publicKey)) === address2);
    if (all2.length === 0) throw new WalletError("Your wallet gives no account.");
    const account = all2.find(({ chains }) => Array.from(chains ?? []).includes(chainOf(network)));
    if (!account) throw new WalletError(`Your wallet is not on ${network.title}. Switch it there, and try again.`);
    return account;
  }
  // send has the wallet sign and send a plan, and gives the hash with the last block that can have it.
  async send({ network, transaction }) {
    const account = await this.connect(network);
    if (account.address === transaction.to) throw new WalletError("This is the account of your wallet: it would pay itself.");
    const { blockhash, lastHeight } = await this.recent(network);
    const bytes = await unsigned(transaction, account.address, blockhash);
    const before = "Look there whether it was sent, before you pay again.";
    const [answer] = await asked(() => this.wallet.features[sends].signAndSendTransaction(
      { account, chain: chainOf(network), transaction: bytes }
    ), before);
    const signature = Uint8Array.from(answer?.signature ?? []);
    if (signature.length !== 64) throw new WalletError("Your wallet gives no hash. " + before);
    return { hash: base58(signature), lastHeight };
  }
  // recent asks the platform for a recent block, which the transaction names, and what became of a transaction.
  async recent(network, id = "") {
    const url = new URL(this.options.blocks.href.replace(/\/?$/, "/") + network.slug);
    if (id) url.searchParams.set("transaction", id);
    const { data } = await fetchJSON(url, this.options.signal);
    if (!bytesOf(data?.blockhash) || !Number.isSafeInteger(data.lastHeight)) throw new Unreachable(`${url.host} tells no recent block of ${network.title}.`);
    return data;
  }
  // confirmed waits until a transaction is in a final block, failed or is too old for any; null where that is not known.
  async confirmed({ hash, lastHeight }, network) {
    for (const end = Date.now() + patience2; Date.now() < end && !this.options.signal.aborted; ) {
      try {
        const { height, transaction } = await this.recent(network, hash);
        if (transaction?.id === hash && transaction.status !== "pending") return transaction.status;
        if (height > lastHeight) return "expired";
      } catch {
      }
      await new Promise((done) => setTimeout(done, 3e3));
    }
    return null;
  }
  askToken(network) {
    throw new Refusal(`The token is on no list of ${network.title}, and nobody else says what it is.`);
  }
};
var patience2 = 18e4;
var chainOf = (network) => "solana:" + network.cluster;

// src/wallet.js
var announced = /* @__PURE__ */ new Map();
addEventListener("eip6963:announceProvider", ({ detail }) => {
  if (typeof detail?.info?.uuid === "string" && typeof detail.provider?.request === "function") {
    announced.set(detail.info.uuid, { name: shown(detail.info.name, 32) || "your wallet", provider: detail.provider });
  }
});
function injectedWallets(own, { signal }) {
  return found(own).map(({ name, provider }) => ({
    name,
    connect: (network) => connect(provider, network),
    send: (plan) => send(provider, plan),
    confirmed: ({ hash }) => confirmed(provider, hash, signal),
    askToken: askToken(provider)
  }));
}
function found(own) {
  if (own) return [{ name: "your wallet", provider: own }];
  dispatchEvent(new Event("eip6963:requestProvider"));
  if (announced.size > 0) return [...announced.values()].slice(0, 8);
  return typeof globalThis.ethereum?.request === "function" ? [{ name: "your wallet", provider: globalThis.ethereum }] : [];
}
async function call(provider, method, params = []) {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    const code = error?.code;
    if (code === 4001) throw new WalletError("You said no in your wallet. Nothing was sent.");
    if (code === -32002) throw new WalletError("Your wallet still waits for an answer. Open it, and try again.");
    if (code === 4100) throw new WalletError("Your wallet does not let this page ask. Connect it, and try again.");
    const told = shown(error?.message ?? "", 200);
    throw Object.assign(new WalletError(`Your wallet refuses${told ? ": " + told : "."}`), { code });
  }
}
async function connect(provider, network) {
  const accounts = await call(provider, "eth_requestAccounts");
  const account = Array.isArray(accounts) ? accounts[0] : void 0;
  if (!isAddress(account)) throw new WalletError("Your wallet gives no account.");
  await switchTo(provider, network);
  return checksummed(account);
}
async function switchTo(provider, network) {
  const chainId = quantity(BigInt(network.chainId));
  const isThere = async () => BigInt(await call(provider, "eth_chainId")) === BigInt(network.chainId);
  if (await isThere()) return;
  try {
    await call(provider, "wallet_switchEthereumChain", [{ chainId }]);
  } catch (error) {
    if (error.code !== 4902) throw error;
    throw new WalletError(`Your wallet does not know ${network.title} (chain id ${network.chainId}). Add it there, and try again.`);
  }
  if (!await isThere()) throw new WalletError(`Your wallet is not on ${network.title}.`);
}
async function send(provider, plan) {
  const account = await connect(provider, plan.network);
  const hash = await call(provider, "eth_sendTransaction", [request(plan, account)]);
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new WalletError("Your wallet gives no hash. Look there whether it was sent.");
  return { hash: hash.toLowerCase() };
}
var patience3 = 18e4;
async function confirmed(provider, hash, signal) {
  for (const end = Date.now() + patience3; Date.now() < end && !signal.aborted; ) {
    try {
      const receipt = await provider.request({ method: "eth_getTransactionReceipt", params: [hash] });
      if (receipt) return receipt.transactionHash?.toLowerCase() !== hash ? null : BigInt(receipt.status) === 1n ? "confirmed" : "failed";
    } catch {
      return null;
    }
    await new Promise((done) => setTimeout(done, 1e3));
  }
  return null;
}
var askToken = (provider) => async (network, token2) => {
  await connect(provider, network);
  const read2 = (data) => call(provider, "eth_call", [{ to: token2, data }, "latest"]);
  const [decimals] = /^0x[0-9a-f]{64}/i.exec(await read2("0x313ce567")) ?? [];
  if (!decimals || BigInt(decimals) > 36n) throw new Refusal("The token does not say how many decimals it has.");
  return { symbol: textOf(await read2("0x95d89b41")), decimals: Number(decimals) };
};
function textOf(data) {
  const words = String(data).slice(2);
  const length = parseInt(words.slice(64, 128), 16);
  const digits2 = length <= 64 ? words.slice(128, 128 + 2 * length) : "";
  return new TextDecoder().decode(Uint8Array.from(digits2.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
}

// src/wallets.js
function walletsOf(network, own, options) {
  if (network.kind === "solana") return own && !isStandard(own) ? [] : standardWallets(own, options);
  return own && isStandard(own) ? [] : injectedWallets(own, options);
}

// src/acts.js
var paramsOf = (action2, values) => (action2.params ?? []).filter((p) => (values[p.name] ?? "") !== "").map((p) => ({ name: p.name, value: values[p.name], type: p.type }));
var readsServers = (network) => Boolean(familyOf(network).readTransaction);
function askToken2(wallet, ...token2) {
  if (!wallet) throw new Refusal("The token is on no list, and there is no wallet to ask about it.");
  return wallet.askToken(...token2);
}
var ends = {
  failed: "The network has refused it. What was to be sent is still yours, but for the fee.",
  expired: "No block took it in time, and none takes it any more: nothing was sent. Look in your wallet whether it tried again, before you pay again."
};
var Acts = class {
  // page shows states and tells the page of events: { show, say, tell, wallet }.
  constructor(world, options, page) {
    Object.assign(this, { world, options, page });
    this.flow = null;
  }
  // begin shows all buttons.
  begin() {
    this.flow = null;
    this.offer(this.world.metadata.actions.map((action2, index) => action2.type === "flow" ? this.opener(action2, index) : this.formOf(action2, index).form));
  }
  // offer shows forms, and keeps them with what is typed for who comes back.
  offer(forms) {
    this.offered = forms;
    this.page.show("ready", ...forms);
  }
  // opener begins a flow.
  opener(action2, index) {
    const start = () => {
      this.flow = { index, action: action2, answers: {} };
      this.step(action2.initialActionId);
    };
    return el(
      "div",
      { class: "action" },
      action2.description && el("p", { class: "plain", dir: "auto" }, action2.description),
      el("button", { type: "button", click: start }, quote(action2.label))
    );
  }
  // formOf is the form of a button, whose values go where its type says.
  formOf(action2, index) {
    const view = newForm(action2, this.networkOf(action2), this.coinOf(action2), (values) => this.submit(action2, index, values, view));
    return view;
  }
  networkOf(action2) {
    return action2.chains ? networkNamed(this.world.networks, action2.chains.source) : null;
  }
  wallets(network) {
    return walletsOf(network, this.page.wallet(), this.options);
  }
  // coinOf is what an amount is counted in, where that is known yet.
  coinOf(action2) {
    const network = this.networkOf(action2);
    if (!network || action2.type !== "transfer") return null;
    return action2.token ? listedToken(network, this.world.tokens, action2.token) : network.native;
  }
  async submit(action2, index, values, view) {
    view.busy(true);
    this.page.say("");
    try {
      if (action2.type === "decision") return this.decided(action2, values);
      if (action2.type === "http") return await this.request(action2, values);
      this.page.say("One moment.");
      const plan = await this.plan(action2, values);
      this.page.say("");
      this.review({ action: action2, index, values, plan, view });
    } catch (error) {
      this.explain(error, view);
    } finally {
      view.busy(false);
    }
  }
  plan(action2, values) {
    const network = this.networkOf(action2);
    const [first] = this.wallets(network);
    if (action2.type !== "dynamic") return makePlan(this.world, action2, values, (...token2) => askToken2(first, ...token2));
    return first && readsServers(network) && !this.options.ceremonyOrigin ? this.planDynamic(action2, values, first) : this.planUnknown(action2, values);
  }
  // planUnknown is a dynamic action before its server was asked: what is sent is known there, and later to whoever agrees.
  planUnknown(action2, values) {
    const network = this.networkOf(action2);
    const labels = new Map((action2.params ?? []).map((p) => [p.name, p.label]));
    return {
      network,
      headline: `Ask ${endpoint(this.world.metadata, action2).host} for a transaction`,
      unknown: true,
      warnings: ["What is sent is not known here yet. You see it before you agree."],
      rows: [...Object.entries(values).map(([name, value]) => [labels.get(name), value]), ["Network", networkText(network)]]
    };
  }
  // planDynamic asks the server of a dynamic action for its transaction, which has to be of the network that was named.
  async planDynamic(action2, values, wallet) {
    const network = this.networkOf(action2);
    this.page.say("Look at your wallet: it asks which account you use.");
    const account = await wallet.connect(network);
    const url = endpoint(this.world.metadata, action2);
    const answer = await ask(url, "POST", [...paramsOf(action2, values), { name: "account", value: account }], this.options.signal);
    const transaction = familyOf(network).readTransaction(answer.serializedTransaction);
    if (!transaction) throw new Refusal(`${url.host} answers with no transaction that this widget can read.`);
    if (transaction.chainId !== BigInt(network.chainId)) throw new Refusal(`${url.host} answers with a transaction of another network.`);
    return describeCall(this.world, network, transaction);
  }
  // request asks the server of an http action. No wallet is asked, and nothing is shown of the answer but a text.
  async request(action2, values) {
    const url = endpoint(this.world.metadata, action2);
    this.page.say(`Asking ${url.host}.`);
    const answer = await ask(url, action2.method || "GET", paramsOf(action2, values), this.options.signal);
    const told = typeof answer.message === "string" && answer.message.length <= 300 && isVisible(answer.message) ? answer.message : "";
    this.page.say("");
    this.finish(action2, values, [note("good", told ? quote(told) : `${url.host} has taken it.`)]);
  }
  // explain says what went wrong where the user is, and what to do.
  explain(error, view) {
    if (error instanceof Invalid && view.refuse(error.field, error.message)) return this.page.say("");
    const known2 = [Invalid, Refusal, Unreachable, WalletError].some((kind) => error instanceof kind);
    this.page.say(known2 ? error.message : "The widget met what it did not expect.", true);
    if (error instanceof Refusal) this.page.tell("refused", { reason: error.message });
  }
  // review shows in words what would be sent, and the ways to send it.
  review(order) {
    const { plan } = order;
    const heading = el("h3", { tabindex: "-1" }, quote(plan.headline));
    const ways = this.ways(order);
    const back = el("button", { type: "button", class: "second", click: () => this.back(order.view) }, "Back");
    this.page.show("review", el(
      "div",
      { class: "review" },
      heading,
      rows(plan.rows),
      plan.warnings.map((text) => note("warn", text)),
      ways.length === 0 && note("", this.noWay(plan)),
      el("div", { class: "buttons" }, ways, back)
    ));
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
    const all2 = [];
    if (order.plan.transaction) {
      for (const wallet of this.wallets(order.plan.network)) all2.push(button([verb, quote(wallet.name)], () => this.pay(order, wallet)));
    }
    if (order.plan.unknown && readsServers(order.plan.network)) {
      for (const wallet of this.wallets(order.plan.network)) all2.push(button([verb, quote(wallet.name)], () => this.reviewDynamic(order, wallet)));
    }
    if (this.options.backend || order.plan.unknown && this.options.ceremonyOrigin) {
      all2.push(button([verb, "your passkey"], () => this.passkey(order)));
    }
    if (this.options.handover) all2.push(button("Hand over to this page", () => this.handOver(order)));
    return all2;
  }
  // run keeps a button from being pressed twice, and brings it back where nothing was sent.
  async run(pressed, order, act) {
    const buttons = [...pressed.closest(".buttons").querySelectorAll("button")];
    for (const one2 of buttons) one2.disabled = true;
    try {
      await act();
    } catch (error) {
      this.explain(error, { refuse: () => false });
      for (const one2 of buttons) one2.disabled = false;
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
    return el(
      "div",
      { class: "note" },
      el("span", { class: "plain" }, "Transaction"),
      fours(hash),
      page && el("a", { class: "link", href: page, target: "_blank", rel: "noopener noreferrer" }, "See it in the explorer")
    );
  }
  // reviewDynamic shows the transaction that a dynamic action's server makes for a wallet.
  async reviewDynamic(order, wallet) {
    const plan = await this.planDynamic(order.action, order.values, wallet);
    this.page.say("");
    this.review({ ...order, plan });
  }
  // prepared is the link at which the user agrees, of the page's own backend or of a dynamic action's server.
  async prepared({ action: action2, index, values }) {
    const { backend, signal } = this.options;
    if (backend) {
      this.page.say(`Asking ${backend.host} to prepare it.`);
      return handOver(backend, { src: this.world.src, index, step: this.flow?.step, values }, this.options);
    }
    const url = endpoint(this.world.metadata, action2);
    this.page.say(`Asking ${url.host} to prepare it.`);
    return linkOf(await ask(url, "POST", paramsOf(action2, values), signal), this.options);
  }
  // passkey has a server prepare the payment, and leads to the page where the user agrees.
  async passkey(order) {
    const { plan, view } = order;
    const link = await this.prepared(order);
    this.page.say("");
    const open = el("a", { class: "main", href: link, target: "_blank", rel: "noopener noreferrer" }, "Continue at the passkey page");
    this.page.show("handed", el(
      "div",
      { class: "review" },
      el("h3", { tabindex: "-1" }, quote(plan.headline)),
      note("", "A page of ", quote(new URL(link).host), " opens and shows once more what is sent. Your passkey agrees to it there. This page never sees it."),
      el("div", { class: "buttons" }, open, el("button", { type: "button", class: "second", click: () => this.back(view) }, "Back"))
    ));
    open.focus();
    this.page.tell("handed", { origin: new URL(link).origin });
  }
  // handOver leaves the rest to the page around the widget.
  handOver({ action: action2, index, values }) {
    this.page.tell("handover", { metadata: this.world.src.href, index, type: action2.type, params: values });
    this.finish(action2, values, [note("good", "The page around this widget goes on with it.")]);
  }
  back(view) {
    this.page.say("");
    this.offer(this.offered);
    view.focus();
  }
  // finish ends a button, or goes on in its flow.
  finish(action2, values, nodes) {
    if (!this.flow) return this.end("done", nodes);
    Object.assign(this.flow.answers, values);
    const next = nextStep(action2, this.flow.answers);
    if (!next) return this.end("done", nodes);
    this.step(next, nodes);
  }
  // end shows how it ended, and gives the focus to what can be done next.
  end(state, nodes) {
    const again = el("button", { type: "button", class: "second", click: () => this.begin() }, "Back to the start");
    this.page.show(state, ...nodes, el("div", { class: "buttons" }, again));
    again.focus();
  }
  decided(action2, values) {
    const option2 = action2.options[Number(values.choice)];
    this.flow.answers[action2.id] = option2.value;
    const next = option2.nextActionId || nextStep(action2, this.flow.answers);
    if (next) return this.step(next);
    this.end("done", [note("", "That is all.")]);
  }
  // step shows a step of the flow, below what the one before it came to.
  step(id, before = []) {
    const { action: flow2, index } = this.flow;
    const action2 = flow2.actions.find((one2) => one2.id === id);
    this.flow.step = id;
    if (action2.type === "completion") {
      const kind = { success: "good", error: "bad", info: "" }[action2.status];
      return this.end("done", [...before, el("p", { class: "note about " + kind, dir: "auto" }, action2.message)]);
    }
    const { form } = this.formOf(action2, index);
    this.offer([...before, form]);
    form.querySelector("input, select, textarea, button").focus();
  }
};

// src/style.js
var light = `--ground: #ffffff; --ink: #16181d; --soft: #5b6270; --line: #dfe2e8; --edge: #8d95a3; --sunk: #f4f5f7;
  --blue: #1f5eff; --blue-ink: #ffffff; --good: #11703c; --good-ground: #e7f5ec; --warn: #7a4a00; --warn-ground: #fff3d9;
  --bad: #b3201f; --bad-ground: #fdeaea;`;
var dark = `--ground: #191c22; --ink: #eceef2; --soft: #9aa3b2; --line: #2c313a; --edge: #6b7382; --sunk: #101216;
  --blue: #7aa2ff; --blue-ink: #0b1020; --good: #6fd69a; --good-ground: #12301f; --warn: #ffd58a; --warn-ground: #33270d;
  --bad: #ff9c99; --bad-ground: #3a1718;`;
var css = `
:host { ${light} display: block; color-scheme: light; }
:host([theme="dark"]) { ${dark} color-scheme: dark; }
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { ${dark} color-scheme: dark; } }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
.card { padding: 20px; border: 1px solid var(--line); border-radius: 16px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; text-align: start; overflow-wrap: anywhere; }
.card.stop { border: 2px solid var(--bad); padding: 19px; }
header { display: flex; gap: 12px; align-items: center; }
header > div { min-width: 0; }
.icon { flex: none; width: 44px; height: 44px; border-radius: 12px; object-fit: cover; background: var(--sunk); }
.letter { display: grid; place-items: center; font-size: 20px; font-weight: 650; color: var(--soft); }
.letter.bad { background: var(--bad-ground); color: var(--bad); }
.letter.warn { background: var(--warn-ground); color: var(--warn); }
h2, h3, p, dl, dd, fieldset { margin: 0; }
h2 { font-size: 18px; line-height: 1.3; font-weight: 650; }
h3 { font-size: 22px; line-height: 1.25; font-weight: 650; }
h2:focus-visible, h3:focus-visible { outline: none; }
bdi { unicode-bidi: isolate; }
.host { font-size: 14px; line-height: 1.4; color: var(--soft); }
.host .ok { color: var(--good); }
.host .no { color: var(--warn); }
.about { margin-top: 12px; white-space: pre-line; }
.plain, small { color: var(--soft); }
small { display: block; font-size: 14px; margin-top: 4px; }
.action { margin-top: 16px; }
.action + .action { padding-top: 16px; border-top: 1px solid var(--line); }
.action > .plain { margin-bottom: 10px; white-space: pre-line; }
.field { margin-bottom: 4px; padding: 0; border: 0; min-width: 0; }
label, legend { display: block; padding: 0; font-weight: 600; }
.optional { color: var(--soft); font-weight: 400; font-size: 14px; }
.box { position: relative; display: flex; align-items: center; margin-top: 6px; }
.unit { position: absolute; inset-inline-end: 14px; color: var(--soft); pointer-events: none; }
.box:has(.unit) input { padding-inline-end: 72px; }
input:not([type="radio"], [type="checkbox"]), select, textarea { width: 100%; min-height: 48px; padding: 10px 14px;
  border: 1px solid var(--edge); border-radius: 12px; background: var(--ground); color: inherit; font: inherit; }
[aria-invalid] { border-color: var(--bad) !important; box-shadow: 0 0 0 1px var(--bad); }
.choice { display: flex; gap: 10px; align-items: center; min-height: 44px; font-weight: 400; }
.choice input { flex: none; width: 20px; height: 20px; margin: 0; accent-color: var(--blue); }
.choice small { margin: 0; }
.wrong { min-height: 21px; margin-top: 2px; color: var(--bad); font-size: 14px; line-height: 21px; }
button, a.main { display: block; width: 100%; min-height: 48px; padding: 11px 20px; border: 1px solid transparent; border-radius: 12px;
  background: var(--blue); color: var(--blue-ink); font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer; }
button + button, a.main + button { margin-top: 8px; }
button.second { background: none; border-color: var(--edge); color: inherit; font-weight: 500; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
.review { margin-top: 16px; padding-top: 16px; border-top: 1px solid var(--line); }
.row { display: grid; grid-template-columns: minmax(84px, 1fr) 3fr; gap: 12px; padding: 9px 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); font-size: 14px; line-height: 24px; }
dl { margin: 8px 0 16px; }
code { display: flex; flex-wrap: wrap; column-gap: 6px; font: 14px/24px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.note { margin-top: 12px; padding: 10px 14px; border-radius: 12px; background: var(--sunk); }
.note.good { background: var(--good-ground); color: var(--good); }
.note.warn { background: var(--warn-ground); color: var(--warn); }
.note.bad { background: var(--bad-ground); color: var(--bad); }
.buttons { margin-top: 16px; }
.status { margin-top: 12px; color: var(--soft); font-size: 14px; line-height: 21px; }
.status.wrong { margin-top: 12px; color: var(--bad); }
.status:empty { margin: 0; min-height: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.link { color: var(--blue); }
@media (prefers-reduced-motion: no-preference) {
  .card[aria-busy="true"] .status { animation: breathe 1.6s ease-in-out infinite; }
  @keyframes breathe { 50% { opacity: .5; } }
}
@media (forced-colors: active) { .card, button, .note { border: 1px solid; } }
`;
var sheet;
function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}

// src/element.js
var watched = ["src", "backend", "directory", "tokens", "blocks", "ceremony-origin", "sandbox", "allow-unlisted", "handover"];
var RailkitWidget = class extends HTMLElement {
  static observedAttributes = watched;
  // wallet is a provider of EIP-1193, or a wallet of the Wallet Standard, that the page gives; without one those of the
  // browser are offered.
  wallet = null;
  #root = this.attachShadow({ mode: "open" });
  #card = el("section", { class: "card", "aria-busy": "true" });
  #head = el("div");
  #body = el("div");
  #status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  #running = null;
  // ends what was begun for the attributes as they were
  #due = false;
  constructor() {
    super();
    this.#root.adoptedStyleSheets = [styleSheet()];
    this.#card.append(this.#head, this.#body, this.#status);
    this.#root.append(this.#card);
  }
  connectedCallback() {
    this.#soon();
  }
  disconnectedCallback() {
    this.#running?.abort();
  }
  attributeChangedCallback() {
    this.#soon();
  }
  // reload begins anew, as after a change of an attribute.
  reload() {
    this.#soon();
  }
  // state is what the widget is at: loading, ready, review, paying, sent, done, failed, refused, unlisted, unreachable.
  get state() {
    return this.dataset.state ?? "loading";
  }
  // #soon begins once, however many attributes change at a time.
  #soon() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (this.isConnected) this.#begin();
    });
  }
  async #begin() {
    this.#running?.abort();
    const running = this.#running = new AbortController();
    this.#show("loading", [el("h2", {}, "One moment")], []);
    this.#say("The widget loads.");
    try {
      const options = this.#options(running.signal);
      const world = await load(options);
      if (running.signal.aborted) return;
      if (world.unlisted && !options.allowUnlisted) return this.#unlisted(world);
      this.#ready(world, options);
    } catch (error) {
      if (!running.signal.aborted) this.#fail(error);
    }
  }
  #options(signal) {
    if (holdsKey(this.attributes)) throw new Refusal("This page holds a key that every visitor can read. Tell whoever runs the page.");
    const sandbox2 = this.hasAttribute("sandbox");
    const url = (name) => this.hasAttribute(name) ? address(this.getAttribute(name), name, sandbox2) : null;
    const directory = url("directory");
    if (!this.getAttribute("src")) throw new Refusal("This widget has no attribute src.");
    return {
      src: url("src"),
      backend: url("backend"),
      directory,
      signal,
      sandbox: sandbox2,
      tokenList: url("tokens") ?? (directory && new URL("tokens/all/usdc", directory)),
      blocks: url("blocks") ?? (directory && new URL("blocks/recent", directory)),
      networks: sandbox2 ? sandbox : production,
      ceremonyOrigin: url("ceremony-origin")?.origin,
      handover: this.hasAttribute("handover"),
      allowUnlisted: this.hasAttribute("allow-unlisted")
    };
  }
  #ready(world, options) {
    const { metadata: metadata2 } = world;
    const listed = world.unlisted ? el("span", { class: "no" }, "not in the directory") : el("span", { class: "ok" }, "in the directory");
    const acts = new Acts(world, options, {
      show: (state, ...nodes) => this.#enter(state, nodes),
      say: (text, wrong2) => this.#say(text, wrong2),
      tell: (name, detail) => this.#tell(name, detail),
      wallet: () => this.wallet
    });
    this.#show("ready", [
      el("header", {}, icon(metadata2.icon, metadata2.title), el(
        "div",
        {},
        el("h2", { id: "title", tabindex: "-1" }, quote(metadata2.title)),
        el("p", { class: "host" }, quote(world.host), " \xB7 ", listed)
      )),
      el("p", { class: "about", dir: "auto" }, metadata2.description)
    ], []);
    this.#say("");
    acts.begin();
  }
  #unlisted({ unlisted }) {
    this.#show("unlisted", this.#stopHead("Not in the directory", "?", "warn"), [
      note("warn", "Nobody in the directory of this page vouches for ", quote(unlisted), ". So this widget offers no button.")
    ]);
    this.#say("");
  }
  #fail(error) {
    if (error instanceof Unreachable) {
      const again = el("button", { type: "button", class: "second", click: () => this.reload() }, "Try again");
      this.#show("unreachable", this.#stopHead("This did not load", "\u2026", "warn"), [note("", error.message), el("div", { class: "buttons" }, again)]);
    } else {
      const told = error instanceof Refusal ? error.message : "The widget met what it did not expect.";
      this.#show("refused", this.#stopHead("This widget is refused", "!"), [note("bad", told)]);
      this.#card.classList.add("stop");
      this.#tell("refused", { reason: told });
    }
    this.#say("");
  }
  #stopHead(title, mark, kind = "bad") {
    return [el("header", {}, el("span", { class: "icon letter " + kind, "aria-hidden": "true" }, mark), el("div", {}, el("h2", { id: "title", tabindex: "-1" }, title)))];
  }
  #show(state, head, body) {
    this.#card.classList.remove("stop");
    this.#card.setAttribute("aria-labelledby", "title");
    this.#head.replaceChildren(...head);
    this.#enter(state, body);
  }
  // #enter puts the part below the head into a state, and tells the page.
  #enter(state, nodes) {
    this.#body.replaceChildren(...nodes);
    this.#card.setAttribute("aria-busy", String(["loading", "preparing", "paying", "sent"].includes(state)));
    if (this.dataset.state === state) return;
    this.dataset.state = state;
    this.#tell("state", { state });
  }
  #say(text, wrong2 = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("wrong", wrong2);
  }
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent("railkit-" + name, { detail, bubbles: true, composed: true }));
  }
};
if (!customElements.get("railkit-widget")) customElements.define("railkit-widget", RailkitWidget);
export {
  RailkitWidget
};

// The user's own wallet, by EIP-1193. Wallets announce themselves by EIP-6963; one that does not is window.ethereum.

import { checksummed, isAddress } from "./address.js";
import { Refusal, WalletError } from "./errors.js";
import { request } from "./plan.js";
import { shown } from "./text.js";
import { quantity } from "./units.js";

const announced = new Map();

addEventListener("eip6963:announceProvider", ({ detail }) => {
  if (typeof detail?.info?.uuid === "string" && typeof detail.provider?.request === "function") {
    announced.set(detail.info.uuid, { name: shown(detail.info.name, 32) || "your wallet", provider: detail.provider });
  }
});

// injectedWallets lists those of this browser; own is the one that the page gives.
export function injectedWallets(own, { signal }) {
  return found(own).map(({ name, provider }) => ({
    name, connect: (network) => connect(provider, network), send: (plan) => send(provider, plan),
    confirmed: ({ hash }) => confirmed(provider, hash, signal), askToken: askToken(provider),
  }));
}

function found(own) {
  if (own) return [{ name: "your wallet", provider: own }];
  dispatchEvent(new Event("eip6963:requestProvider"));
  if (announced.size > 0) return [...announced.values()].slice(0, 8);
  return typeof globalThis.ethereum?.request === "function" ? [{ name: "your wallet", provider: globalThis.ethereum }] : [];
}

// call asks a wallet, and says in words what it refuses.
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

// connect gives the account that the user chooses, on the network of the plan.
async function connect(provider, network) {
  const accounts = await call(provider, "eth_requestAccounts");
  const account = Array.isArray(accounts) ? accounts[0] : undefined;
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

// send has the wallet sign and send a plan, and gives the hash.
async function send(provider, plan) {
  const account = await connect(provider, plan.network);
  const hash = await call(provider, "eth_sendTransaction", [request(plan, account)]);
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new WalletError("Your wallet gives no hash. Look there whether it was sent.");
  return { hash: hash.toLowerCase() };
}

const patience = 180_000;

// confirmed waits until a transaction is in a block, or failed there; null where that is not known.
async function confirmed(provider, hash, signal) {
  for (const end = Date.now() + patience; Date.now() < end && !signal.aborted;) {
    try {
      const receipt = await provider.request({ method: "eth_getTransactionReceipt", params: [hash] });
      if (receipt) return receipt.transactionHash?.toLowerCase() !== hash ? null : BigInt(receipt.status) === 1n ? "confirmed" : "failed";
    } catch {
      return null; // it is sent: what a wallet says now changes nothing
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
  return null;
}

// askToken reads symbol and decimals of a token that is not listed.
const askToken = (provider) => async (network, token) => {
  await connect(provider, network);
  const read = (data) => call(provider, "eth_call", [{ to: token, data }, "latest"]);
  const [decimals] = /^0x[0-9a-f]{64}/i.exec(await read("0x313ce567")) ?? [];
  if (!decimals || BigInt(decimals) > 36n) throw new Refusal("The token does not say how many decimals it has.");
  return { symbol: textOf(await read("0x95d89b41")), decimals: Number(decimals) };
};

// textOf reads a text as contracts return it; "" is one that cannot be read.
function textOf(data) {
  const words = String(data).slice(2);
  const length = parseInt(words.slice(64, 128), 16);
  const digits = length <= 64 ? words.slice(128, 128 + 2 * length) : "";
  return new TextDecoder().decode(Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
}

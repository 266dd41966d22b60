// The user's own wallet on Solana, by the Wallet Standard: wallets register with the page, whoever of both is there first.

import { Unreachable, Refusal, WalletError } from "./errors.js";
import { fetchJSON } from "./load.js";
import { base58, bytesOf, unsigned } from "./solana.js";
import { shown } from "./text.js";

const registered = new Set();

const api = Object.freeze({
  register(...all) {
    for (const wallet of all) registered.add(wallet);
    return () => all.forEach((wallet) => registered.delete(wallet));
  },
});

const welcome = (callback) => {
  try {
    callback(api);
  } catch {
    // one that fails to register is as good as none
  }
};

addEventListener("wallet-standard:register-wallet", ({ detail }) => welcome(detail));
dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));

const connects = "standard:connect";
const sends = "solana:signAndSendTransaction";

const isSender = (wallet) => typeof wallet?.features?.[connects]?.connect === "function" &&
  typeof wallet.features[sends]?.signAndSendTransaction === "function";

// isStandard tells a wallet that the page gives from a provider of EIP-1193.
export const isStandard = (wallet) => typeof wallet?.features === "object";

// standardWallets lists those that can send on Solana; own is the one that the page gives.
export function standardWallets(own, options) {
  const all = own && isStandard(own) ? [own] : [...registered];
  return options.blocks ? all.filter(isSender).slice(0, 8).map((wallet) => new StandardWallet(wallet, options)) : [];
}

// asked asks a wallet, and says in words what it refuses. before is what was sent by then.
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

class StandardWallet {
  constructor(wallet, options) {
    Object.assign(this, { wallet, options, name: shown(wallet.name ?? "", 32) || "your wallet" });
  }

  // connect gives the account that the user chooses, on the network of the plan.
  async connect(network) {
    const { accounts } = await asked(() => this.wallet.features[connects].connect(), "Nothing was sent.");
    const all = Array.from(accounts ?? []).filter(({ address, publicKey }) => bytesOf(address) && base58(Uint8Array.from(publicKey)) === address);
    if (all.length === 0) throw new WalletError("Your wallet gives no account.");
    const account = all.find(({ chains }) => Array.from(chains ?? []).includes(chainOf(network)));
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
      { account, chain: chainOf(network), transaction: bytes }), before);
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
    for (const end = Date.now() + patience; Date.now() < end && !this.options.signal.aborted;) {
      try {
        const { height, transaction } = await this.recent(network, hash);
        if (transaction?.id === hash && transaction.status !== "pending") return transaction.status;
        if (height > lastHeight) return "expired";
      } catch {
        // it is sent: a server that is away for a moment changes nothing
      }
      await new Promise((done) => setTimeout(done, 3000));
    }
    return null;
  }

  askToken(network) {
    throw new Refusal(`The token is on no list of ${network.title}, and nobody else says what it is.`);
  }
}

const patience = 180_000;

const chainOf = (network) => "solana:" + network.cluster;

// Three libraries of others send and read through a chain: one question with its address, one answer with what was read.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import * as kit from "@solana/kit";
import * as token from "@solana/spl-token";
import * as web3 from "@solana/web3.js";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const q = JSON.parse((await lines.next()).value);
const connection = new web3.Connection(q.url, "finalized");
const rpc = kit.createSolanaRpc(q.url);
const alice = web3.Keypair.fromSeed(Buffer.from(q.seed, "hex"));
const bob = web3.Keypair.generate().publicKey;
const mint = new web3.PublicKey(q.mint);
const control = async (method, ...params) => {
  const answer = await fetch(q.url, {
    method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await answer.json()).result;
};

// Both wait as their makers show it for who has no subscriptions: they ask for the status.
async function confirmed(id) {
  for (;;) {
    const { value: [s] } = await connection.getSignatureStatuses([id]);
    if (s?.confirmationStatus === "finalized") return s;
  }
}

async function sendByWeb3(instructions, options = {}) {
  const { blockhash } = await connection.getLatestBlockhash();
  const hash = options.blockhash ?? blockhash;
  let tx;
  if (options.v0) {
    tx = new web3.VersionedTransaction(new web3.TransactionMessage({
      payerKey: alice.publicKey, recentBlockhash: hash, instructions,
    }).compileToV0Message());
    tx.sign([alice]);
  } else {
    tx = new web3.Transaction({ feePayer: alice.publicKey, recentBlockhash: hash }).add(...instructions);
    tx.sign(alice);
  }
  return connection.sendRawTransaction(tx.serialize(), { skipPreflight: options.skip, maxRetries: 0 });
}

const coin = (lamports) => web3.SystemProgram.transfer({
  fromPubkey: alice.publicKey, toPubkey: bob, lamports,
});

async function byWeb3() {
  await confirmed(await connection.requestAirdrop(alice.publicKey, 3 * web3.LAMPORTS_PER_SOL));
  const before = await connection.getBalance(alice.publicKey);
  const id = await sendByWeb3([coin(1e9)]);
  await confirmed(id);
  assert.equal(await connection.getBalance(bob), 1e9);
  assert.equal(await connection.getBalance(alice.publicKey), before - 1e9 - 5000);
  const tx = await connection.getTransaction(id, { maxSupportedTransactionVersion: 1 });
  assert.equal(tx.meta.postBalances[1] - tx.meta.preBalances[1], 1e9);
  assert.equal(tx.meta.fee, 5000);
  const block = await connection.getBlock(tx.slot, { maxSupportedTransactionVersion: 1 });
  assert.equal(block.transactions[0].transaction.signatures[0], id);
  assert.ok(block.blockHeight < tx.slot);
  assert.equal((await connection.getSignaturesForAddress(bob))[0].signature, id);
  const parsed = await connection.getParsedTransaction(id, { maxSupportedTransactionVersion: 1 });
  assert.ok(parsed.transaction.message.accountKeys[1].pubkey.equals(bob));
  await connection.getVersion();
  await connection.getEpochInfo();
  assert.equal((await connection.getBlocks(0)).at(-1), await connection.getSlot());
  assert.equal(await connection.getGenesisHash(), await rpc.getGenesisHash().send());
}

// The token library makes both accounts, and pays.
async function bySplToken() {
  await control("dev_faucet", alice.publicKey.toBase58(), "USDC", "10");
  const from = token.getAssociatedTokenAddressSync(mint, alice.publicKey);
  const to = token.getAssociatedTokenAddressSync(mint, bob);
  const id = await sendByWeb3([
    web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 60_000 }),
    web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1000 }),
    token.createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, to, bob, mint),
    token.createTransferCheckedInstruction(from, mint, to, alice.publicKey, 2_500_000n, 6),
  ], { v0: true });
  await confirmed(id);
  assert.equal((await token.getAccount(connection, to)).amount, 2_500_000n);
  assert.equal((await token.getMint(connection, mint)).decimals, 6);
  const tx = await connection.getTransaction(id, { maxSupportedTransactionVersion: 0 });
  assert.equal(tx.version, 0);
  assert.equal(tx.meta.fee, 5060);
  const got = tx.meta.postTokenBalances.find((b) => b.owner === bob.toBase58());
  assert.deepEqual([got.mint, got.uiTokenAmount.uiAmountString], [mint.toBase58(), "2.5"]);
  const all = await connection.getParsedTokenAccountsByOwner(bob, { mint });
  assert.equal(all.value[0].account.data.parsed.info.tokenAmount.amount, "2500000");
  assert.equal((await connection.getTokenAccountsByOwner(bob, { programId: token.TOKEN_PROGRAM_ID })).value.length, 1);
  await assert.rejects(token.getAccount(connection, bob), { name: "TokenInvalidAccountOwnerError" });
}

// One that fails: told before it is sent, or in a block at its cost.
async function failures() {
  const much = coin(1e12);
  await assert.rejects(sendByWeb3([much]), (e) => e instanceof web3.SendTransactionError && e.logs.length > 0);
  const before = await connection.getBalance(alice.publicKey);
  const id = await sendByWeb3([much], { skip: true });
  assert.deepEqual((await confirmed(id)).err, { InstructionError: [0, { Custom: 1 }] });
  assert.equal(await connection.getBalance(alice.publicKey), before - 5000);
  await assert.rejects(sendByWeb3([web3.SystemProgram.transfer({
    fromPubkey: alice.publicKey, toPubkey: web3.Keypair.generate().publicKey, lamports: 1000,
  })]), /rent/i);
}

async function expiry() {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  assert.equal((await connection.isBlockhashValid(blockhash)).value, true);
  await control("dev_expire", blockhash);
  assert.ok(await connection.getBlockHeight() > lastValidBlockHeight);
  assert.equal((await connection.isBlockhashValid(blockhash)).value, false);
  await assert.rejects(sendByWeb3([coin(1e8)], { blockhash }), /[Bb]lockhash not found/);
}

// kit sends v0 and v1, and waits, with its own signer.
async function byKit() {
  const signer = await kit.createKeyPairSignerFromPrivateKeyBytes(Buffer.from(q.seed, "hex"));
  for (const version of [0, 1]) {
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: "finalized" }).send();
    const instruction = token.createTransferCheckedInstruction(
      token.getAssociatedTokenAddressSync(mint, alice.publicKey), mint,
      token.getAssociatedTokenAddressSync(mint, bob), alice.publicKey, 1_000_000n, 6);
    let m = kit.createTransactionMessage({ version });
    m = kit.setTransactionMessageFeePayerSigner(signer, m);
    m = kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, m);
    m = kit.appendTransactionMessageInstruction({
      programAddress: instruction.programId.toBase58(), data: instruction.data,
      accounts: instruction.keys.map((k) => ({
        address: k.pubkey.toBase58(), role: (k.isSigner ? 2 : 0) + (k.isWritable ? 1 : 0),
      })),
    }, m);
    if (version === 1) m = kit.setTransactionMessageConfig({
      priorityFeeLamports: 77n, computeUnitLimit: 50_000, loadedAccountsDataSizeLimit: 1_000_000,
    }, m);
    const tx = await kit.signTransactionMessageWithSigners(m);
    const wire = kit.getBase64EncodedWireTransaction(tx);
    const { value: tried } = await rpc.simulateTransaction(wire, { encoding: "base64", sigVerify: true }).send();
    assert.equal(tried.err, null);
    await rpc.sendTransaction(wire, { encoding: "base64", preflightCommitment: "finalized" }).send();
    const id = kit.getSignatureFromTransaction(tx);
    const { value: [status] } = await rpc.getSignatureStatuses([id], { searchTransactionHistory: true }).send();
    assert.equal(status.confirmationStatus, "finalized");
    const read = await rpc.getTransaction(id, { encoding: "json", maxSupportedTransactionVersion: 1 }).send();
    assert.equal(read.version, version);
    assert.equal(read.meta.fee, version === 1 ? 5077n : 5000n);
    if (version === 1) assert.equal(read.transaction.message.transactionConfig.priorityFee, 77n);
    const raw = await rpc.getTransaction(id, { encoding: "base64", maxSupportedTransactionVersion: 1 }).send();
    assert.equal(raw.transaction[0], wire);
    if (version === 1) await assert.rejects(
      rpc.getTransaction(id, { encoding: "json", maxSupportedTransactionVersion: 0 }).send(),
      (e) => e.context.__code === -32015);
  }
  const account = token.getAssociatedTokenAddressSync(mint, bob).toBase58();
  const { value } = await rpc.getTokenAccountBalance(account).send();
  assert.equal(value.amount, "4500000");
  const info = await rpc.getAccountInfo(account, { encoding: "jsonParsed" }).send();
  assert.equal(info.value.data.parsed.info.tokenAmount.uiAmountString, "4.5");
  assert.equal(await rpc.getMinimumBalanceForRentExemption(165n).send(), 1_488_440n);
}

// What this tree sent, both read.
async function reads() {
  for (const id of q.sent) {
    const byWeb = await connection.getTransaction(id, { maxSupportedTransactionVersion: 1 });
    const byKit = await rpc.getTransaction(id, { encoding: "json", maxSupportedTransactionVersion: 1 }).send();
    assert.equal(BigInt(byWeb.meta.fee), byKit.meta.fee);
    assert.equal(byWeb.version, byKit.version);
    assert.equal(byWeb.meta.err, null);
  }
}

// Both wait by a WebSocket, in the ways in which their makers do it by themselves.
async function sockets() {
  const waiting = new web3.Connection(q.url, { commitment: "finalized", wsEndpoint: q.url.replace("http", "ws") });
  const tx = new web3.Transaction().add(coin(7e6));
  const id = await web3.sendAndConfirmTransaction(waiting, tx, [alice]);
  assert.equal((await confirmed(id)).err, null);
  await assert.rejects(web3.sendAndConfirmTransaction(waiting, new web3.Transaction().add(coin(1e12)), [alice], {
    skipPreflight: true,
  }), /resulted in an error/);
  const rpcSubscriptions = kit.createSolanaRpcSubscriptions(q.url.replace("http", "ws"));
  const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
  const signer = await kit.createKeyPairSignerFromPrivateKeyBytes(Buffer.from(q.seed, "hex"));
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  let m = kit.setTransactionMessageFeePayerSigner(signer, kit.createTransactionMessage({ version: 0 }));
  m = kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, m);
  const transfer = coin(8e6);
  m = kit.appendTransactionMessageInstruction({
    programAddress: transfer.programId.toBase58(), data: transfer.data,
    accounts: transfer.keys.map((k) => ({
      address: k.pubkey.toBase58(), role: (k.isSigner ? 2 : 0) + (k.isWritable ? 1 : 0),
    })),
  }, m);
  const signed = await kit.signTransactionMessageWithSigners(m);
  await sendAndConfirm(signed, { commitment: "finalized" });
}

for (const part of [byWeb3, bySplToken, failures, expiry, byKit, reads, sockets]) {
  try {
    await part();
    process.stdout.write(JSON.stringify({ part: part.name }) + "\n");
  } catch (e) {
    process.stdout.write(JSON.stringify({ part: part.name, error: String(e.stack ?? e) }) + "\n");
  }
}
process.exit(0);

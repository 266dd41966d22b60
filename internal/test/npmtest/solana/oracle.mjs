// Three libraries of others read and make transactions of Solana: one question a line, one answer a line.
import { createInterface } from "node:readline";
import * as kit from "@solana/kit";
import * as web3 from "@solana/web3.js";
import wallet from "@trustwallet/wallet-core";

const { initWasm, TW } = wallet;
const core = await initWasm();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const compiled = kit.getCompiledTransactionMessageCodec();

// Each reader gives the same form: what a message says, in names of our own.
function readByKit(raw) {
  const tx = kit.getTransactionDecoder().decode(raw);
  const m = compiled.decode(tx.messageBytes);
  const v1 = m.version === 1;
  return {
    version: m.version === "legacy" ? -1 : m.version,
    header: [m.header.numSignerAccounts, m.header.numReadonlySignerAccounts, m.header.numReadonlyNonSignerAccounts],
    keys: m.staticAccounts,
    blockhash: m.lifetimeToken,
    instructions: v1
      ? m.instructionHeaders.map((h, i) => ({
          program: h.programAccountIndex,
          accounts: m.instructionPayloads[i].instructionAccountIndices,
          data: hex(m.instructionPayloads[i].instructionData),
        }))
      : m.instructions.map((i) => ({
          program: i.programAddressIndex, accounts: i.accountIndices ?? [], data: hex(i.data ?? []),
        })),
    lookups: (m.addressTableLookups ?? []).map((l) => ({
      table: l.lookupTableAddress, written: l.writableIndexes, read: l.readonlyIndexes,
    })),
    config: v1 ? { mask: m.configMask, values: m.configValues.map((v) => v.value.toString()) } : null,
    signatures: Object.values(tx.signatures).map((s) => (s ? hex(s) : "00".repeat(64))),
    message: hex(compiled.encode(m)),
    transaction: hex(kit.getTransactionEncoder().encode(tx)),
  };
}

function readByWeb3(raw) {
  const tx = web3.VersionedTransaction.deserialize(raw);
  const m = tx.message;
  return {
    version: m.version === "legacy" ? -1 : m.version,
    header: [m.header.numRequiredSignatures, m.header.numReadonlySignedAccounts, m.header.numReadonlyUnsignedAccounts],
    keys: m.staticAccountKeys.map(String),
    blockhash: m.recentBlockhash,
    instructions: m.compiledInstructions.map((i) => ({
      program: i.programIdIndex, accounts: [...i.accountKeyIndexes], data: hex(i.data),
    })),
    lookups: m.addressTableLookups.map((l) => ({
      table: String(l.accountKey), written: [...l.writableIndexes], read: [...l.readonlyIndexes],
    })),
    config: null,
    signatures: tx.signatures.map(hex),
    message: hex(m.serialize()),
    transaction: hex(tx.serialize()),
  };
}

function readByCore(raw) {
  const out = TW.Solana.Proto.DecodingTransactionOutput.decode(
    core.TransactionDecoder.decode(core.CoinType.solana, raw),
  );
  if (out.error) throw new Error(out.errorMessage);
  const { transaction: tx } = out;
  const m = tx.legacy ?? tx.v0;
  return {
    version: tx.legacy ? -1 : 0,
    header: [m.header.numRequiredSignatures, m.header.numReadonlySignedAccounts, m.header.numReadonlyUnsignedAccounts],
    keys: m.accountKeys,
    blockhash: m.recentBlockhash,
    instructions: m.instructions.map((i) => ({
      program: i.programId, accounts: i.accounts, data: hex(i.programData),
    })),
    lookups: (m.addressTableLookups ?? []).map((l) => ({
      table: l.accountKey, written: l.writableIndexes, read: l.readonlyIndexes,
    })),
    config: null,
    signatures: tx.signatures.map((s) => hex(core.Base58.decodeNoCheck(s.signature))),
  };
}

const attempt = (read, raw) => {
  try { return read(raw); } catch (e) { return { error: String(e.message) }; }
};

const role = (a) => (a.signs ? 2 : 0) + (a.written ? 1 : 0); // kit's AccountRole

function makeByKit(q) {
  let m = kit.createTransactionMessage({ version: q.version === -1 ? "legacy" : q.version });
  m = kit.setTransactionMessageFeePayer(q.payer, m);
  m = kit.setTransactionMessageLifetimeUsingBlockhash({ blockhash: q.blockhash, lastValidBlockHeight: 1n }, m);
  m = kit.appendTransactionMessageInstructions(q.instructions.map((i) => ({
    programAddress: i.program,
    accounts: i.accounts.map((a) => ({ address: a.address, role: role(a) })),
    data: bytes(i.data),
  })), m);
  if (q.version === 1) m = kit.setTransactionMessageConfig({
    priorityFeeLamports: BigInt(q.config.priority), computeUnitLimit: q.config.units,
    loadedAccountsDataSizeLimit: q.config.loaded,
  }, m);
  return hex(kit.getTransactionEncoder().encode(kit.compileTransaction(m)));
}

function makeByWeb3(q) {
  if (q.version === 1) return "";
  const message = new web3.TransactionMessage({
    payerKey: new web3.PublicKey(q.payer), recentBlockhash: q.blockhash,
    instructions: q.instructions.map((i) => new web3.TransactionInstruction({
      programId: new web3.PublicKey(i.program), data: Buffer.from(i.data, "hex"),
      keys: i.accounts.map((a) => ({
        pubkey: new web3.PublicKey(a.address), isSigner: a.signs, isWritable: a.written,
      })),
    })),
  });
  const m = q.version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
  return hex(new web3.VersionedTransaction(m).serialize());
}

const big = (n) => ({ toString: () => String(n), low: Number(BigInt(n) & 0xffffffffn) | 0,
  high: Number(BigInt(n) >> 32n) | 0, unsigned: true });

function signByCore(q) {
  const input = TW.Solana.Proto.SigningInput.create({
    privateKey: bytes(q.secret), recentBlockhash: q.blockhash, v0Msg: q.version === 0, ...(q.mint
      ? { createAndTransferTokenTransaction: {
          recipientMainAddress: q.to, tokenMintAddress: q.mint, recipientTokenAddress: q.toAccount,
          senderTokenAddress: q.fromAccount, amount: big(q.amount), decimals: q.decimals,
        } }
      : { transferTransaction: { recipient: q.to, value: big(q.amount) } }),
  });
  const out = TW.Solana.Proto.SigningOutput.decode(core.AnySigner.sign(
    TW.Solana.Proto.SigningInput.encode(input).finish(), core.CoinType.solana));
  if (out.error) throw new Error(out.errorMessage);
  return hex(core.Base58.decodeNoCheck(out.encoded));
}

async function derive(q) {
  const [owner, mint, program] = [q.owner, q.mint, q.program].map((a) => new web3.PublicKey(a));
  const associated = new web3.PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
  const [account] = web3.PublicKey.findProgramAddressSync(
    [owner.toBuffer(), program.toBuffer(), mint.toBuffer()], associated);
  return {
    account: account.toBase58(),
    seeded: (await web3.PublicKey.createWithSeed(owner, q.seed, program)).toBase58(),
    onCurve: [web3.PublicKey.isOnCurve(owner.toBytes()), web3.PublicKey.isOnCurve(account.toBytes())],
  };
}

const text = (q) => hex(kit.getOffchainMessageV1Encoder().encode({
  version: 1, content: q.text, requiredSignatories: [{ address: q.signer }],
}));

for await (const line of createInterface({ input: process.stdin })) {
  const q = JSON.parse(line);
  let a;
  switch (q.ask) {
    case "read":
      a = { kit: attempt(readByKit, bytes(q.raw)) };
      if (q.version < 1) a.web3 = attempt(readByWeb3, bytes(q.raw));
      if (q.version < 1) a.core = attempt(readByCore, bytes(q.raw));
      break;
    case "make": a = { kit: makeByKit(q), web3: makeByWeb3(q) }; break;
    case "sign": a = { core: signByCore(q) }; break;
    case "derive": a = await derive(q); break;
    case "text": a = { text: text(q) }; break;
  }
  process.stdout.write(JSON.stringify(a) + "\n");
}
process.exit(0);

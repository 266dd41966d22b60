// Makes what chain/evm/signed/testdata/payments.json has: payments that @x402/evm and viem make, each with the offer that it
// pays, what was signed, and the call that hands it in.
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { encodeFunctionData, hashTypedData, parseSignature, serializeErc6492Signature } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eip3009ABI, x402ExactPermit2ProxyABI, x402UptoPermit2ProxyABI } from "@x402/evm";

const key = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const account = privateKeyToAccount(key);
let last;
const signer = { address: account.address, signTypedData: (m) => { last = m; return account.signTypedData(m); } };
const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const base = { network: "eip155:84532", asset: usdc, payTo, maxTimeoutSeconds: 60 };
const v2 = (scheme, amount, extra) => ({ scheme, ...base, amount, extra });
const text = (v) => JSON.parse(JSON.stringify(v, (_, x) => typeof x === "bigint" ? x.toString() : x));

async function made(name, scheme, version, offer, call) {
  const { payload } = await scheme.createPaymentPayload(version, offer);
  return { name, version, offer, payload, digest: hashTypedData(last), call: call(payload) };
}
const transfer = ({ authorization: a, signature }) => {
  const { v, r, s } = parseSignature(signature);
  const args = [a.from, a.to, BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore), a.nonce];
  return encodeFunctionData({ abi: eip3009ABI, functionName: "transferWithAuthorization", args: [...args, Number(v), r, s] });
};
const permit = (p) => ({
  permitted: { token: p.permitted.token, amount: BigInt(p.permitted.amount) },
  nonce: BigInt(p.nonce), deadline: BigInt(p.deadline),
});
const exact = ({ permit2Authorization: p, signature }) => encodeFunctionData({
  abi: x402ExactPermit2ProxyABI, functionName: "settle",
  args: [permit(p), p.from, { to: p.witness.to, validAfter: BigInt(p.witness.validAfter) }, signature] });
const upto = ({ permit2Authorization: p, signature }) => encodeFunctionData({
  abi: x402UptoPermit2ProxyABI, functionName: "settle",
  args: [permit(p), 7000n, p.from, { ...p.witness, validAfter: BigInt(p.witness.validAfter) }, signature] });

const token = { name: "USDC", version: "2" };
const facilitator = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const payments = [
  await made("exact, EIP-3009, v2", new ExactEvmScheme(signer), 2, v2("exact", "10000", token), transfer),
  await made("exact, EIP-3009, v1", new ExactEvmSchemeV1(signer), 1, { scheme: "exact", network: "base-sepolia",
    maxAmountRequired: "10000", resource: "https://shop.example/weather", description: "", mimeType: "", payTo: base.payTo,
    maxTimeoutSeconds: 60, asset: usdc, extra: token }, transfer),
  await made("exact, Permit2", new ExactEvmScheme(signer), 2,
    v2("exact", "10000", { ...token, assetTransferMethod: "permit2" }), exact),
  await made("upto, Permit2, 7000 charged", new UptoEvmScheme(signer), 2,
    v2("upto", "25000", { ...token, facilitatorAddress: facilitator }), upto),
];
const eip3009 = payments[0].payload;
const a = eip3009.authorization;
const bytes = "0x" + "ab".repeat(70);
console.log(JSON.stringify(text({
  origin: "@x402/evm 2.27.0 and viem 2.55.0 of npm, run offline by internal/test/npmtest/x402/vectors.mjs; " +
    "the key is the third of the well-known test mnemonic",
  key, payer: account.address, payments,
  wallet: { signature: bytes, call: encodeFunctionData({ abi: eip3009ABI, functionName: "transferWithAuthorization",
    args: [a.from, a.to, BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore), a.nonce, bytes] }) },
  undeployed: { factory: facilitator, call: "0x12345678", inner: eip3009.signature,
    signature: serializeErc6492Signature({ address: facilitator, data: "0x12345678", signature: eip3009.signature }) },
}), null, 2));

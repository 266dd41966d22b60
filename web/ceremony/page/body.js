// Is the preview of this very body, and the result of it too? The page hashes
// the body itself; what the server says of it does not count.

import { hex, must, only, parseStrict, sha256, utf8 } from "./bytes.js";
import { familyOf } from "./families.js";
import { holdsKey } from "./proof.js";

const activities = {
  wallet: ["CREATE_WALLET"],
  accounts: ["CREATE_WALLET_ACCOUNTS"],
  agent: ["CREATE_AGENT", "ACTIVATE_AGENT", "SET_AGENT_LIMITS", "SET_AGENT_STATUS", "ROTATE_AGENT_SECRET", "DELETE_AGENT", "SET_KILL_SWITCH"],
  transaction: ["SIGN_INTENT", "SIGN_TRANSACTION"],
  message: ["SIGN_MESSAGE"],
  policy: ["CREATE_POLICY", "UPDATE_POLICY", "DELETE_POLICY"],
  config: ["UPDATE_APPROVAL_CONFIG"],
  passkey: ["CREATE_AUTHENTICATOR", "DELETE_AUTHENTICATOR"],
  price: ["OVERRIDE_PRICE"],
  recovery: ["UPDATE_RECOVERY", "CANCEL_RECOVERY"],
  approval: ["APPROVE_ACTIVITY"],
  payee: ["ADD_PAYEE", "REMOVE_PAYEE"],
};

const prefix = /^ACTIVITY_TYPE_/;

// digest is what the passkey signs for a body, as text.
export const digest = async (body) => hex(await sha256(utf8(body)));

// checkPreview holds a body and the signer's statement against each other.
export async function checkPreview(kind, body, statement) {
  must(typeof body === "string", "there is no body to sign");
  must(statement.kind === "preview" && statement.preview, "the signer's statement is not a preview");
  must(statement.fingerprint === "sha256:" + (await digest(body)), "the preview is of another body than the one to be signed");
  const read = only(parseStrict(body), "the body", [
    "type", "environment", "organizationId", "activityId", "timestampMs", "expiresAtMs", "parameters",
  ]);
  must(activities[kind]?.includes(read.type?.replace(prefix, "")) && read.type === statement.activity, "the body is for another act than this page was opened for");
  must(read.environment === statement.environment, "body and preview are of different environments");
  must(read.organizationId !== "" && read.organizationId === statement.organizationId, "body and preview are of different organizations");
  must(/^[0-9]{1,15}$/.test(read.expiresAtMs), "the body has no expiry");
  must(new Date(Number(read.expiresAtMs)).toISOString() === statement.preview.expiresAt, "body and preview expire at different times");
  checkShared(read.parameters, statement.preview);
  checkAgent(read.type.replace(prefix, ""), read.parameters ?? {}, statement.preview);
  await checkFamily(read, statement.preview);
  return statement.preview;
}

// signs are the acts that sign a transaction: by an intent, or by exact bytes.
const signs = ["ACTIVITY_TYPE_SIGN_INTENT", "ACTIVITY_TYPE_SIGN_TRANSACTION"];

// checkFamily has what is signed, or voted on, read by who can.
async function checkFamily({ type, parameters }, preview) {
  const { approves, held } = preview;
  if (held) familyOf(held).checkHeld?.(approves.activity, held);
  if (!signs.includes(type)) return;
  const family = familyOf(preview);
  must(family.numbered || (preview.nonce === undefined && parameters.replaces === undefined), "on this network nothing has a number, or takes the place of another transaction");
  await family.check(type === signs[0], parameters, preview);
}

// checkShared compares what body and preview both name.
function checkShared(parameters, preview) {
  for (const name of ["signWith", "chain", "chainId", "maxTotalFee", "walletName", "walletId", "agentName"]) {
    const [said, shown] = [parameters?.[name], preview[name]];
    const unnamed = name === "chainId" && said === "" && !familyOf(preview).numbered; // exact bytes there are of the one network that the signer has
    const same = name === "signWith" && /^0x/.test(said) ? said?.toLowerCase() === shown?.toLowerCase() : said === shown || unnamed;
    must(said === undefined || shown === undefined || same, `body and preview name different values of ${name}`);
  }
  must(parameters?.recipientPublicKey === preview.recipientPublicKey, "body and preview name different values of recipientPublicKey");
  checkPlace(parameters?.replaces, preview);
  checkRules(parameters ?? {}, preview);
}

// checkRules does so for what is no transaction.
function checkRules(parameters, { approves, held, passkey, policy, message, recovery, price, payee }) {
  const pairs = [
    ["the request", approves && [approves.fingerprint, approves.policySet], [parameters.fingerprint, parameters.policySet]],
    ["the passkey", passkey?.credentialId, parameters.attestation?.credentialId ?? parameters.credentialId],
    ["the rules", policy?.rules, parameters.rules],
    ["the kind of the message", message?.type, parameters.type],
    ["the recovery", recovery?.recoveryPublicKey, parameters.recoveryPublicKey],
    ["the payee", payee && (parameters.payeeId ? payee.id : bound(payee)), parameters.payeeId ?? bound(parameters)],
    ["the asset", price?.asset, parameters.asset],
  ];
  for (const [what, shown, said] of pairs) {
    must(shown === undefined || sorted(shown) === sorted(said), `body and preview name different values of ${what}`);
  }
  must(!approves === !held, "the preview says nothing of what would be approved");
}

// checkAgent does so for what agents may do. What the body says the preview has to say as well: a limit that it left out
// would not be shown.
function checkAgent(type, { agentId, limits, status, on }, { agent, killSwitch, newSecret, agentDeleted, ...shown }) {
  const pairs = [
    ["the agent", agentId, shown.agentId], ["the agent", agentId, agent?.id],
    ["the agent’s limits", limits, agent?.limits],
    ["the agent’s status", status, agent?.status],
    ["the stop of all agents", on, killSwitch],
  ];
  if (activities.agent.includes(type)) {
    for (const [what, said, would] of pairs) {
      must(said === undefined || sorted(said) === sorted(would), `body and preview name different values of ${what}`);
    }
  }
  must(secretive.includes(type) === Boolean(newSecret), "body and preview differ in whether the agent gets a new secret");
  must((type === "DELETE_AGENT") === Boolean(agentDeleted), "body and preview differ in whether the agent is deleted");
}

// secretive are the acts that make a secret.
const secretive = ["ACTIVATE_AGENT", "ROTATE_AGENT_SECRET"];

// bound is what a passkey binds as it adds a payee.
const bound = ({ name, chain, address, kind, bankAccount }) => [name, chain, address, kind, bankAccount];

// sorted is JSON in which the order of names says nothing.
const sorted = (value) =>
  JSON.stringify(value, (_, v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v));

// checkPlace wants it shown whose nonce a replacement takes.
function checkPlace(place, preview) {
  if (place === undefined) return;
  must(place.fingerprint === preview.replaces && place.nonce === preview.nonce, "body and preview name different values of replaces");
}

// checkResult holds what the signer says it did against what was stamped.
export async function checkResult(body, preview, result) {
  must(result.kind === "result" && result.result, "the signer's statement is not a result");
  must(result.outcome === undefined, "the signer has not done it: it refused it, or it waits");
  must(result.fingerprint === "sha256:" + (await digest(body)), "the result is of another body than the one that was signed");
  must(result.activity === preview.activity && result.organizationId === preview.organizationId, "the result is of another act than the one that was signed");
  must(BigInt(result.seq) > BigInt(preview.seq), "the result is older than its preview");
  const recipient = preview.preview?.recipientPublicKey;
  if (signs.includes(result.activity) && result.result.transaction) {
    const { parameters } = parseStrict(body);
    await familyOf(parameters).checkSigned(result.activity === signs[0], parameters, result.result.transaction);
  }
  must(result.result.agent?.sealedSecret?.recipientPublicKey === recipient, "the agent's secret is sealed to another key than the one that was shown");
  return result.result;
}

// checkMade wants that the passkey to be added is the one that was just made.
export function checkMade(made, { passkey }) {
  const same = passkey?.credentialId === made.attestation.credentialId && holdsKey(made.authenticatorData, passkey.publicKey);
  must(same, "the passkey that would be added is another than the one that was just made");
}

// checkStanding takes, from a statement of how a request stands, who the users
// are: their e-mail addresses by id.
export function checkStanding(preview, state) {
  must(state.kind === "state" && state.organizationId === preview.organizationId, "the statement of who the users are is of another organization");
  return new Map((state.state?.owners?.credentials ?? []).map(({ userId, email }) => [userId, email]));
}

// checkRegistration holds the proof of a registration against the passkey and the
// recovery key that were just made: they, and nobody else, can sign.
export function checkRegistration(email, made, recoveryPublicKey, answer, statement) {
  const result = statement.result;
  must(statement.kind === "result" && statement.activity === "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION" && result?.subOrganization, "the signer's statement is not a registration");
  const owners = result.owners ?? {};
  must(owners.credentials?.length === 1 && !owners.emailOnlyRecovery, "somebody else than this passkey can sign as well");
  must(owners.recoveryPublicKey === recoveryPublicKey, "the signer knows another recovery key than this page made for the passkey");
  const [owner] = owners.credentials;
  must(owner.credentialId === made.attestation.credentialId && holdsKey(made.authenticatorData, owner.publicKey), "the signer knows another passkey than the one that was just made");
  must(owner.email.toLowerCase() === email.toLowerCase(), "the passkey is registered for another e-mail address");
  must(result.subOrganization.id === answer.subOrganizationId && statement.organizationId === answer.subOrganizationId, "the answer names another organization than the signer made");
  return result;
}

// recoveryMessage is what the recovery key signs; wire.RecoveryMessage is its other
// side. What is empty is an empty line.
export async function recoveryMessage(environment, { subOrganizationId, userId }, r) {
  return [
    "railkit recovery v1", environment, r.recoveryId, subOrganizationId, userId, r.credentialId,
    await digest(r.attestationObject), r.removeOtherPasskeys ? "remove" : "keep", r.newRecoveryPublicKey,
  ].join("\n");
}

// checkRecovery holds what the signer says of a recovery against what was handed
// in: it lets this passkey wait, and no other.
export function checkRecovery({ email, subOrganizationId, made }, handed, statement) {
  const pending = statement.result?.recovery;
  must(statement.kind === "result" && statement.activity === "ACTIVITY_TYPE_RECOVER_USER" && pending, "the signer's statement is not of a recovery");
  must(statement.organizationId === subOrganizationId && pending.recoveryId === handed.recoveryId, "the signer's statement is of another recovery");
  must(pending.credentialId === handed.credentialId && holdsKey(made.authenticatorData, pending.publicKey), "the passkey that waits is another than the one that was just made");
  must(pending.email.toLowerCase() === email.toLowerCase(), "the passkey would be for another e-mail address");
  must(pending.emailOnly === !handed.recoverySignature, "the signer did not go by the recovery code");
  return pending;
}

// The passkey: making one, and having it sign. Both insist on user verification.

import { base64url, fromBase64url, must, utf8 } from "./bytes.js";
import { digest } from "./body.js";

const header = "X-Stamp-WebAuthn";

const descriptor = ({ id, transports }) => ({ type: "public-key", id: fromBase64url(id), ...(transports?.length ? { transports } : {}) });

// createPasskey makes a passkey from PublicKeyCredentialCreationOptionsJSON.
// Only the members named here are passed on.
export async function createPasskey(options, rpId) {
  must(options.rp?.id === rpId, "the passkey would be for another website");
  const { rp, user, pubKeyCredParams, timeout, attestation } = options;
  const credential = await navigator.credentials.create({
    publicKey: {
      rp, pubKeyCredParams, timeout, attestation,
      challenge: fromBase64url(options.challenge),
      user: { ...user, id: fromBase64url(user.id) },
      excludeCredentials: (options.excludeCredentials ?? []).map(descriptor),
      authenticatorSelection: { ...options.authenticatorSelection, userVerification: "required" },
    },
  });
  const { response } = credential;
  const made = {
    credentialId: base64url(credential.rawId),
    clientDataJson: base64url(response.clientDataJSON),
    attestationObject: base64url(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
  return { attestation: made, authenticatorData: response.getAuthenticatorData() };
}

// stampBody has a passkey sign a body. What it signs is the text of the body's hash.
export async function stampBody(body, rpId, allowCredentials) {
  const credential = await navigator.credentials.get({
    publicKey: {
      rpId,
      challenge: utf8(await digest(body)),
      allowCredentials: allowCredentials.map(descriptor),
      userVerification: "required",
    },
  });
  const { response } = credential;
  const value = {
    authenticatorData: base64url(response.authenticatorData),
    clientDataJson: base64url(response.clientDataJSON),
    credentialId: base64url(credential.rawId),
    signature: base64url(response.signature),
  };
  return { stampHeaderName: header, stampHeaderValue: JSON.stringify(value) };
}

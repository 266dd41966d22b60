// The passkey: making one, and having it sign. Both insist on user verification.

import { base64url, fromBase64url, utf8 } from "./bytes.js";
import { digest } from "./body.js";

const header = "X-Stamp-WebAuthn";

const descriptor = ({ id, transports }) => ({ type: "public-key", id: fromBase64url(id), ...(transports?.length ? { transports } : {}) });

// createPasskey makes a passkey for an e-mail address. Of what the server asks for
// only the challenge, the algorithms and the passkeys to exclude count. The user
// handle is new each time: with an old one the device would put the new passkey
// in the place of the one that signs for its owner's wallets.
export async function createPasskey({ challenge, pubKeyCredParams, excludeCredentials }, rpId, email) {
  const credential = await navigator.credentials.create({
    publicKey: {
      rp: { id: rpId, name: "Railkit" },
      user: { id: crypto.getRandomValues(new Uint8Array(32)), name: email, displayName: email },
      challenge: fromBase64url(challenge),
      pubKeyCredParams,
      excludeCredentials: (excludeCredentials ?? []).map(descriptor),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
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

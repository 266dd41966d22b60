// Stamps a body with the field's own stampers, as they come from npm. The browser
// that the passkey stamper asks is played by whoever runs this: a line with the
// options goes out, a line with the credential comes in.
import { createInterface } from "node:readline";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { WebauthnStamper } from "@turnkey/webauthn-stamper";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value);
const write = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");
const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64url")).buffer;

const credentials = {
  async get({ publicKey }) {
    write({
      challenge: base64url(publicKey.challenge),
      rpId: publicKey.rpId,
      userVerification: publicKey.userVerification,
      allowCredentials: publicKey.allowCredentials.map((c) => ({ type: c.type, id: base64url(c.id) })),
    });
    const { id, type, response } = await read();
    return {
      id, type, rawId: bytes(id),
      response: {
        authenticatorData: bytes(response.authenticatorData),
        clientDataJSON: bytes(response.clientDataJSON),
        signature: bytes(response.signature),
        userHandle: null,
      },
      getClientExtensionResults: () => ({}),
    };
  },
};
Object.defineProperty(globalThis, "navigator", { value: { credentials }, configurable: true });

const job = await read();
const stamper = job.apiKey ? new ApiKeyStamper(job.apiKey) : new WebauthnStamper({ rpId: job.rpId, ...job.options });
write(await stamper.stamp(job.body));
process.exit(0);

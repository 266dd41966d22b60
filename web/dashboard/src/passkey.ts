// The browser's passkeys, in the JSON form of WebAuthn level 3, which not every browser converts by itself.
import type { LoginOptions, PasskeyOptions } from "./api/generated";

export type Credential = { [name: string]: unknown };

export async function get(options: LoginOptions): Promise<Credential> {
	const publicKey: PublicKeyCredentialRequestOptions = {
		challenge: bytes(options.challenge), rpId: options.rpId, timeout: options.timeout,
		userVerification: options.userVerification,
	};
	return json((await navigator.credentials.get({ publicKey })) as PublicKeyCredential);
}

export async function create(options: PasskeyOptions): Promise<Credential> {
	const publicKey = {
		...options, challenge: bytes(options.challenge),
		user: { ...options.user, id: bytes(options.user.id) },
		excludeCredentials: (options.excludeCredentials ?? []).map((c) => ({ ...c, id: bytes(c.id) })),
	} as PublicKeyCredentialCreationOptions;
	return json((await navigator.credentials.create({ publicKey })) as PublicKeyCredential);
}

function json(c: PublicKeyCredential): Credential {
	const r = c.response as AuthenticatorAssertionResponse & AuthenticatorAttestationResponse;
	const response: Record<string, unknown> = { clientDataJSON: text(r.clientDataJSON) };
	for (const name of ["authenticatorData", "signature", "userHandle", "attestationObject"] as const) {
		if (r[name]) response[name] = text(r[name]);
	}
	if (typeof r.getTransports === "function") response.transports = r.getTransports();
	return {
		id: c.id, rawId: text(c.rawId), type: c.type, response,
		clientExtensionResults: c.getClientExtensionResults(),
	};
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(atob(base64url.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

function text(raw: ArrayBuffer): string {
	const plain = btoa(String.fromCharCode(...new Uint8Array(raw)));
	return plain.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// cancelled says whether the one who sits here closed the browser's dialog, or let it time out.
export const cancelled = (e: unknown): boolean => e instanceof DOMException && e.name === "NotAllowedError";

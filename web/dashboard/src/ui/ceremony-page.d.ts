// What is taken of the passkey page, which is plain JavaScript.
declare module "*/ceremony/page/facts.js" {
	export function facts(activity: string, preview: object): unknown[];
}
declare module "*/ceremony/page/proof.js" {
	export function openProof(proof: object, pin: { identityKey: string; environment: string }): Promise<unknown>;
}

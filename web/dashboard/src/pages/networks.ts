// The networks of the workspace's environment, and what amounts on them are of.
import { networks as all, type Network } from "../api/networks";
import { me } from "../me";
import { short } from "../ui/words";

export const networks = (): Network[] => all[me.value?.integrator.environment ?? "sandbox"];

export const kindOf = (addressFormat: string) => (addressFormat === "ADDRESS_FORMAT_SOLANA" ? "solana" : "evm");

export const choices = () => networks().map((n) => [n.slug, n.name] as const);

const find = (slug: string) => networks().find((n) => n.slug === slug);

export const nameOf = (slug: string): string => find(slug)?.name ?? slug;

// unitOf is the coin of an amount, or where nobody vouches for a name the token's address.
export const unitOf = (slug: string, tokenAddress?: string): string => symbolOf(slug, tokenAddress) ?? short(tokenAddress ?? "");

// symbolOf is the coin of an amount: the network's own, or a token that is listed.
export function symbolOf(slug: string, tokenAddress?: string): string | undefined {
	const network = find(slug);
	if (!tokenAddress) return network?.coin;
	const listed = Object.entries(network?.tokens ?? {}).find(([address]) => address.toLowerCase() === tokenAddress.toLowerCase());
	return listed?.[1];
}

// assets are what can be sent on a network, each by its address; the network's own coin has none.
export const assets = (slug: string): [string, string][] =>
	[...Object.entries(find(slug)?.tokens ?? {}), ["native", find(slug)?.coin ?? ""]];

// coins is an amount in a network's smallest unit, in whole coins.
export function coins(slug: string, smallest: string): string {
	const { decimals, coin } = find(slug) ?? { decimals: 0, coin: "" };
	const digits = smallest.padStart(decimals + 1, "0");
	const rest = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
	return `${digits.slice(0, digits.length - decimals)}${rest === "" ? "" : "." + rest} ${coin}`;
}

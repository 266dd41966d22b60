// How values are shown: amounts, addresses, states, times.
import type { ComponentChildren } from "preact";
import { amount, short, time, words } from "./words";
import { toast } from "./toast";

export function Money({ of, currency }: { of?: string | null; currency?: string }) {
	if (of === undefined || of === null || of === "") return <span class="quiet">–</span>;
	return <span class="money">{amount(of)}{currency && <span class="unit"> {currency.length > 6 ? currency : currency.toUpperCase()}</span>}</span>;
}

// Address is an address, an id or a hash: shown short, copied whole.
export function Address({ of, whole }: { of?: string | null; whole?: boolean }) {
	if (!of) return <span class="quiet">–</span>;
	const copy = () => navigator.clipboard.writeText(of).then(
		() => toast("Copied"), () => toast("The browser does not allow copying here", "bad"));
	return (
		<span class="address">
			<code title={of}>{whole ? of : short(of)}</code>
			<button type="button" class="copy" onClick={copy} aria-label={"Copy " + of}>Copy</button>
		</span>
	);
}

const good = ["active", "approved", "completed", "confirmed", "accepted", "sent", "live", "enabled", "done"];
const bad = ["failed", "rejected", "killed", "expired", "revoked", "canceled", "cancelled", "returned", "denied"];
const wait = ["pending", "awaiting", "awaiting_signature", "in_review", "draining", "suspended", "queued", "held"];

export function Status({ of }: { of: string }) {
	const kind = good.includes(of) ? "good" : bad.includes(of) ? "bad" : wait.includes(of) ? "wait" : "plain";
	return <span class={"status " + kind}>{words(of)}</span>;
}

export const Time = ({ of }: { of?: string | null }) =>
	of ? <time dateTime={of} title={of}>{time(of)}</time> : <span class="quiet">–</span>;

// Facts are names with their values. A value that is undefined is left out.
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
	return (
		<dl class="facts">
			{of.filter(([, value]) => value !== undefined && value !== "" && value !== null).map(([name, value]) => (
				<div key={name}><dt>{name}</dt><dd>{value}</dd></div>
			))}
		</dl>
	);
}

export type Step = { title: string; at?: string | null; detail?: ComponentChildren; kind?: "good" | "bad" | "wait" };

export function Timeline({ of }: { of: Step[] }) {
	return (
		<ol class="timeline">
			{of.map((s, n) => (
				<li key={n} class={s.kind ?? "good"}>
					<span class="what">{s.title}</span> <Time of={s.at} />
					{s.detail && <div class="detail">{s.detail}</div>}
				</li>
			))}
		</ol>
	);
}

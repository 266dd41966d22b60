// The rules of a wallet. All of them have to pass; a form that makes a new one, with the fields that people use.
import { useState } from "preact/hooks";
import { createPolicy, deletePolicy, listPolicies, type Policy, type PolicyRules } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { Readable } from "../ui/list";
import { Facts } from "../ui/show";
import { amount, listed } from "../ui/words";

export function Policies({ walletId }: { walletId: string }) {
	const [making, make] = useState(false);
	const got = useRead("policies " + walletId, ["policy.*"], (signal) => listPolicies({ query: { walletId, limit: 100 } }, { signal }));
	return (
		<>
			<div class="head"><h2>Rules</h2>
				{may("write") && <button type="button" onClick={() => make(true)}>New rule</button>}</div>
			<Readable of={got}>
				{({ data }) => {
					const living = data.filter((p) => p.status === "active");
					return living.length === 0
						? <p>There is no rule: whoever has the passkey can send everything, to anybody.</p>
						: <>{living.map((p) => <One key={p.id} of={p} />)}</>;
				}}
			</Readable>
			{making && <NewPolicy walletId={walletId} onClose={() => make(false)} />}
		</>
	);
}

const labels: [keyof PolicyRules, string][] = [
	["maxValueUsd", "At most in one transaction"], ["dailyUsd", "At most in 24 hours"], ["monthlyUsd", "At most in 30 days"],
	["allowedDestinations", "To these addresses alone"], ["payeesOnly", "To payees of the book alone"],
	["payeeCoolingHours", "A new payee waits, in hours"], ["allowedTokens", "These tokens alone"],
	["allowedChains", "On these networks alone"], ["allowedContracts", "These contracts alone"],
	["maxSlippagePercent", "A swap may lose, in percent"], ["allowRawDigests", "Exact bytes without their meaning"],
];

function value(rules: PolicyRules, name: keyof PolicyRules): string | undefined {
	const of = rules[name];
	if (of === undefined || of === null) return undefined;
	if (name.endsWith("Usd")) return amount(String(of)) + " USD";
	if (Array.isArray(of)) return of.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ");
	return typeof of === "boolean" ? (of ? "yes" : "no") : String(of);
}

function One({ of: p }: { of: Policy }) {
	const [deleting, put] = useState(false);
	const send = async () => {
		const answer = await deletePolicy({ path: { id: p.id }, query: { prepare: true }, body: back() });
		put(false);
		decide(answer);
	};
	return (
		<div class="card">
			<div class="head"><h3><bdi class="name">{p.name}</bdi></h3>
				{may("write") && <button type="button" onClick={() => put(true)}>Delete</button>}</div>
			<Facts of={labels.map(([name, label]) => [label, value(p.rules, name)])} />
			{p.rules.delegation && <p class="quiet">A key may sign within this rule without a passkey, until the delegation ends.</p>}
			{deleting && (
				<Dialog title="Delete this rule?" onClose={() => put(false)}>
					<p>What it forbids is allowed from then on, unless another rule of the wallet forbids it too.</p>
					<Form button="Delete on the passkey page" danger send={send} onCancel={() => put(false)} />
				</Dialog>
			)}
		</div>
	);
}

const number = (text: string) => (text.trim() === "" ? undefined : Number(text));

// rulesOf makes the rules of a form, and refuses what nobody can mean before the API does.
export function rulesOf(v: Values): PolicyRules {
	const rules: PolicyRules = {
		maxValueUsd: number(v.maxValueUsd), dailyUsd: number(v.dailyUsd), monthlyUsd: number(v.monthlyUsd),
		allowedDestinations: listed(v.allowedDestinations), payeesOnly: v.payeesOnly === "yes" || undefined,
	};
	const [once, day, month] = [rules.maxValueUsd, rules.dailyUsd, rules.monthlyUsd];
	if (Object.values(rules).every((of) => of === undefined)) throw new Error("Fill in at least one line: an empty rule forbids nothing.");
	if (once !== undefined && day !== undefined && once > day) throw new Error("One transaction may be more than a whole day: the day’s limit would decide alone.");
	if (day !== undefined && month !== undefined && day > month) throw new Error("A day may be more than a whole month: the month’s limit would decide alone.");
	return rules;
}

function NewPolicy({ walletId, onClose }: { walletId: string; onClose: () => void }) {
	const send = async (v: Values) => {
		const answer = await createPolicy({ query: { prepare: true }, body: { walletId, name: v.name, rules: rulesOf(v), ...back() } });
		onClose();
		decide(answer);
	};
	const usd = { inputMode: "decimal", pattern: "[0-9]+([.][0-9]+)?", required: false } as const;
	return (
		<Dialog title="New rule" onClose={onClose}>
			<Form button="Look at it on the passkey page" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="name" label="Name" required maxLength={100} error={error("name")} />
						<Field name="maxValueUsd" label="At most in one transaction, in USD" {...usd} error={error("maxValueUsd")} />
						<Field name="dailyUsd" label="At most in 24 hours, in USD" {...usd} error={error("dailyUsd")} />
						<Field name="monthlyUsd" label="At most in 30 days, in USD" {...usd} error={error("monthlyUsd")} />
						<Field name="allowedDestinations" label="To these addresses alone" rows={3} required={false}
							hint="With spaces or commas between; none: to anybody" error={error("allowedDestinations")} />
						<Field name="payeesOnly" label="Whom it may pay" options={[["no", "Anybody"], ["yes", "Payees of the book alone"]]}
							error={error("payeesOnly")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

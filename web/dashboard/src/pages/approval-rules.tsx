// When others have to agree: from which amount on, and how many.
import { useState } from "preact/hooks";
import { getApprovalConfig, updateApprovalConfig, type ApprovalConfig } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { Readable } from "../ui/list";
import { Facts } from "../ui/show";
import { amount } from "../ui/words";
import { organizations, usePasskeys } from "./signers";

export function ApprovalRules() {
	const got = usePasskeys();
	return (
		<Readable of={got}>
			{({ data }) => <>{organizations(data).map(([id, keys]) => <One key={id} id={id} people={keys.map((k) => k.email)} />)}</>}
		</Readable>
	);
}

function One({ id, people }: { id: string; people: string[] }) {
	const [changing, change] = useState(false);
	const got = useRead("approval config " + id, ["approval_config.*"], (signal) =>
		getApprovalConfig({ query: { subOrganizationId: id } }, { signal }));
	const distinct = [...new Set(people)];
	return (
		<section>
			<div class="head"><h2>When others have to agree</h2>
				{may("write") && <button type="button" onClick={() => change(true)}>Change</button>}</div>
			<Readable of={got}>
				{({ data }) => (
					<>
						<Facts of={[
							["People who can sign", distinct.join(", ")],
							["A payment waits above", data.enabled ? `${amount(String(data.thresholdUsd))} USD` : "never: one passkey is enough"],
							["Until", data.enabled && `${data.requiredApprovers} of ${distinct.length} have agreed`],
							["Messages", data.enabled && (data.includeMessages ? "wait too" : "do not wait")],
							["A request ends after", data.enabled && `${data.timeoutMinutes} minutes`],
						]} />
						{changing && <Change of={data} people={distinct.length} onClose={() => change(false)} />}
					</>
				)}
			</Readable>
		</section>
	);
}

function Change({ of, people, onClose }: { of: ApprovalConfig; people: number; onClose: () => void }) {
	const send = async (v: Values) => {
		const required = Number(v.requiredApprovers);
		if (required > people) throw new Error(`Only ${people} can sign: nobody could ever give ${required} votes.`);
		const answer = await updateApprovalConfig({
			query: { prepare: true },
			body: {
				subOrganizationId: of.subOrganizationId, enabled: v.enabled === "yes", thresholdUsd: Number(v.thresholdUsd),
				...back(), requiredApprovers: required, includeMessages: v.includeMessages === "yes",
			},
		});
		onClose();
		decide(answer);
	};
	const yes = [["yes", "Yes"], ["no", "No"]] as const;
	return (
		<Dialog title="When others have to agree" onClose={onClose}>
			<Form button="Look at it on the passkey page" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="enabled" label="Others have to agree" options={yes} value={of.enabled ? "yes" : "no"} error={error("enabled")} />
						<Field name="thresholdUsd" label="To payments above, in USD" required inputMode="decimal" pattern="[0-9]+([.][0-9]+)?"
							value={String(of.thresholdUsd)} error={error("thresholdUsd")} />
						<Field name="requiredApprovers" label="How many people" required inputMode="numeric" pattern="[1-9][0-9]?"
							value={String(of.requiredApprovers)} error={error("requiredApprovers")} />
						<Field name="includeMessages" label="To messages as well" options={yes} value={of.includeMessages ? "yes" : "no"}
							error={error("includeMessages")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

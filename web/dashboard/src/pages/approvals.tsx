// What waits for votes: the list, and one request with what it does, who asked, who voted, and how long is left.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { approveApproval, getApproval, listApprovals, rejectApproval, type Approval as Request } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { Dialog } from "../ui/dialog";
import { Field, Form } from "../ui/form";
import { List, Readable, type Column } from "../ui/list";
import { Address, Facts, Money, Status, Time, Timeline } from "../ui/show";
import { back, decide, Preview } from "../ui/ceremony";
import { toast } from "../ui/toast";
import { amount, atMost, left, short, words } from "../ui/words";
import { ApprovalRules } from "./approval-rules";
import { usePasskeys } from "./signers";
import { unitOf } from "./networks";

const reasons = {
	threshold: "It is above what one person may sign", message: "Messages wait for votes here",
	loosens: "It makes the rules looser", no_stamp: "It was asked for without a passkey",
};

const acts: { [activity: string]: string } = {
	ACTIVITY_TYPE_SIGN_MESSAGE: "Sign a message", ACTIVITY_TYPE_CREATE_POLICY: "New rule", ACTIVITY_TYPE_UPDATE_POLICY: "Change a rule",
	ACTIVITY_TYPE_DELETE_POLICY: "Delete a rule", ACTIVITY_TYPE_UPDATE_APPROVAL_CONFIG: "Change who has to agree",
	ACTIVITY_TYPE_ADD_PAYEE: "New payee", ACTIVITY_TYPE_REMOVE_PAYEE: "Remove a payee",
	ACTIVITY_TYPE_AGENT_PAYMENT: "Payment of an agent", ACTIVITY_TYPE_AGENT_X402: "Purchase of an agent",
};

// what names a request in a line of a list.
export function what(a: Request): string {
	const t = a.transaction;
	if (t && a.amount) return `Send ${amount(a.amount)} ${unitOf(t.network, t.tokenAddress)} to ${t.payee?.name ?? short(t.to)}`;
	const name = a.payee?.name ?? a.agentName;
	return (acts[a.activity] ?? words(a.activity)) + (name ? `: ${name}` : "");
}

// useColumns names who asked by the mail address of the passkey, where that is one of the signer's.
export function useColumns(): Column<Request>[] {
	const people = usePeople();
	return [{ head: "Request", cell: what }, { head: "Asked by", cell: (a) => people(a) }, ...columns];
}

// usePeople gives who asked for a request: the person whose passkey stamped it, or the key of a program.
export function usePeople(): (a: Request) => ComponentChildren {
	const { data } = usePasskeys();
	const known = new Map(data?.data.map((k) => [k.userId, k.email]));
	return (a) => <bdi>{known.get(a.requesterUserId ?? a.requester) ?? short(a.requester, 12)}</bdi>;
}

const columns: Column<Request>[] = [
	{ head: "Costs at most", cell: (a) => <Money of={a.costUsd && atMost(a.costUsd)} currency="usd" />, right: true },
	{ head: "Votes", cell: (a) => `${a.approvals.length} of ${a.requiredApprovers}` },
	{ head: "State", cell: (a) => <Status of={a.status} /> },
	{ head: "Time left", cell: (a) => (a.status === "pending" ? <Left until={a.expiresAt} /> : <Time of={a.resolvedAt} />) },
];

const states = [["", "Waiting"], ["approved", "Approved"], ["rejected", "Rejected"], ["expired", "Expired"], ["all", "All"]] as const;

export const Approvals = () => (
	<>
		<h1>Approvals</h1>
		<List label="Approvals" types={["approval.*"]} columns={useColumns()} id={(a) => a.id} link={(a) => `/approvals/${a.id}`}
			read={(query, signal) => listApprovals({ query }, { signal })}
			filters={[{ name: "status", label: "State", options: states }]}
			empty={<p>Nothing waits for a vote.</p>} />
		<ApprovalRules />
	</>
);

// Left counts down what is left until an instant.
export function Left({ until }: { until: string }) {
	const [, turn] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => turn((n) => n + 1), 1000);
		return () => clearInterval(timer);
	}, []);
	return <span class="left">{left(until)}</span>;
}

export function Approval({ id }: { id: string }) {
	const got = useRead("approval " + id, ["approval.*"], (signal) => getApproval({ path: { id } }, { signal }));
	return <Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>;
}

function Whole({ of: a }: { of: Request }) {
	const people = usePeople();
	return (
		<>
			<p class="up"><a href="/approvals">Approvals</a></p>
			<h1>{what(a)}</h1>
			<p><Status of={a.status} /> {a.status === "pending" && <>ends in <Left until={a.expiresAt} /></>}</p>
			{a.status === "pending" && <Decide of={a} />}
			<Facts of={[
				["Asked by", people(a)], ["Waits because", reasons[a.reason]],
				["Asked", <Time of={a.createdAt} />], ["Costs at most", a.costUsd && <Money of={atMost(a.costUsd)} currency="usd" />],
				["Why it ended", a.comment && <bdi>{a.comment}</bdi>],
				["Transaction", a.transactionId && <a href={`/transactions/${a.transactionId}`}>{a.transaction ? words(a.transaction.status) : a.transactionId}</a>],
				["Agent", a.agentId && <a href={`/agents/${a.agentId}`}>{a.agentName ?? a.agentId}</a>],
				["Id", <Address of={a.id} whole />],
			]} />
			<h2>What it does</h2>
			{a.preview ? <Preview activity={a.activity} payload={a.preview.payload} />
				: <p class="quiet">The signer’s description is shown on the passkey page.</p>}
			<h2>Votes: {a.approvals.length} of {a.requiredApprovers}</h2>
			{a.approvals.length === 0 ? <p class="quiet">Nobody has voted yet.</p>
				: <Timeline of={a.approvals.map((v) => ({ title: v.email ?? v.userId, at: v.at }))} />}
		</>
	);
}

function Decide({ of: a }: { of: Request }) {
	const [rejecting, put] = useState(false);
	if (!may("write")) return <p class="quiet">Your role reads only.</p>;
	const approve = async () => decide(await approveApproval({ path: { id: a.id }, query: { prepare: true }, body: back() }));
	const reject = async (reason: string) => {
		await rejectApproval({ path: { id: a.id }, body: { reason: reason || undefined } });
		put(false);
		toast("Rejected");
	};
	return (
		<div class="decide">
			<Form button="Approve on the passkey page" send={approve} />
			<button type="button" class="danger" onClick={() => put(true)}>Reject</button>
			{rejecting && (
				<Dialog title="Reject this request?" onClose={() => put(false)}>
					<p>It is never executed, also where others voted for it. Who asked has to ask again.</p>
					<Form button="Reject" danger send={(v) => reject(v.reason)} onCancel={() => put(false)}>
						{(error) => <Field name="reason" label="Reason" rows={3} maxLength={500} required={false} error={error("reason")} />}
					</Form>
				</Dialog>
			)}
		</div>
	);
}

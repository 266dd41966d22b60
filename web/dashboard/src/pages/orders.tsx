// Orders: the list that support searches, and one order with its timeline.
import { useState } from "preact/hooks";
import { cancelOrder, getOrder, listOrders, type Order as O, type OrderDetail } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { Dialog } from "../ui/dialog";
import { Form } from "../ui/form";
import { List, Readable, type Column } from "../ui/list";
import { Address, Facts, Money, Status, Time, Timeline, type Step } from "../ui/show";
import { toast } from "../ui/toast";
import { words } from "../ui/words";
import { Partner, sandbox } from "./sandbox";

export const columns: Column<O>[] = [
	{ head: "Reference", cell: (o) => <code>{o.reference}</code> },
	{ head: "Recipient", cell: (o) => <bdi class="name">{o.recipientName}</bdi> },
	{ head: "In", cell: (o) => <Money of={o.source.amount ?? o.expectedAmount} currency={o.source.currency} />, right: true },
	{ head: "Out", cell: (o) => <Money of={o.netAmount ?? o.destination.amount} currency={o.destination.currency} />, right: true },
	{ head: "State", cell: (o) => <Status of={o.status} /> },
	{ head: "Changed", cell: (o) => <Time of={o.updatedAt} /> },
];

const states = ["", "awaiting", "funds_received", "in_review", "payment_submitted", "completed", "canceled", "expired", "returned", "error"]
	.map((s) => [s, s === "" ? "Any" : words(s)] as const);
const kinds = [["", "Any"], ["off_ramp", "Payout"], ["on_ramp", "Deposit"], ["global_payment", "Bank to bank"]] as const;

type Query = Parameters<typeof listOrders>[0]["query"];

export const Orders = () => (
	<>
		<h1>Orders</h1>
		<List<O> label="Orders" types={["order.*"]} columns={columns} id={(o) => o.id} link={(o) => `/orders/${o.id}`}
			read={(query, signal) => listOrders({ query: query as unknown as Query }, { signal })}
			filters={[
				{ name: "q", label: "Name or reference" }, { name: "txHash", label: "Transaction hash" },
				{ name: "status", label: "State", options: states }, { name: "type", label: "Kind", options: kinds },
			]}
			empty={<p>There is no order yet. One begins with a quote that is executed, or with a deposit at an address.</p>} />
	</>
);

export function Order({ id }: { id: string }) {
	const got = useRead("order " + id, ["order.*"], (signal) => getOrder({ path: { id } }, { signal }));
	return <Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>;
}

const endings: Record<string, Step["kind"]> = { error: "bad", canceled: "bad", expired: "bad", returned: "bad", in_review: "wait" };

function Whole({ of: o }: { of: OrderDetail }) {
	const r = o.references;
	return (
		<>
			<p class="up"><a href="/orders">Orders</a></p>
			<h1><code>{o.reference}</code></h1>
			<p><Status of={o.status} /></p>
			{o.reviewReason && <div class="problem"><p>It waits for a person: {words(o.reviewReason)}.</p></div>}
			{o.failure && <div class="problem"><p>{o.failure.message}</p><p class="quiet"><code>{o.failure.code}</code></p></div>}
			{o.delayReason && <p class="quiet">The partner says: {o.delayReason}</p>}
			{o.status === "awaiting" && may("write") && <Cancel of={o} />}
			<Facts of={[
				["Recipient", <a href={`/recipients/${o.recipientId}`}><bdi class="name">{o.recipientName}</bdi></a>],
				["In", <Money of={o.source.amount ?? o.expectedAmount} currency={o.source.currency} />],
				["Out", <Money of={o.netAmount ?? o.destination.amount} currency={o.destination.currency} />],
				["Rate", o.rate], ["To", o.destination.accountLast4 ? `account …${o.destination.accountLast4}` : o.destination.address && <Address of={o.destination.address} />],
				["By", o.destination.rail && words(o.destination.rail)],
				...o.fees.map((f): [string, preact.ComponentChildren] => [`Fee, ${f.kind}`, <Money of={f.amount} currency={f.currency} />]),
				["Deposit", r.depositTxHash && <Address of={r.depositTxHash} />], ["Bank’s trace number", r.traceNumber],
				["Tracking key", r.trackingKey], ["Partner’s transfer", r.partnerTransferId],
				["Refund", o.refund && <><Money of={o.refund.amount} currency={o.refund.currency} /> <Status of={o.refund.status} /></>],
				["Begun", <Time of={o.createdAt} />], ["Completed", o.completedAt && <Time of={o.completedAt} />],
				["Labels", o.labels.map(words).join(", ")], ["Id", <Address of={o.id} whole />],
			]} />
			{sandbox() && <Partner of={o} />}
			<h2>What happened</h2>
			<Timeline of={o.timeline.map((t) => ({
				title: words(t.type), at: t.occurredAt, kind: endings[t.status] ?? "good",
				detail: t.detail && Object.keys(t.detail).length > 0 &&
					<Facts of={Object.entries(t.detail).map(([k, v]) => [words(k), <bdi>{v}</bdi>])} />,
			}))} />
		</>
	);
}

function Cancel({ of }: { of: O }) {
	const [asking, ask] = useState(false);
	const send = async () => {
		await cancelOrder({ path: { id: of.id } });
		ask(false);
		toast("Canceled");
	};
	return (
		<div class="decide">
			<button type="button" class="danger" onClick={() => ask(true)}>Cancel the order</button>
			{asking && (
				<Dialog title="Cancel this order?" onClose={() => ask(false)}>
					<p>Money that arrives for it afterwards goes to review, and back to whoever sent it.</p>
					<Form button="Cancel the order" danger send={send} onCancel={() => ask(false)} />
				</Dialog>
			)}
		</div>
	);
}

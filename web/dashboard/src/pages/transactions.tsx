// Transactions: the list, and one with where it stands and what can still be done about it.
import { cancelTransaction, getTransaction, listTransactions, prepareTransaction, type Transaction as T } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { back, decide } from "../ui/ceremony";
import { Form } from "../ui/form";
import { List, Readable } from "../ui/list";
import { Address, Facts, Money, Status, Time } from "../ui/show";
import { toast } from "../ui/toast";
import { words } from "../ui/words";
import { coins, nameOf, unitOf } from "./networks";

const states = ["", "awaiting_signature", "awaiting_approval", "pending", "broadcast", "confirmed", "failed", "cancelled", "expired"]
	.map((s) => [s, s === "" ? "Any" : words(s)] as const);

export const Transactions = () => (
	<>
		<h1>Transactions</h1>
		<List<T> label="Transactions" types={["transaction.*"]} id={(t) => t.transactionId} link={(t) => `/transactions/${t.transactionId}`}
			read={(query, signal) => listTransactions({ query }, { signal })}
			filters={[{ name: "status", label: "State", options: states }]}
			columns={[
				{ head: "What", cell: (t) => words(t.type) },
				{ head: "To", cell: (t) => <Address of={t.to} /> },
				{ head: "Amount", cell: (t) => <Money of={t.amount} currency={unitOf(t.network, t.tokenAddress)} />, right: true },
				{ head: "Network", cell: (t) => nameOf(t.network) },
				{ head: "State", cell: (t) => <><Status of={t.status} />{t.stuck && <span class="status bad">Stuck</span>}</> },
				{ head: "Made", cell: (t) => <Time of={t.createdAt} /> },
			]}
			empty={<p>Nothing was prepared yet. Send something from a <a href="/wallets">wallet</a>.</p>} />
	</>
);

export function Transaction({ id }: { id: string }) {
	const got = useRead("transaction " + id, ["transaction.*"], (signal) => getTransaction({ path: { transactionId: id } }, { signal }));
	return <Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>;
}

function Whole({ of: t }: { of: T }) {
	return (
		<>
			<p class="up"><a href="/transactions">Transactions</a></p>
			<h1>{words(t.type)}</h1>
			<p><Status of={t.status} />{t.stuck && <span class="status bad">Stuck: it pays less than the network asks now</span>}</p>
			{may("write") && <Acts of={t} />}
			<Facts of={[
				["Amount", <Money of={t.amount} currency={unitOf(t.network, t.tokenAddress)} />], ["Token", t.tokenAddress && <Address of={t.tokenAddress} />],
				["From", <Address of={t.from} whole />], ["To", <Address of={t.to} whole />], ["Network", nameOf(t.network)],
				["Fee at most", coins(t.network, t.fee.maxTotalFee)], ["Nonce", t.nonce],
				["Hash", t.txHash && <Address of={t.txHash} whole />], ["Why", t.reason && <bdi>{t.reason}</bdi>],
				["Waits for", t.waitsFor?.map((id) => <a key={id} href={`/transactions/${id}`}>{id}</a>)],
				["Approval", t.approvalId && <a href={`/approvals/${t.approvalId}`}>its votes</a>],
				["Replaces", t.replaces && <a href={`/transactions/${t.replaces}`}>another one</a>],
				["Replaced by", t.replacedBy && <a href={`/transactions/${t.replacedBy}`}>another one</a>],
				["Received", t.received], ["Made", <Time of={t.createdAt} />], ["Changed", <Time of={t.updatedAt} />],
				["Id", <Address of={t.transactionId} whole />],
			]} />
		</>
	);
}

function Acts({ of: t }: { of: T }) {
	const id = t.transactionId;
	const again = async (type: "speed_up" | "void") => {
		const { data } = await prepareTransaction({ body: { type, replaces: id, ...back() } });
		decide({ data });
	};
	if (t.status === "awaiting_signature") {
		const cancel = async () => {
			await cancelTransaction({ path: { transactionId: id } });
			toast("Cancelled. It can no longer be signed.");
		};
		return <div class="decide"><Form button="Cancel it" danger send={cancel} /></div>;
	}
	if (t.status !== "broadcast" && t.status !== "pending") return null;
	if (t.network === "solana") return <p class="quiet">It is confirmed or expires within about two minutes. Solana has no void.</p>;
	return (
		<div class="decide">
			<Form button="Speed it up" send={() => again("speed_up")} />
			<Form button="Void it" danger send={() => again("void")} />
			<p class="quiet">Speeding up pays more for the same. Voiding sends nothing to yourself with the same number, so that
				only one of the two can come to the chain. Either may lose against the first.</p>
		</div>
	);
}

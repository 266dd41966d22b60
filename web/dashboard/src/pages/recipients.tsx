// Recipients: who is paid, their bank accounts, and their orders.
import { listBankAccounts, listOrders, listRecipients, listRecipientsWithAccounts, type Recipient as R } from "../api/generated";
import { useRead } from "../api/read";
import { List, Readable, Table } from "../ui/list";
import { Address, Facts, Money, Status, Time } from "../ui/show";
import { words } from "../ui/words";
import { columns } from "./orders";

const states = [["", "Active"], ["archived", "Archived"], ["all", "All"]] as const;

export const Recipients = () => (
	<>
		<h1>Recipients</h1>
		<List<R> label="Recipients" types={["recipient.*"]} id={(r) => r.id} link={(r) => `/recipients/${r.id}`}
			read={(query, signal) => listRecipients({ query }, { signal })}
			filters={[{ name: "search", label: "Name" }, { name: "status", label: "State", options: states }]}
			columns={[
				{ head: "Name", cell: (r) => <bdi class="name">{r.name}</bdi> },
				{ head: "Kind", cell: (r) => words(r.ownerType) },
				{ head: "Country", cell: (r) => r.address.country },
				{ head: "State", cell: (r) => <Status of={r.status} /> },
				{ head: "Since", cell: (r) => <Time of={r.createdAt} /> },
			]}
			empty={<p>There is no recipient yet. A recipient has a name, an address, and bank accounts that are paid.</p>} />
	</>
);

export function Recipient({ id }: { id: string }) {
	const got = useRead("recipient " + id, ["recipient.*"], async (signal) => {
		const { data } = await listRecipientsWithAccounts({ query: { limit: 200, include_archived: true, status: "all" } }, { signal });
		return data.find((r) => r.id === id);
	});
	return (
		<>
			<p class="up"><a href="/recipients">Recipients</a></p>
			<Readable of={got}>
				{(r) => (
					<>
						<h1><bdi class="name">{r?.name ?? "Recipient"}</bdi></h1>
						{r && <Facts of={[
							["State", <Status of={r.status} />], ["Kind", words(r.ownerType)], ["Mail", r.email],
							["Address", [r.address.street, r.address.postalCode, r.address.city, r.address.state, r.address.country].filter(Boolean).join(", ")],
							["Paid this year", <Money of={r.summary.total_ytd} currency="usd" />],
							["Last paid", r.summary.last_paid_at && <Time of={r.summary.last_paid_at} />], ["Id", <Address of={r.id} whole />],
						]} />}
					</>
				)}
			</Readable>
			<h2>Bank accounts</h2>
			<Accounts id={id} />
			<h2>Orders</h2>
			<List label="Orders" types={["order.*"]} columns={columns} id={(o) => o.id} link={(o) => `/orders/${o.id}`} fixed={{ recipientId: id }}
				read={(query, signal) => listOrders({ query }, { signal })} empty={<p>Nothing was paid yet.</p>} />
		</>
	);
}

function Accounts({ id }: { id: string }) {
	const got = useRead("accounts " + id, ["bank_account.*"], (signal) =>
		listBankAccounts({ path: { id }, query: { include_archived: true, limit: 100 } }, { signal }));
	return (
		<Readable of={got}>
			{({ data }) => data.length === 0 ? <p class="quiet">No bank account yet.</p> : (
				<Table rows={data} label="Bank accounts" id={(a) => a.id} columns={[
					{ head: "Account", cell: (a) => <>{a.bankName} …{a.lastFour}</> },
					{ head: "Currency", cell: (a) => a.currency.toUpperCase() },
					{ head: "Rail", cell: (a) => words(a.rail) },
					{ head: "State", cell: (a) => <><Status of={a.status} />{a.frozenAt && <span class="status bad">Frozen</span>}</> },
					{ head: "Paid from", cell: (a) => <Time of={a.payableAt} /> },
				]} />
			)}
		</Readable>
	);
}

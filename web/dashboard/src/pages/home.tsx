// Home: what waits for me, what is wrong, what there is, and what came and went. Each is a link to where it is solved.
import {
	getAgentBudget, getDailyStatement, getReconciliation, getWalletBalances, listAgents, listApprovals, listOrders, listTransactions, listWallets,
	type Agent, type NetworkBalances, type Wallet,
} from "../api/generated";
import { useRead } from "../api/read";
import { me } from "../me";
import { Chart } from "../ui/chart";
import { Readable, Table } from "../ui/list";
import { Money } from "../ui/show";
import { amount, words } from "../ui/words";
import { useColumns, what } from "./approvals";

export function Home() {
	if (!me.value) return <><h1>Home</h1><p class="loading" role="status">Loading…</p></>;
	const { active_modules: modules, kyb_status: kyb } = me.value.integrator;
	const has = (module: string) => (modules as string[]).includes(module) && (module !== "payout" || kyb === "approved");
	return (
		<>
			<h1>Home</h1>
			{kyb !== "approved" && (
				<div class="problem"><p>The check of your business is {kyb}: payouts begin once it is approved. <a href="/kyb">The form</a></p></div>
			)}
			{has("signing") && <Waiting />}
			<Wrong payout={has("payout")} signing={has("signing")} agents={has("agents")} />
			{has("signing") && <Balances />}
			{has("payout") && <Flow />}
		</>
	);
}

function Waiting() {
	const columns = useColumns();
	const got = useRead("waiting", ["approval.*"], (signal) => listApprovals({ query: { limit: 5 } }, { signal }));
	return (
		<section>
			<h2>Waits for votes</h2>
			<Readable of={got}>
				{({ data, meta }) => data.length === 0 ? <p class="quiet">Nothing.</p> : (
					<>
						<Table rows={data} columns={columns} label="Waits for votes" id={(a) => a.id} link={(a) => `/approvals/${a.id}`} />
						{meta.total > data.length && <p><a href="/approvals">All {meta.total}</a>, {what(data[0])} first</p>}
					</>
				)}
			</Readable>
		</section>
	);
}

type Trouble = { text: string; link: string };

// atLimit are agents that have used nine tenths of a month's limit. Each takes a call, so it looks at ten.
async function atLimit(agents: Agent[], signal: AbortSignal): Promise<Trouble[]> {
	const budgets = await Promise.all(agents.slice(0, 10).map(async (a) => ({
		agent: a, layers: (await getAgentBudget({ path: { id: a.id } }, { signal })).data.layers,
	})));
	return budgets.filter(({ layers }) => Object.values(layers).some((l) => l.limit > 0 && l.spent + l.held >= 0.9 * l.limit))
		.map(({ agent }) => ({ text: `Agent ${agent.name} has nearly used up its month`, link: "/agents/" + agent.id }));
}

// aboutLink leads to what a difference of the books is about, where that is an order.
const aboutLink = (about: string) => "/orders" + (/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(about)?.[0].replace(/^/, "/") ?? "");

// Wrong lists what a person has to look at. It reads few rows of each kind, and says where the rest is.
function Wrong({ payout, signing, agents }: { payout: boolean; signing: boolean; agents: boolean }) {
	const got = useRead(`wrong ${payout} ${signing} ${agents}`, ["order.*", "transaction.*", "agent.*"], async (signal) => {
		const [orders, sent, paying, books] = await Promise.all([
			payout ? listOrders({ query: { status: ["in_review", "error"], limit: 5 } }, { signal }) : undefined,
			signing ? listTransactions({ query: { status: "broadcast", limit: 50 } }, { signal }) : undefined,
			agents ? listAgents({ query: { limit: 100 } }, { signal }) : undefined,
			payout ? getReconciliation({}, { signal }) : undefined,
		]);
		const troubles: Trouble[] = [];
		for (const o of orders?.data ?? []) {
			troubles.push({ text: `Order ${o.reference} is ${words(o.status).toLowerCase()}${o.reviewReason ? ": " + words(o.reviewReason).toLowerCase() : ""}`, link: "/orders/" + o.id });
		}
		if (orders && orders.meta.total > orders.data.length) {
			troubles.push({ text: `${orders.meta.total - orders.data.length} more orders`, link: "/orders?status=in_review" });
		}
		for (const d of books?.data.differences ?? []) {
			troubles.push({ text: `The books differ about ${d.about}: ${d.got}, and not ${d.want}. Tell your operator.`, link: aboutLink(d.about) });
		}
		for (const t of sent?.data ?? []) if (t.stuck) troubles.push({ text: `A transaction of ${amount(t.amount)} is stuck`, link: "/transactions/" + t.transactionId });
		for (const a of paying?.data ?? []) if (a.status === "suspended" || a.allStopped) troubles.push({ text: `Agent ${a.name} is stopped`, link: "/agents/" + a.id });
		troubles.push(...await atLimit((paying?.data ?? []).filter((a) => a.status === "active"), signal));
		return troubles;
	});
	return (
		<section>
			<h2>Needs a look</h2>
			<Readable of={got}>
				{(troubles) => troubles.length === 0 ? <p class="quiet">Nothing.</p>
					: <ul class="troubles">{troubles.map((t) => <li key={t.text}><a href={t.link}>{t.text}</a></li>)}</ul>}
			</Readable>
		</section>
	);
}

// Holding is an amount of a coin in a wallet; without one the network does not answer.
type Holding = { wallet: Wallet; network: NetworkBalances; symbol: string; amount?: string };

// most is how many wallets Home adds up: each takes a call.
const most = 5;

// Balances adds up what the newest wallets have, by network and coin.
function Balances() {
	const got = useRead("balances", ["wallet.*", "transfer.*", "transaction.confirmed"], async (signal) => {
		const wallets = await listWallets({ query: { limit: most } }, { signal });
		const all = await Promise.all(wallets.data.map(async (w) => ({
			wallet: w, networks: (await getWalletBalances({ path: { walletId: w.walletId } }, { signal })).data.networks,
		})));
		const rows = all.flatMap(({ wallet, networks }) => networks.flatMap((network): Holding[] => network.error
			? [{ wallet, network, symbol: "" }]
			: network.balances.filter((b) => b.balance !== "0").map((b) => ({ wallet, network, symbol: b.symbol, amount: b.formatted }))));
		return { rows, none: wallets.meta.total === 0, more: wallets.meta.total - wallets.data.length };
	});
	return (
		<section>
			<h2>Balances</h2>
			<Readable of={got}>
				{({ rows, none, more }) => none ? <p class="quiet">There is no <a href="/wallets">wallet</a> yet.</p> : (
					<>
						{rows.length === 0 ? <p class="quiet">The wallets are empty.</p> : (
							<Table rows={rows} label="Balances" link={(r) => "/wallets/" + r.wallet.walletId}
								id={(r) => `${r.wallet.walletId} ${r.network.chain} ${r.symbol} ${r.amount}`}
								columns={[
									{ head: "Wallet", cell: (r) => <bdi class="name">{r.wallet.walletName}</bdi> },
									{ head: "Network", cell: (r) => r.network.name },
									{ head: "Has", cell: (r) => r.amount === undefined ? <span class="quiet">{r.network.error?.message}</span>
										: <Money of={r.amount} currency={r.symbol} />, right: true },
								]} />
						)}
						{more > 0 && <p class="quiet">Your newest {most} wallets. <a href="/wallets">All wallets</a></p>}
					</>
				)}
			</Readable>
		</section>
	);
}

const day = 86_400_000;

function Flow() {
	const of = (at: number) => new Date(at).toISOString().slice(0, 10);
	const from = of(Date.now() - 29 * day), to = of(Date.now());
	const got = useRead("flow " + from, ["order.*"], (signal) => getDailyStatement({ query: { from, to } }, { signal }));
	return (
		<section>
			<h2>In and out, 30 days</h2>
			<Readable of={got}>
				{({ data }) => {
					const currencies = data.balances.map((b) => b.currency);
					if (currencies.length === 0) return <p class="quiet">Nothing moved.</p>;
					return <>{currencies.map((c) => <One key={c} currency={c} days={data.days ?? []} />)}</>;
				}}
			</Readable>
		</section>
	);
}

type Day = NonNullable<Awaited<ReturnType<typeof getDailyStatement>>["data"]["days"]>[number];

function One({ currency, days }: { currency: string; days: Day[] }) {
	const of = (which: "moneyIn" | "moneyOut") => days.map((d) => Number(d.balances.find((b) => b.currency === currency)?.[which] ?? 0));
	return (
		<>
			<h3>{currency.toUpperCase()}</h3>
			<Chart days={days.map((d) => d.date)} label={`${currency.toUpperCase()} by day`}
				series={[{ name: "In", values: of("moneyIn") }, { name: "Out", values: of("moneyOut") }]} />
		</>
	);
}

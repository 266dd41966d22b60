// Agents: what they may spend and have spent, their payments, and the way to stop them.
import { useState } from "preact/hooks";
import {
	getAgent, getAgentBudget, getAgentExposure, killAgent, listAgentAudit, listAgents, listX402Payments, pauseAgent, resumeAgent,
	type Agent as A, type X402Payment,
} from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Form } from "../ui/form";
import { List, Readable, Table } from "../ui/list";
import { Address, Facts, Money, Status, Time } from "../ui/show";
import { amount, words } from "../ui/words";
import { nameOf } from "./networks";

export const Agents = () => (
	<>
		<h1>Agents</h1>
		<List<A> label="Agents" types={["agent.*"]} id={(a) => a.id} link={(a) => `/agents/${a.id}`}
			read={(query, signal) => listAgents({ query }, { signal })}
			filters={[{ name: "search", label: "Name" }]}
			columns={[
				{ head: "Name", cell: (a) => <bdi class="name">{a.name}</bdi> },
				{ head: "State", cell: (a) => <><Status of={a.status} />{a.allStopped && <span class="status bad">All stopped</span>}</> },
				{ head: "A month", cell: (a) => a.limits && <Money of={String(a.limits.paymentsMonthlyUsdc)} currency="usdc" />, right: true },
				{ head: "A payment", cell: (a) => a.limits && <Money of={String(a.limits.perTxUsdc)} currency="usdc" />, right: true },
				{ head: "Wallet", cell: (a) => <Address of={a.walletAddress} /> },
			]}
			empty={<p>There is no agent yet. An agent is a program that pays within limits that the signer holds it to.</p>} />
	</>
);

export function Agent({ id }: { id: string }) {
	const got = useRead("agent " + id, ["agent.*"], (signal) => getAgent({ path: { id } }, { signal }));
	return <Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>;
}

function Whole({ of: a }: { of: A }) {
	const l = a.limits;
	return (
		<>
			<p class="up"><a href="/agents">Agents</a></p>
			<h1><bdi class="name">{a.name}</bdi></h1>
			<p><Status of={a.status} />{a.allStopped && <span class="status bad">All agents are stopped</span>}</p>
			{may("write") && <Acts of={a} />}
			<h2>Budget</h2>
			<Budget id={a.id} />
			<Facts of={[
				["What it is for", a.description && <bdi>{a.description}</bdi>], ["Wallet", a.addresses.map((at) => <div>{nameOf(at.network)}: {at.address ? <Address of={at.address} whole /> : "no address yet"}</div>)],
				["A payment, at most", l && <Money of={String(l.perTxUsdc)} currency="usdc" />],
				["Waits for votes above", l && <Money of={String(l.approvalThresholdUsdc)} currency="usdc" />],
				["A fee, at most", l && <Money of={String(l.maxFeeUsd)} currency="usd" />],
				["Networks", l?.allowedChains.map(nameOf).join(", ")],
				["Pays", l && (l.anyRecipient ? "anybody" : l.payeesOnly ? "payees of the book alone" : "its listed recipients alone")],
				["Hosts", l?.allowedHosts?.join(", ")], ["Id", <Address of={a.id} whole />],
			]} />
			<h2>Payments for requests (x402)</h2>
			<List<X402Payment> label="Payments" types={["x402_payment.*"]} id={(p) => p.id}
				read={(query, signal) => listX402Payments({ path: { id: a.id }, query }, { signal })}
				columns={[
					{ head: "When", cell: (p) => <Time of={p.createdAt} /> },
					{ head: "For", cell: (p) => <bdi>{p.resource}</bdi>, wide: true },
					{ head: "Amount", cell: (p) => <Money of={p.amount} />, right: true },
					{ head: "State", cell: (p) => <Status of={p.state} /> },
					{ head: "Delivered", cell: (p) => words(p.delivery) },
				]}
				empty={<p>It has bought nothing yet.</p>} />
			<h2>What happened</h2>
			<Record id={a.id} />
		</>
	);
}

function Budget({ id }: { id: string }) {
	const got = useRead("budget " + id, ["agent.*", "x402_payment.*"], (signal) => getAgentBudget({ path: { id } }, { signal }));
	return (
		<Readable of={got}>
			{({ data }) => (
				<div class="cards">
					{(["payments", "tokens", "infra"] as const).map((name) => {
						const layer = data.layers[name];
						const used = layer.spent + layer.held;
						return (
							<div class="card" key={name}>
								<h3>{words(name)}</h3>
								<p><span class="money">{amount(String(used))}</span> of {amount(String(layer.limit))} {layer.currency} this month</p>
								<progress max={layer.limit || 1} value={used} aria-label={`${words(name)} used`} />
							</div>
						);
					})}
				</div>
			)}
		</Readable>
	);
}

function Acts({ of: a }: { of: A }) {
	const [killing, kill] = useState(false);
	if (a.status === "killed" || a.status === "pending_policies") return null;
	const path = { id: a.id };
	return (
		<div class="decide">
			{a.status === "suspended"
				? <Form button="Let it pay again" send={async () => decide(await resumeAgent({ path, query: { prepare: true }, body: back() }))} />
				: <Form button="Pause it" send={async () => decide(await pauseAgent({ path }))} />}
			<button type="button" class="danger" onClick={() => kill(true)}>Kill it</button>
			{killing && <Kill of={a} onClose={() => kill(false)} />}
		</div>
	);
}

// Kill says what it does and what it does not: what was signed before can still be handed in.
function Kill({ of: a, onClose }: { of: A; onClose: () => void }) {
	const got = useRead("exposure " + a.id, [], (signal) => getAgentExposure({ path: { id: a.id } }, { signal }));
	const send = async () => {
		const answer = await killAgent({ path: { id: a.id } });
		onClose();
		decide(answer);
	};
	return (
		<Dialog title="Kill this agent?" onClose={onClose}>
			<p>It pays nothing more, for ever: an agent that was killed cannot be woken. Its wallet keeps what is in it, and
				your passkey can still move that.</p>
			<Readable of={got}>
				{({ data }) => (
					<p>What it signed before can still be handed in: <Money of={data.openExposureUsdc} currency="usdc" />
						{!data.complete && " at least; not every network answers now"}.</p>
				)}
			</Readable>
			<Form button="Kill it" danger send={send} onCancel={onClose} />
		</Dialog>
	);
}

function Record({ id }: { id: string }) {
	const got = useRead("record " + id, ["agent.*"], (signal) => listAgentAudit({ path: { id }, query: { limit: 20 } }, { signal }));
	return (
		<Readable of={got}>
			{({ data }) => data.length === 0 ? <p class="quiet">Nothing yet.</p> : (
				<Table rows={data} label="What happened" id={(e) => e.id} columns={[
					{ head: "When", cell: (e) => <Time of={e.timestamp} /> },
					{ head: "What", cell: (e) => words(e.action) },
					{ head: "Result", cell: (e) => <Status of={e.status} /> },
					{ head: "Request", cell: (e) => <code>{e.requestId}</code> },
				]} />
			)}
		</Readable>
	);
}

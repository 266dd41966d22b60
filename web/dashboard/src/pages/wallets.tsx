// Wallets: the list with what each holds, a new one, and one wallet with its addresses, movements and refusals.
import { useEffect, useRef, useState } from "preact/hooks";
import {
	listDenials, listWallets, listWalletTransactions, prepareWallet,
	prepareWalletAccount, getWallet,
	type Wallet as W, type WalletAddress, type NetworkBalances, type WalletTransaction,
} from "../api/generated";
import { useRead, type Read } from "../api/read";
import { may } from "../me";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { List, Readable, Table } from "../ui/list";
import { Address, Facts, Money, Status, Time } from "../ui/show";
import { words } from "../ui/words";
import { useBalances, type Balances } from "./balances";
import { nameOf } from "./networks";
import { Policies } from "./policies";
import { Proof } from "./proof";
import { Faucet, sandbox } from "./sandbox";
import { Signers } from "./signers";

export const Wallets = () => {
	const [making, make] = useState(false);
	return (
		<>
			<div class="head"><h1>Wallets</h1>
				{may("write") && <button type="button" class="primary" onClick={() => make(true)}>New wallet</button>}</div>
			<List<W> label="Wallets" types={["wallet.*"]} id={(w) => w.walletId} link={(w) => `/wallets/${w.walletId}`}
				read={(query, signal) => listWallets({ query }, { signal })}
				filters={[{ name: "search", label: "Name" }]}
				columns={[
					{ head: "Name", cell: (w) => <bdi class="name">{w.walletName}</bdi> },
					{ head: "Kind", cell: (w) => words(w.type) },
					{ head: "Address", cell: (w) => <Address of={w.addresses[0]?.address} /> },
					{ head: "Made", cell: (w) => <Time of={w.created_at} /> },
				]}
				empty={<p>There is no wallet yet. A wallet belongs to a passkey: nobody else can sign with it.</p>} />
			{making && <NewWallet onClose={() => make(false)} />}
			<Signers />
		</>
	);
};

function NewWallet({ onClose }: { onClose: () => void }) {
	const send = async (v: Values) => {
		const answer = await prepareWallet({ body: { walletName: v.walletName, chain: v.chain, ...back() } });
		onClose();
		decide(answer);
	};
	return (
		<Dialog title="New wallet" onClose={onClose}>
			<p>Your passkey of the signer makes it, on the passkey page.</p>
			<Form button="Go on" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="walletName" label="Name" required maxLength={100} error={error("walletName")} />
						<Kind error={error("chain")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

// Kind asks for which networks an address is: one address serves all EVM networks.
const Kind = ({ error }: { error?: string }) => (
	<Field name="chain" label="Address for" options={[["base", "Ethereum, Base and the other EVM networks"], ["solana", "Solana"]]} error={error} />
);

function NewAddress({ walletId, onClose }: { walletId: string; onClose: () => void }) {
	const send = async (v: Values) => {
		const answer = await prepareWalletAccount({ body: { walletId, chain: v.chain, ...back() } });
		onClose();
		decide(answer);
	};
	return (
		<Dialog title="New address" onClose={onClose}>
			<Form button="Go on" send={send} onCancel={onClose}>{(error) => <Kind error={error("chain")} />}</Form>
		</Dialog>
	);
}

export function Wallet({ id }: { id: string }) {
	const got = useRead("wallet " + id, ["wallet.*"], (signal) => getWallet({ path: { walletId: id } }, { signal }));
	return <Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>;
}

function Whole({ of: w }: { of: W }) {
	const [adding, add] = useState(false);
	const balances = useBalances(w.walletId);
	return (
		<>
			<p class="up"><a href="/wallets">Wallets</a></p>
			<div class="head"><h1><bdi class="name">{w.walletName}</bdi></h1>
				{may("write") && <a class="button primary" href={`/wallets/${w.walletId}/send`}>Send</a>}</div>
			<Facts of={[["Kind", words(w.type)], ["Made", <Time of={w.created_at} />], ["Id", <Address of={w.walletId} whole />]]} />
			<div class="head"><h2>Addresses</h2>
				{may("write") && <button type="button" onClick={() => add(true)}>New address</button>}</div>
			{w.addresses.length === 0 && <p class="quiet">It has no address yet: nobody can pay it.</p>}
			{adding && <NewAddress walletId={w.walletId} onClose={() => add(false)} />}
			{w.addresses.map((a) => <OneAddress key={a.walletAccountId} of={a} walletId={w.walletId} balances={balances} />)}
			<h2>Movements</h2>
			<List<WalletTransaction> label="Movements" types={["transaction.*", "transfer.*"]} id={(t) => t.id}
				read={(query, signal) => listWalletTransactions({ path: { walletId: w.walletId }, query }, { signal })}
				columns={[
					{ head: "When", cell: (t) => <Time of={t.timestamp} /> },
					{ head: "What", cell: (t) => (t.type === "send" ? "Sent to" : "Received from") },
					{ head: "Whom", cell: (t) => t.payee ? <bdi class="name">{t.payee.name}</bdi> : <Address of={t.counterparty} /> },
					{ head: "Amount", cell: (t) => <Money of={t.amount} currency={t.tokenSymbol} />, right: true },
					{ head: "State", cell: (t) => <Status of={t.status} /> },
					{ head: "Network", cell: (t) => nameOf(t.network) },
				]}
				empty={<p>Nothing was sent or received yet.</p>} />
			<Policies walletId={w.walletId} />
			<h2>Refused</h2>
			<Denials walletId={w.walletId} />
		</>
	);
}

function OneAddress({ of: a, walletId, balances }: { of: WalletAddress; walletId: string; balances: Read<Balances> }) {
	return (
		<div class="card address-card">
			<Code of={a.address} />
			<div>
				<h3>{words(a.addressFormat)}</h3>
				<Address of={a.address} whole />
				<Readable of={balances}>
					{({ data }) => (
						<ul class="balances">
							{data.networks.map((n) => <OneNetwork key={n.chain} of={n} address={a.address} />)}
						</ul>
					)}
				</Readable>
				<Proof walletId={walletId} addressId={a.walletAccountId} address={a.address} />
				{sandbox() && <Faucet address={a.address} addressFormat={a.addressFormat} />}
			</div>
		</div>
	);
}

// OneNetwork is what an address has on a network. What is nothing is left out, but for the network's own coin.
function OneNetwork({ of: n, address }: { of: NetworkBalances; address: string }) {
	if (n.error) return <li>{n.name} <span class="quiet">{n.error.message}</span></li>;
	const mine = n.balances.filter((b) => b.address === address && (b.balance !== "0" || !b.tokenAddress));
	if (mine.length === 0) return null;
	return <li>{n.name}{mine.map((b) => <span key={b.symbol}> <Money of={b.formatted} currency={b.symbol} /></span>)}</li>;
}

// Code is the address as a QR code. It is drawn by a library that is loaded here only.
function Code({ of }: { of: string }) {
	const box = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		void import("uqr").then(({ encode }) => {
			const { data, size } = encode(of, { ecc: "M", border: 2 });
			const canvas = box.current;
			const pen = canvas?.getContext("2d");
			if (!canvas || !pen) return;
			canvas.width = canvas.height = size;
			pen.fillStyle = "#fff";
			pen.fillRect(0, 0, size, size);
			pen.fillStyle = "#000";
			data.forEach((line, y) => line.forEach((dark, x) => dark && pen.fillRect(x, y, 1, 1)));
		});
	}, [of]);
	return <canvas ref={box} class="qr" role="img" aria-label={"QR code of " + of} />;
}

function Denials({ walletId }: { walletId: string }) {
	const got = useRead("denials " + walletId, ["denial.*"], (signal) =>
		listDenials({ path: { walletId }, query: { limit: 10 } }, { signal }));
	return (
		<Readable of={got}>
			{({ data }) => data.length === 0 ? <p class="quiet">The rules have refused nothing.</p> : (
				<Table rows={data} label="Refused" id={(d) => d.id} columns={[
					{ head: "When", cell: (d) => <Time of={d.timestamp} /> },
					{ head: "Rule", cell: (d) => words(d.rule) },
					{ head: "Why", cell: (d) => d.detail, wide: true },
				]} />
			)}
		</Readable>
	);
}


// The book of payees: whom the signer knows by name.
import { useState } from "preact/hooks";
import { may } from "../me";
import { addPayee, listPayees, removePayee, type Payee } from "../api/generated";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { List } from "../ui/list";
import { Address, Status, Time } from "../ui/show";
import { words } from "../ui/words";
import { choices, nameOf } from "./networks";

export function Payees() {
	const [adding, add] = useState(false);
	const [removing, remove] = useState<Payee>();
	return (
		<>
			<div class="head"><h1>Payees</h1>
				{may("write") && <button type="button" class="primary" onClick={() => add(true)}>New payee</button>}</div>
			<List<Payee> label="Payees" types={["payee.*"]} id={(p) => p.id}
				read={(query, signal) => listPayees({ query }, { signal })}
				filters={[{ name: "search", label: "Name" }, { name: "address", label: "Address" }]}
				columns={[
					{ head: "Name", cell: (p) => <bdi class="name">{p.name}</bdi> },
					{ head: "Kind", cell: (p) => words(p.kind) },
					{ head: "Network", cell: (p) => nameOf(p.network) },
					{ head: "Address", cell: (p) => <Address of={p.address} /> },
					{ head: "State", cell: (p) => <Status of={p.status} /> },
					{ head: "Added", cell: (p) => <Time of={p.createdAt} /> },
					...(may("write") ? [{ head: "Action", cell: (p: Payee) => p.status === "active" &&
						<button type="button" onClick={() => remove(p)}>Remove</button> }] : []),
				]}
				empty={<p>The book is empty. A payee has a name that the signer shows wherever its address is paid.</p>} />
			{adding && <Add onClose={() => add(false)} />}
			{removing && <Remove of={removing} onClose={() => remove(undefined)} />}
		</>
	);
}

function Add({ onClose }: { onClose: () => void }) {
	const send = async (v: Values) => {
		const body = { name: v.name, address: v.address.trim(), network: v.network, kind: v.kind as Payee["kind"], ...back() };
		const answer = await addPayee({ query: { prepare: true }, body });
		onClose();
		decide(answer);
	};
	return (
		<Dialog title="New payee" onClose={onClose}>
			<Form button="Look at it on the passkey page" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="name" label="Name" required maxLength={100} error={error("name")} />
						<Field name="network" label="Network" options={choices()} error={error("network")} />
						<Field name="kind" label="Kind" options={[["wallet", "A wallet"], ["contract", "A contract"]]} error={error("kind")} />
						<Field name="address" label="Address" required maxLength={64} autocomplete="off" error={error("address")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

function Remove({ of, onClose }: { of: Payee; onClose: () => void }) {
	const send = async () => {
		const answer = await removePayee({ path: { id: of.id }, query: { prepare: true }, body: back() });
		onClose();
		decide(answer);
	};
	return (
		<Dialog title="Remove this payee?" onClose={onClose}>
			<p>Where rules allow payees alone, <bdi class="name">{of.name}</bdi> is paid no more. What was signed before stays valid.</p>
			<Form button="Remove on the passkey page" danger send={send} onCancel={onClose} />
		</Dialog>
	);
}

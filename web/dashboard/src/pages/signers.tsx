// The passkeys of the signer: whose there are, a first one, and one more person's. They are not those that people log in
// with: a dashboard that was taken over has none of them.
import { useState } from "preact/hooks";
import { createPasskeyChallenge, listPasskeys, type Passkey } from "../api/generated";
import { useRead } from "../api/read";
import { may, me } from "../me";
import { back, decide } from "../ui/ceremony";
import { Dialog } from "../ui/dialog";
import { Field, Form } from "../ui/form";
import { Readable, Table } from "../ui/list";
import { Address, Time } from "../ui/show";

export const usePasskeys = () =>
	useRead("signers", ["passkey.*"], (signal) => listPasskeys({ query: { limit: 200 } }, { signal }));

// organizations are those of the signer, each with its passkeys. Most workspaces have one.
export function organizations(passkeys: Passkey[]): [string, Passkey[]][] {
	const all = new Map<string, Passkey[]>();
	for (const k of passkeys) all.set(k.subOrganizationId, [...(all.get(k.subOrganizationId) ?? []), k]);
	return [...all];
}

export function Signers() {
	const got = usePasskeys();
	const email = me.value?.member.email ?? "";
	const begin = async () => decide(await createPasskeyChallenge({ body: { email, ...back() } }));
	return (
		<>
			<h2>Passkeys of the signer</h2>
			<p>The signer takes a payment only with one of them. They are not the ones that you log in with.</p>
			<Readable of={got}>
				{({ data }) => (
					<>
						{organizations(data).map(([id, keys]) => <Organization key={id} id={id} keys={keys} />)}
						{may("write") && !data.some((k) => k.email === email) && <Form button="Make your passkey of the signer" send={begin} />}
					</>
				)}
			</Readable>
		</>
	);
}

function Organization({ id, keys }: { id: string; keys: Passkey[] }) {
	const [adding, add] = useState(false);
	return (
		<>
			<Table rows={keys} label="Passkeys of the signer" id={(k) => k.id} columns={[
				{ head: "Whose", cell: (k) => <bdi>{k.email}</bdi> }, { head: "Name", cell: (k) => <bdi class="name">{k.label}</bdi> },
				{ head: "Made", cell: (k) => <Time of={k.createdAt} /> }, { head: "Used last", cell: (k) => <Time of={k.lastUsedAt} /> },
			]} />
			{may("write") && <p><button type="button" onClick={() => add(true)}>Add a person</button></p>}
			{adding && <Add organization={id} onClose={() => add(false)} />}
		</>
	);
}

// Add makes the link with which somebody makes a passkey of its own; a passkey that is there already has to agree to it.
function Add({ organization, onClose }: { organization: string; onClose: () => void }) {
	const [link, put] = useState("");
	const send = async (email: string) => {
		const { data } = await createPasskeyChallenge({ body: { email, subOrganizationId: organization } });
		put(data.ceremonyUrl ?? "");
	};
	return (
		<Dialog title="Add a person who can sign" onClose={onClose}>
			{link === "" ? (
				<Form button="Make the link" send={(v) => send(v.email.trim())} onCancel={onClose}>
					{(error) => <Field name="email" label="Mail address" type="email" required maxLength={254} error={error("email")} />}
				</Form>
			) : (
				<>
					<p>Give them this link yourself, for their own device. It makes their passkey, and shows another link: open that
						one with your passkey, and they can sign. The link holds for some minutes, once.</p>
					<p class="secret"><Address of={link} whole /></p>
					<div class="buttons"><button type="button" class="primary" onClick={onClose}>Done</button></div>
				</>
			)}
		</Dialog>
	);
}

// The login of the one who sits here: passkeys and sessions.
import { useState } from "preact/hooks";
import {
	addLoginPasskey, createLoginPasskeyChallenge, deleteLoginPasskey, endSession, listLoginPasskeys, listSessions,
} from "../api/generated";
import { useRead } from "../api/read";
import * as passkey from "../passkey";
import { Field, Form } from "../ui/form";
import { Readable, Table } from "../ui/list";
import { Time } from "../ui/show";
import { toast } from "../ui/toast";

export function Me() {
	const keys = useRead("passkeys", [], (signal) => listLoginPasskeys({}, { signal }));
	const sessions = useRead("sessions", [], (signal) => listSessions({}, { signal }));
	const [busy, put] = useState(false);
	const act = (what: Promise<unknown>, done: string, after: () => void) => {
		put(true);
		void what.then(() => toast(done), (e: Error) => toast(e.message, "bad")).then(() => (put(false), after()));
	};
	const add = async (label: string) => {
		const options = (await createLoginPasskeyChallenge({})).data;
		await addLoginPasskey({ body: { credential: await passkey.create(options), label: label || undefined } });
		toast("You can log in with it from now on");
		keys.again();
	};
	return (
		<>
			<h1>Your login</h1>
			<h2>Passkeys</h2>
			<p>You log in with any of them. They sign no payment: the signer has passkeys of its own.</p>
			<Readable of={keys}>
				{({ data }) => <Table rows={data} label="Passkeys" id={(k) => k.id} columns={[
					{ head: "Name", cell: (k) => <bdi class="name">{k.label || "Passkey"}</bdi> },
					{ head: "Made", cell: (k) => <Time of={k.createdAt} /> }, { head: "Used last", cell: (k) => <Time of={k.lastUsedAt} /> },
					{ head: "Action", cell: (k) => data.length > 1 && <button type="button" disabled={busy} onClick={() =>
						act(deleteLoginPasskey({ path: { id: k.id } }), "Deleted", keys.again)}>Delete</button> },
				]} />}
			</Readable>
			<Form button="Add a passkey" send={(v) => add(v.label)}>
				{(error) => <Field name="label" label="Name" required={false} maxLength={64} error={error("label")} />}
			</Form>
			<h2>Sessions</h2>
			<p>Each browser in which you are logged in. End those that you do not know.</p>
			<Readable of={sessions}>
				{({ data }) => <Table rows={data} label="Sessions" id={(s) => s.id} columns={[
					{ head: "Begun", cell: (s) => <Time of={s.createdAt} /> }, { head: "Used last", cell: (s) => <Time of={s.refreshedAt} /> },
					{ head: "Ends", cell: (s) => <Time of={s.expiresAt} /> },
					{ head: "Action", cell: (s) => s.current ? "This one" : <button type="button" disabled={busy} onClick={() =>
						act(endSession({ path: { id: s.id } }), "Ended: its next call is refused", sessions.again)}>End</button> },
				]} />}
			</Readable>
		</>
	);
}

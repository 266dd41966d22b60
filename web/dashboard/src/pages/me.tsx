// The login of the one who sits here, passkeys and sessions, and the mails to that one.
import { useState } from "preact/hooks";
import {
	addLoginPasskey, changeNotifications, createLoginPasskeyChallenge, deleteLoginPasskey, endSession, getNotifications,
	listLoginPasskeys, listSessions, type Notifications, type NotificationsChange,
} from "../api/generated";
import { useRead } from "../api/read";
import * as passkey from "../passkey";
import { Field, Form, type Values } from "../ui/form";
import { Readable, Table } from "../ui/list";
import { Time } from "../ui/show";
import { toast } from "../ui/toast";

export function Me() {
	const keys = useRead("passkeys", [], (signal) => listLoginPasskeys({}, { signal }));
	const sessions = useRead("sessions", [], (signal) => listSessions({}, { signal }));
	const mails = useRead("notifications", [], (signal) => getNotifications({}, { signal }));
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
			<h2>Mails to you</h2>
			<Readable of={mails}>{({ data }) => <Mails of={data} />}</Readable>
		</>
	);
}

const languages: [string, string][] = [["en", "English"], ["es", "Español"], ["pt", "Português"]];

const kinds = [
	["requests", "Requests that wait for your vote, or are about to expire"],
	["decisions", "What became of what you asked for"], ["agents", "Changed limits of agents"],
] as const;

function Mails({ of: now }: { of: Notifications }) {
	const choose = async (v: Values) => {
		const chosen = (v.kinds ?? "").split(",");
		await changeNotifications({ body: {
			language: v.language as NotificationsChange["language"], requests: chosen.includes("requests"),
			decisions: chosen.includes("decisions"), agents: chosen.includes("agents"),
		} });
		toast("Saved: it holds for mails that are not sent yet");
	};
	return (
		<Form button="Save" send={choose}>
			{(error) => (
				<>
					<Field name="language" label="Language" options={languages} value={now.language} error={error("language")} />
					<fieldset>
						<legend>Which mails you get</legend>
						{kinds.map(([name, text]) => (
							<label class="check" key={name}>
								<input type="checkbox" name="kinds" value={name} defaultChecked={now[name]} />
								<span>{text}</span>
							</label>
						))}
						<p class="hint">New passkeys, recoveries and stopped agents are always mailed.</p>
					</fieldset>
				</>
			)}
		</Form>
	);
}

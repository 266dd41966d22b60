// Members and invitations.
import { useState } from "preact/hooks";
import {
	changeMemberRole, inviteMember, listInvitations, listMembers, removeMember, resendInvitation, revokeInvitation,
	type Invitation, type Member,
} from "../api/generated";
import { session, workspaceId } from "../session";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { List } from "../ui/list";
import { Status, Time } from "../ui/show";
import { toast } from "../ui/toast";
import { words } from "../ui/words";

const roles = [
	["viewer", "Viewer: reads"], ["auditor", "Auditor: reads, also the audit"],
	["manager", "Manager: pays, and makes API keys"], ["admin", "Admin: everything, members too"],
] as const;
type Role = Member["role"];

export function Members() {
	const [inviting, invite] = useState(false);
	const [changing, change] = useState<Member>();
	const path = { integratorId: workspaceId() };
	return (
		<>
			<div class="head"><h1>Members</h1>
				<button type="button" class="primary" onClick={() => invite(true)}>Invite</button></div>
			<List<Member> label="Members" types={["member.*"]} id={(m) => m.id}
				read={(query, signal) => listMembers({ path, query }, { signal })}
				columns={[
					{ head: "Mail", cell: (m) => <bdi>{m.email}</bdi> }, { head: "Role", cell: (m) => words(m.role) },
					{ head: "Since", cell: (m) => <Time of={m.createdAt} /> },
					{ head: "Action", cell: (m) => <button type="button" onClick={() => change(m)}>Change</button> },
				]}
				empty={<p>There is no member.</p>} />
			<h2>Invitations</h2>
			<List<Invitation> label="Invitations" at="invitations" types={["invitation.*", "member.*"]} id={(i) => i.id}
				read={(query, signal) => listInvitations({ path, query }, { signal })}
				columns={[
					{ head: "Mail", cell: (i) => <bdi>{i.email}</bdi> }, { head: "Role", cell: (i) => words(i.role) },
					{ head: "State", cell: (i) => <Status of={i.status} /> },
					{ head: "The mail", cell: (i) => <Status of={i.mailStatus} /> },
					{ head: "Until", cell: (i) => <Time of={i.expiresAt} /> },
					{ head: "Action", cell: (i) => i.status === "pending" && <Again of={i} /> },
				]}
				empty={<p>Nobody is invited.</p>} />
			{inviting && <Invite onClose={() => invite(false)} />}
			{changing && <Change of={changing} onClose={() => change(undefined)} />}
		</>
	);
}

function Again({ of }: { of: Invitation }) {
	const path = { integratorId: workspaceId(), id: of.id };
	const tell = (what: Promise<unknown>, done: string) =>
		what.then(() => toast(done), (e: Error) => toast(e.message, "bad"));
	return (
		<>
			<button type="button" onClick={() => void tell(resendInvitation({ path }), "The mail is on its way")}>Mail again</button>{" "}
			<button type="button" onClick={() => void tell(revokeInvitation({ path }), "The link is void")}>Revoke</button>
		</>
	);
}

function Invite({ onClose }: { onClose: () => void }) {
	const send = async (v: Values, key: string) => {
		await inviteMember({ path: { integratorId: workspaceId() }, body: { email: v.email.trim(), role: v.role as Role } }, { key });
		toast("The invitation is on its way");
		onClose();
	};
	return (
		<Dialog title="Invite a member" onClose={onClose}>
			<Form button="Invite" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="email" label="Mail address" type="email" required maxLength={254} error={error("email")} />
						<Field name="role" label="Role" options={roles} error={error("role")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

function Change({ of: m, onClose }: { of: Member; onClose: () => void }) {
	const [removing, remove] = useState(false);
	const path = { integratorId: workspaceId(), memberId: m.id };
	const s = session.value;
	const self = s.state === "in" && s.member.id === m.id;
	const said = (keys: { name: string }[]) =>
		keys.length === 0 ? "" : ` These API keys of theirs go on working: ${keys.map((k) => k.name).join(", ")}.`;
	const role = async (v: Values) => {
		const { data } = await changeMemberRole({ path, body: { role: v.role as Role } });
		toast("The role holds from the next call on." + said(data.apiKeys));
		onClose();
	};
	const gone = async () => {
		const { data } = await removeMember({ path });
		toast("Removed: their sessions have ended." + said(data.apiKeys));
		onClose();
	};
	return (
		<Dialog title={m.email} onClose={onClose}>
			{removing ? (
				<>
					<p>{self ? "You lose your own access at once." : "They lose their access at once, and their sessions end."} API
						keys that they made go on working, since a payout must not stop because somebody left.</p>
					<Form button="Remove" danger send={gone} onCancel={() => remove(false)} />
				</>
			) : (
				<>
					<Form button="Change the role" send={role} onCancel={onClose}>
						{(error) => <Field name="role" label="Role" options={roles} value={m.role} error={error("role")} />}
					</Form>
					<p><button type="button" class="danger" onClick={() => remove(true)}>Remove this member</button></p>
				</>
			)}
		</Dialog>
	);
}

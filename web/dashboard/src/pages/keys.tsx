// API keys: the list, a new one that is shown once, and the end of one.
import { useState } from "preact/hooks";
import { createApiKey, listApiKeys, revokeApiKey, type APIKey, type APIKeyRequest } from "../api/generated";
import { workspaceId } from "../session";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { List } from "../ui/list";
import { Address, Status, Time } from "../ui/show";
import { toast } from "../ui/toast";
import { listed } from "../ui/words";

export function Keys() {
	const [making, make] = useState(false);
	const [ending, end] = useState<APIKey>();
	const path = { integratorId: workspaceId() };
	return (
		<>
			<div class="head"><h1>API keys</h1>
				<button type="button" class="primary" onClick={() => make(true)}>New key</button></div>
			<List<APIKey> label="API keys" types={["api_key.*"]} id={(k) => k.id}
				read={(query, signal) => listApiKeys({ path, query }, { signal })}
				columns={[
					{ head: "Name", cell: (k) => <bdi class="name">{k.name}</bdi> },
					{ head: "Key", cell: (k) => <code>{k.prefix}…{k.lastFour}</code> },
					{ head: "Scopes", cell: (k) => k.scopes.join(", ") },
					{ head: "Addresses", cell: (k) => k.ipAllowlist.join(", ") || "any" },
					{ head: "State", cell: (k) => <Status of={k.revokedAt ? "revoked" : k.active ? "active" : "expired"} /> },
					{ head: "Used last", cell: (k) => <Time of={k.lastUsedAt} /> },
					{ head: "Ends", cell: (k) => <Time of={k.expiresAt} /> },
					{ head: "Action", cell: (k) => k.active && <button type="button" onClick={() => end(k)}>Revoke</button> },
				]}
				empty={<p>There is no key yet. Your own programs call the API with one.</p>} />
			{making && <NewKey onClose={() => make(false)} />}
			{ending && <End of={ending} onClose={() => end(undefined)} />}
		</>
	);
}

const scopes = [
	["integrator", "Everything that a manager does"], ["integrator:read", "Reads"], ["integrator:write", "Changes, without reading"],
	["payout:write", "Payouts alone"], ["agent", "Agents alone"], ["audit:read", "Reads the audit"],
] as const;

function NewKey({ onClose }: { onClose: () => void }) {
	const [made, put] = useState("");
	const send = async (v: Values, key: string) => {
		const body: APIKeyRequest = {
			name: v.name, description: v.description || undefined, scopes: [v.scope] as APIKeyRequest["scopes"],
			ipAllowlist: listed(v.ipAllowlist),
			expiresAt: v.expiresAt ? new Date(v.expiresAt + "T23:59:59Z").toISOString() : undefined,
		};
		put((await createApiKey({ path: { integratorId: workspaceId() }, body }, { key })).data.key);
	};
	if (made !== "") {
		return (
			<Dialog title="Your new key" onClose={onClose}>
				<p>It is shown this once. Put it where your program reads its secrets; nobody can show it again.</p>
				<p><Address of={made} whole /></p>
				<div class="buttons"><button type="button" class="primary" onClick={onClose}>I have kept it</button></div>
			</Dialog>
		);
	}
	return (
		<Dialog title="New API key" onClose={onClose}>
			<Form button="Make the key" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="name" label="Name" required maxLength={100} error={error("name")} hint="As you will see it in the audit" />
						<Field name="scope" label="What it may do" options={scopes} error={error("scopes")} />
						<Field name="ipAllowlist" label="From these networks alone" required={false} error={error("ipAllowlist")}
							hint="Such as 203.0.113.7 or 10.0.0.0/8, with spaces between; none: from everywhere" />
						<Field name="expiresAt" label="Until the end of" type="date" required={false} error={error("expiresAt")} />
						<Field name="description" label="What for" required={false} maxLength={500} error={error("description")} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

function End({ of, onClose }: { of: APIKey; onClose: () => void }) {
	const send = async () => {
		await revokeApiKey({ path: { integratorId: workspaceId(), keyId: of.id } });
		toast("Revoked. The next call with it is refused.");
		onClose();
	};
	return (
		<Dialog title="Revoke this key?" onClose={onClose}>
			<p>The program that calls with <bdi class="name">{of.name}</bdi> is refused from its next call on. A key that was
				revoked cannot be brought back.</p>
			<Form button="Revoke" danger send={send} onCancel={onClose} />
		</Dialog>
	);
}

// Who changed what: the record, of which each entry has the hash of the one before.
import { listAudit, type AuditEntry } from "../api/generated";
import { List } from "../ui/list";
import { Address, Time } from "../ui/show";
import { words } from "../ui/words";

const actors = ["", "session", "api_key", "agent", "operator", "ceremony", "invite", "system"]
	.map((a) => [a, a === "" ? "Anybody" : words(a)] as const);

type Query = Parameters<typeof listAudit>[0]["query"];

export const Audit = () => (
	<>
		<h1>Audit</h1>
		<List<AuditEntry> label="Audit" types={["*"]} id={(e) => e.id}
			read={(query, signal) => listAudit({ query: query as Query }, { signal })}
			filters={[
				{ name: "actorType", label: "Who", options: actors }, { name: "action", label: "Action, such as wallet.create" },
				{ name: "resource", label: "Id of what changed" }, { name: "requestId", label: "Request" },
			]}
			columns={[
				{ head: "When", cell: (e) => <Time of={e.timestamp} /> },
				{ head: "Action", cell: (e) => <code>{e.action}</code> },
				{ head: "Who", cell: (e) => <>{words(e.actor.type)} <Address of={e.actor.id} /></> },
				{ head: "What changed", cell: (e) => <Address of={e.resource} /> },
				{ head: "From", cell: (e) => e.ip },
				{ head: "Request", cell: (e) => <code>{e.requestId}</code> },
				{ head: "More", cell: (e) => <Details of={e} />, wide: true },
			]}
			empty={<p>Nothing has changed yet.</p>} />
	</>
);

function Details({ of: e }: { of: AuditEntry }) {
	const more = { ...e.detail, ...(e.before && { before: e.before }), ...(e.after && { after: e.after }) };
	if (Object.keys(more).length === 0) return null;
	return <details><summary>Show</summary><pre>{JSON.stringify(more, null, 2)}</pre></details>;
}

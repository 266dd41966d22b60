// What is decided with a passkey of the signer is decided on the passkey page, which is another site: this one goes there
// by a link, and that one comes back to where one was. What a body does is told in that page's own words.
import { useEffect, useRef, useState } from "preact/hooks";
import { go, route } from "../route";
import { toast } from "./toast";

// back asks that the passkey page leads back to this page of the dashboard, or to another.
export const back = (path = route.value.path) => ({ returnUrl: location.origin + "/back", state: path });

// decide goes on with what an operation answered: to the passkey page where it prepared something, to the approval where
// it waits for votes. The link is a secret until it is used, so it is in no history of this site.
export function decide(answer: { data: object }) {
	const data = answer.data as { ceremonyUrl?: string; unsignedActivity?: unknown; approvalId?: string; status?: string };
	if (data.ceremonyUrl) location.assign(data.ceremonyUrl);
	else if (data.unsignedActivity) toast("This server has no passkey page: it was started without --ceremony-origin", "bad");
	else if (data.approvalId && data.status === undefined) go("/approvals/" + data.approvalId);
	else toast("Done");
}

const outcomes: { [outcome: string]: [string, "good" | "bad"] } = {
	done: ["Done with your passkey", "good"], declined: ["You declined it", "good"], expired: ["It was not decided in time", "bad"],
	cancelled: ["It was cancelled", "bad"], failed: ["It failed", "bad"], decided: ["Others had decided it already", "good"],
};

// Back is where the passkey page leads to. What its URL says anybody can write, so that it is shown and nothing more.
export function Back() {
	useEffect(() => {
		const query = route.value.query;
		const said = outcomes[query.get("outcome") ?? ""];
		if (said) toast(...said);
		const id = encodeURIComponent(query.get("id") ?? "");
		const state = query.get("state") ?? "";
		if (query.get("kind") === "transaction" && id !== "") go("/transactions/" + id, true);
		else go(/^\/(?![/\\])/.test(state) ? state : "/", true);
	}, []);
	return <p class="loading" role="status">Loading…</p>;
}

// Preview shows what the signer said that an activity does. This page does not verify that it was the signer; the
// passkey page does before it asks for the stamp.
export function Preview({ activity, payload }: { activity: string; payload: string }) {
	const box = useRef<HTMLDivElement>(null);
	const [state, put] = useState<"loading" | "shown" | "failed">("loading");
	useEffect(() => {
		let live = true;
		import("../../../ceremony/page/facts.js").then(({ facts }) => {
			const statement = JSON.parse(payload) as { preview: object };
			const nodes = (facts(activity, { ...statement.preview, waits: undefined, expiresAt: undefined }) as unknown[]).flat(9).filter(Boolean) as Node[];
			if (!live) return;
			box.current?.replaceChildren(...nodes);
			put("shown");
		}).catch(() => live && put("failed"));
		return () => { live = false; };
	}, [activity, payload]);
	return (
		<>
			{state === "loading" && <p class="loading" role="status">Loading…</p>}
			{state === "failed" && <p class="quiet">What it does cannot be shown here. The passkey page shows it.</p>}
			<div ref={box} class="preview" />
		</>
	);
}

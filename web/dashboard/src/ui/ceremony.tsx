// What is decided with a passkey of the signer is decided on the passkey page, which is another site: this one hands
// over a link and shows what becomes of it. What a body does is told in that page's own words.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "../route";
import { Dialog } from "./dialog";
import { toast } from "./toast";

// asked is the link that waits to be opened. It is a secret until it is used, so it is in no URL of this site.
const asked = signal<{ url: string; then?: string } | undefined>(undefined);

type Answer = { data: object };

// decide goes on with what an operation answered: to the passkey page where it prepared something, to the approval where
// it waits for votes. then is the page of this site on which to see what becomes of it.
export function decide(answer: Answer, then?: string) {
	const data = answer.data as { ceremonyUrl?: string; unsignedActivity?: unknown; approvalId?: string; status?: string };
	if (data.ceremonyUrl) asked.value = { url: data.ceremonyUrl, then };
	else if (data.unsignedActivity) toast("This server has no passkey page: it was started without --ceremony-origin", "bad");
	else if (data.approvalId && data.status === undefined) go("/approvals/" + data.approvalId);
	else toast("Done");
}

export function Ceremony() {
	if (!asked.value) return null;
	const { url, then } = asked.value;
	const close = () => (asked.value = undefined);
	return (
		<Dialog title="Decide it with your passkey" onClose={close}>
			<p>The passkey page opens in a tab of its own. It shows what the signer will do, and asks for your passkey. This
				page shows what becomes of it.</p>
			<div class="buttons">
				<a class="button primary" href={url} target="_blank" rel="noopener noreferrer"
					onClick={() => setTimeout(() => (close(), then && go(then)))}>Open the passkey page</a>
				<button type="button" onClick={close}>Not now</button>
			</div>
		</Dialog>
	);
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

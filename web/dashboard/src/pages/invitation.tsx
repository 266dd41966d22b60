// Accepts an invitation: its link has the token behind the #, which browsers send to no server.
import { useEffect, useState } from "preact/hooks";
import { acceptInvitation, openInvitation, type InvitationOpened } from "../api/generated";
import * as passkey from "../passkey";
import { go } from "../route";
import { take } from "../session";
import { Field, Form } from "../ui/form";
import { Problem } from "../ui/problem";
import { time } from "../ui/words";

// token leaves the URL at once, so that it is not in the history of the browser.
const token = location.hash.slice(1);
if (location.pathname === "/invitation" && token !== "") history.replaceState(null, "", location.pathname);

export function Invitation() {
	const [opened, put] = useState<InvitationOpened>();
	const [problem, tell] = useState<unknown>(token === "" ? "This link is not whole. Open the one in your mail again." : undefined);
	const open = () => openInvitation({ body: { token } }).then((a) => put(a.data), tell);
	useEffect(() => { if (token !== "") void open(); }, []);
	const accept = async (label: string) => {
		if (!opened) return;
		const fresh = (await openInvitation({ body: { token } })).data; // a challenge lives for five minutes
		const credential = await passkey.create(fresh.options);
		take((await acceptInvitation({ body: { token, credential, label } })).data);
		go("/");
	};
	return (
		<>
			<h1>Your invitation</h1>
			<Problem of={problem} />
			{!opened && problem === undefined && <p class="loading" role="status">Loading…</p>}
			{opened && (
				<>
					<p>You are invited to <bdi class="name">{opened.workspaceName}</bdi> as <strong>{opened.role}</strong>,
						with the address <bdi>{opened.email}</bdi>, until {time(opened.expiresAt)}.</p>
					<p>Your device makes a passkey for this site. You log in with it; there is no password.</p>
					<Form button="Make a passkey and accept" send={(v) => accept(v.label)}>
						{(error) => <Field name="label" label="Name of the passkey" required={false} maxLength={64}
							error={error("label")} hint="As you will see it in your list, such as “Phone”" />}
					</Form>
				</>
			)}
		</>
	);
}

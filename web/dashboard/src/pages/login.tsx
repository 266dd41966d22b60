// The login: one button, and the browser asks which passkey.
import { useState } from "preact/hooks";
import { ApiError } from "../api/call";
import { login } from "../session";
import { Problem } from "../ui/problem";

export function Login({ inPlace }: { inPlace?: boolean }) {
	const [busy, put] = useState(false);
	const [problem, tell] = useState<unknown>();
	const go = async () => {
		put(true);
		tell(undefined);
		await login().catch(tell);
		put(false);
	};
	return (
		<>
			{!inPlace && <h1>Log in</h1>}
			{!inPlace && <p>With the passkey that you made when you accepted your invitation.</p>}
			<Problem of={problem} />
			{problem instanceof ApiError && problem.code === "login_refused" &&
				<p>This passkey belongs to no member here. Ask an admin of your workspace for an invitation.</p>}
			<div class="buttons">
				<button type="button" class="primary" disabled={busy} aria-busy={busy} onClick={() => void go()}>
					{busy ? "Waiting for your passkey…" : "Log in with a passkey"}
				</button>
			</div>
		</>
	);
}

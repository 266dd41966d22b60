// What went wrong, in the API's words, with what support asks for.
import { ApiError } from "../api/call";
import { cancelled } from "../passkey";

export function sentence(e: unknown): string {
	if (cancelled(e)) return "The passkey was not used: the browser's dialog was closed or took too long.";
	if (e instanceof Error) return e.message;
	return String(e);
}

export function Problem({ of, again }: { of: unknown; again?: () => void }) {
	if (of === undefined || of === "") return null;
	return (
		<div class="problem" role="alert">
			<p>{sentence(of)}</p>
			{of instanceof ApiError && of.requestId !== "" &&
				<p class="quiet"><code>{of.code}</code>, request <code>{of.requestId}</code></p>}
			{again && <button type="button" onClick={again}>Try again</button>}
		</div>
	);
}

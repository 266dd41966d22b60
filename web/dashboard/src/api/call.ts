// Calls the API. An operation of api/generated.ts is a function: listOrders({query: {page: 2}}). It answers the whole
// envelope, or throws an ApiError in the API's words.
import { accessToken, freshLogin, loggedOut, refused } from "../session";

export class ApiError extends Error {
	constructor(
		readonly status: number, // 0: the server was not reached
		readonly code: string,
		message: string,
		readonly details: { [name: string]: unknown } = {},
		readonly requestId = "",
	) {
		super(message);
	}

	// field is the member of the body or the query that is wrong, where it is one.
	get field(): string {
		return typeof this.details.field === "string" ? this.details.field : "";
	}
}

type Value = string | number | boolean | readonly (string | number)[] | undefined;
export type Input = { path?: object; query?: object; body?: unknown };
type Options = { signal?: AbortSignal; key?: string };
export type Operation<In, Out> = (input: In, options?: Options) => Promise<Out>;

export function op<In extends Input, Out>(method: string, path: string): Operation<In, Out> {
	return async (input, options = {}) => {
		const url = fill(path, input.path ?? {}) + query(input.query ?? {});
		const headers: Record<string, string> = { Accept: "application/json" };
		if (input.body !== undefined) headers["Content-Type"] = "application/json";
		if (method !== "GET") headers["Idempotency-Key"] = options.key ?? crypto.randomUUID();
		const body = input.body === undefined ? undefined : JSON.stringify(input.body);
		return (await send(method, url, headers, body, options.signal)) as Out;
	};
}

function fill(path: string, values: object): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) =>
		encodeURIComponent(String((values as Record<string, Value>)[name])));
}

export function query(values: object): string {
	const all = new URLSearchParams();
	for (const [name, value] of Object.entries(values as Record<string, Value>)) {
		if (value !== undefined && value !== "") all.set(name, String(value));
	}
	const text = all.toString();
	return text === "" ? "" : "?" + text;
}

// attempts is how often a request is sent that got no answer. Each carries the same idempotency key, so that what the
// first one did is answered and not done again.
const attempts = 3;

async function send(
	method: string, url: string, headers: Record<string, string>, body?: string, signal?: AbortSignal,
): Promise<unknown> {
	for (let n = 1; ; n++) {
		const answer = await once(method, url, headers, body, signal);
		if (answer.status === 401 && headers.Authorization !== undefined && n === 1) {
			loggedOut(headers.Authorization); // the token ended, or the session: the next turn gets another token
			continue;
		}
		if (answer.status === 403 && n === 1 && answer.text.includes('"login_not_fresh"')) {
			await freshLogin(); // a dialog over the page; what was to be done is done after it
			continue;
		}
		if (answer.status === 429 && method === "GET" && n < attempts && !signal?.aborted) {
			await pause(Math.min(answer.wait, 60) * 1000); // a page that was opened too often shows what it had meanwhile
			continue;
		}
		if (answer.status === 0 && n < attempts && !signal?.aborted) {
			await pause(n * 400);
			continue;
		}
		return read(answer);
	}
}

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

type Answer = { status: number; text: string; requestId: string; wait: number };

async function once(
	method: string, url: string, headers: Record<string, string>, body?: string, signal?: AbortSignal,
): Promise<Answer> {
	delete headers.Authorization;
	const open = url.startsWith("/v1/auth/") && method === "POST" && /\/(login|invitations|refresh|logout)/.test(url);
	const token = open ? "" : await accessToken();
	if (token !== "") headers.Authorization = "Bearer " + token;
	try {
		const answer = await fetch(url, { method, headers, body, signal, credentials: "same-origin" });
		const requestId = answer.headers.get("X-Request-Id") ?? "";
		const wait = Number(answer.headers.get("Retry-After") ?? "1");
		return { status: answer.status, text: await answer.text(), requestId, wait };
	} catch (e) {
		if (signal?.aborted) throw e;
		return { status: 0, text: "", requestId: "", wait: 0 };
	}
}

function read(answer: Answer): unknown {
	let envelope: { success?: boolean; error?: string; message?: string; details?: Record<string, unknown> } = {};
	try {
		envelope = JSON.parse(answer.text);
	} catch {
		// what is not JSON came from something between
	}
	if (answer.status >= 200 && answer.status < 300 && envelope.success === true) return envelope;
	if (answer.status === 403) refused.value++;
	if (answer.status === 0) throw new ApiError(0, "not_reached", "The server was not reached. Look at the network.");
	throw new ApiError(
		answer.status, envelope.error ?? "no_answer", envelope.message ?? `The server answered ${answer.status}.`,
		envelope.details, answer.requestId,
	);
}

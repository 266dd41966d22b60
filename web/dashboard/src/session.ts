// The login of the one who sits here. The access token is in this module's memory and nowhere else; the refresh token
// is in a cookie that no script can read. So a script that got into the page could act as long as the page is open, and
// takes nothing with it that works elsewhere for more than the token's 15 minutes.
import { signal } from "@preact/signals";
import { ApiError } from "./api/call";
import { beginLogin, finishLogin, logout, refreshSession, type OpenedSession } from "./api/generated";
import * as passkey from "./passkey";

type State = { state: "unknown" | "out" | "leaving" } | { state: "in"; member: OpenedSession["member"]; workspace: string };

// session says who is logged in. It stays "in" where the token ended in the middle of a form: the login dialog comes
// over the page then, and nothing that was typed is lost.
export const session = signal<State>({ state: "unknown" });

// loginWanted asks for a login over the page: the session ended, or what was called wants a fresh one.
export const loginWanted = signal<"" | "ended" | "fresh">("");

let token = "";
let ends = 0;
let refreshing: Promise<string> | undefined;

// early is how long before its end a token is replaced: a call may take a while to arrive.
const early = 20_000;

// accessToken gives a token that lives, or "" where nobody is logged in.
export async function accessToken(): Promise<string> {
	if (token !== "" && Date.now() < ends - early) return token;
	refreshing ??= refresh().finally(() => (refreshing = undefined));
	return refreshing;
}

// loggedOut says that a token was refused, so that the next call asks for another.
export function loggedOut(authorization: string) {
	if (authorization === "Bearer " + token) token = "";
}

async function refresh(): Promise<string> {
	if (session.value.state === "out" || session.value.state === "leaving") return "";
	try {
		take((await refreshSession({})).data);
	} catch (e) {
		if (!(e instanceof ApiError) || e.status !== 401) throw e;
		token = "";
		if (session.value.state === "in") return askAgain("ended");
		session.value = { state: "out" };
	}
	return token;
}

// waiting are the calls that go on once the one who sits here has logged in again.
let waiting: ((token: string) => void)[] = [];

function askAgain(why: "ended" | "fresh"): Promise<string> {
	loginWanted.value = why;
	return new Promise((done) => waiting.push(done));
}

// freshLogin asks for a login now, for what only a fresh one may do, and ends when there is one.
export const freshLogin = (): Promise<string> => askAgain("fresh");

export function take(opened: OpenedSession) {
	const before = session.value;
	if (before.state === "in" && before.member.id !== opened.member.id) {
		location.assign("/"); // somebody else: nothing of the first one stays on the page
		return;
	}
	token = opened.accessToken;
	ends = Date.parse(opened.expiresAt);
	session.value = { state: "in", member: opened.member, workspace: opened.integratorId };
	loginWanted.value = "";
	for (const done of waiting.splice(0)) done(token);
}

// login asks the browser for a passkey and opens a session with it.
export async function login() {
	const options = (await beginLogin({})).data;
	const credential = await passkey.get(options);
	take((await finishLogin({ body: { credential } })).data);
}

// leave logs out. What was on the page goes with it, at once: a read under way would find the session gone and ask for
// a login over the page, which is lost when the page is loaded anew a moment later.
export async function leave() {
	session.value = { state: "leaving" };
	await logout({}).catch(() => undefined); // the cookie may have ended already
	token = "";
	location.assign("/");
}

export const workspaceId = (): string => (session.value.state === "in" ? session.value.workspace : "");

// refused counts the calls that the member's role did not allow: the page reads then what the role is now.
export const refused = signal(0);

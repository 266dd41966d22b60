// The frame around every page: the way to the others, who is logged in, and the login where nobody is.
import type { ComponentChildren } from "preact";
import { computed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { getMe } from "./api/generated";
import { useRead } from "./api/read";
import { me, may, type Right } from "./me";
import { match, route } from "./route";
import { leave, loginWanted, refused, session } from "./session";
import { pages, type Page } from "./pages";
import { Login } from "./pages/login";
import { Invitation } from "./pages/invitation";
import { Dialog } from "./ui/dialog";
import { Toasts } from "./ui/toast";

const menu: { title: string; path: string; right?: Right; module?: string }[] = [
	{ title: "Home", path: "/" },
	{ title: "Approvals", path: "/approvals", module: "signing" },
	{ title: "Wallets", path: "/wallets", module: "signing" },
	{ title: "Transactions", path: "/transactions", module: "signing" },
	{ title: "Payees", path: "/payees", module: "signing" },
	{ title: "Orders", path: "/orders", module: "payout" },
	{ title: "Recipients", path: "/recipients", module: "payout" },
	{ title: "Agents", path: "/agents", module: "agents" },
	{ title: "Workspace", path: "/workspace" },
	{ title: "Members", path: "/members", right: "team" },
	{ title: "API keys", path: "/keys", right: "manage" },
	{ title: "Audit", path: "/audit", right: "audit" },
	{ title: "Your login", path: "/me" },
];

const shown = computed((): { page: Page; values: Record<string, string> } | undefined => {
	for (const page of pages) {
		const values = match(page.path, route.value.path);
		if (values) return { page, values };
	}
	return undefined;
});

export function Shell() {
	if (match("/invitation", route.value.path)) return <Outside><Invitation /></Outside>;
	if (session.value.state === "leaving") return <Outside>Logging out …</Outside>;
	if (session.value.state !== "in") return <Outside><Login /></Outside>;
	return <Inside />;
}

function Outside({ children }: { children: ComponentChildren }) {
	return (
		<>
			<main class="outside"><p class="brand">Railkit</p>{children}</main>
			<Toasts />
		</>
	);
}

function Inside() {
	const got = useRead(`me ${refused.value}`, ["workspace.*", "member.*"], (signal) => getMe({}, { signal }));
	useEffect(() => { if (got.data) me.value = got.data.data; }, [got.data]);
	const at = shown.value;
	useEffect(() => { document.title = `${at?.page.title ?? "Not found"} · Railkit`; }, [at?.page]);
	return (
		<div class="inside">
			<a class="skip" href="#main" onClick={(e) => (e.preventDefault(), focusMain())}>Skip to the page</a>
			<Header />
			<Menu />
			<main id="main" tabIndex={-1} key={route.value.path}>
				{at ? <at.page.show {...at.values} /> : <NotFound />}
			</main>
			{loginWanted.value !== "" && <LoginAgain why={loginWanted.value} />}
			<Toasts />
		</div>
	);
}

const focusMain = () => document.getElementById("main")?.focus();

function Header() {
	const workspace = me.value?.integrator;
	return (
		<header>
			<a class="brand" href="/">Railkit</a>
			<span class="workspace">{workspace?.name}</span>
			{workspace?.environment === "sandbox" && <span class="status wait">Sandbox: no real money</span>}
		</header>
	);
}

function Menu() {
	const [open, toggle] = useState(false);
	useEffect(() => toggle(false), [route.value.path]);
	const modules = me.value?.integrator.active_modules as string[] | undefined;
	const fits = menu.filter((m) => (!m.right || may(m.right)) && (!m.module || !modules || modules.includes(m.module)));
	const here = (path: string) => route.value.path === path || (path !== "/" && route.value.path.startsWith(path + "/"));
	return (
		<nav class={"menu" + (open ? " open" : "")} aria-label="Main">
			<button type="button" class="toggle" aria-expanded={open} onClick={() => toggle(!open)}>☰ Menu</button>
			<ul>
				{fits.map((m) => (
					<li key={m.path}><a href={m.path} aria-current={here(m.path) ? "page" : undefined}>{m.title}</a></li>
				))}
			</ul>
			<div class="who">
				<span title={me.value?.member.email}>{me.value?.member.email}</span>
				<span class="quiet">{me.value?.member.internal_role}</span>
				<button type="button" onClick={() => void leave()}>Log out</button>
			</div>
		</nav>
	);
}

const NotFound = () => (
	<>
		<h1>Not found</h1>
		<p>There is no page at this address. <a href="/">Go home</a></p>
	</>
);

// LoginAgain comes over the page, so that what was typed stays.
function LoginAgain({ why }: { why: "ended" | "fresh" }) {
	return (
		<Dialog title={why === "ended" ? "Log in again" : "Log in once more for this"} onClose={() => undefined}>
			<p>{why === "ended"
				? "Your session ended. What you typed is still there: log in, and go on."
				: "This takes a login of the last five minutes, so that nobody does it at a screen that was left open."}</p>
			<Login inPlace />
			{why === "fresh" && <button type="button" onClick={() => location.reload()}>Do not do it</button>}
		</Dialog>
	);
}

// Which page is shown: the path, and the filters behind the "?", which are in the URL so that a link to a list shows
// the same list.
import { signal } from "@preact/signals";

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const route = signal(here());

addEventListener("popstate", () => (route.value = here()));

export function go(to: string, replace = false) {
	history[replace ? "replaceState" : "pushState"](null, "", to);
	const before = route.value.path;
	route.value = here();
	if (before !== route.value.path) scrollTo(0, 0);
}

// A click on a link of this site changes the page without loading it anew, where the browser was asked for nothing else.
addEventListener("click", (e) => {
	const a = (e.target as Element).closest?.("a");
	const plain = e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey && !e.defaultPrevented;
	if (!a || !plain || a.target !== "" || a.hasAttribute("download") || a.origin !== location.origin) return;
	e.preventDefault();
	go(a.pathname + a.search);
});

// set changes filters of the list that is shown. What is empty leaves the URL, and the list begins at its first page.
export function set(values: Record<string, string>) {
	const query = new URLSearchParams(route.value.query);
	query.delete("page");
	for (const [name, value] of Object.entries(values)) {
		if (value === "") query.delete(name);
		else query.set(name, value);
	}
	const text = query.toString();
	go(route.value.path + (text === "" ? "" : "?" + text), true);
}

// match fits a path to a pattern such as /orders/:id, and gives what stands for the names.
export function match(pattern: string, path: string): Record<string, string> | undefined {
	const parts = (text: string) => text.replace(/\/$/, "").split("/");
	const want = parts(pattern), have = parts(path);
	if (want.length !== have.length) return undefined;
	const found: Record<string, string> = {};
	for (let n = 0; n < want.length; n++) {
		if (want[n].startsWith(":") && have[n] !== "") found[want[n].slice(1)] = decodeURIComponent(have[n]);
		else if (want[n] !== have[n]) return undefined;
	}
	return found;
}

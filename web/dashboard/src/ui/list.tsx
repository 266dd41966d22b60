// A list of the API: its filters and its page are in the URL, and it has its words for "still reading", "nothing there"
// and "could not be read".
import type { ComponentChildren } from "preact";
import { useRead, type Read } from "../api/read";
import { go, route, set } from "../route";
import { Field } from "./form";
import { Problem } from "./problem";
import type { PageMeta } from "../api/generated";

export type Column<T> = { head: string; cell: (row: T) => ComponentChildren; right?: boolean; wide?: boolean };
type Page<T> = { data: T[]; meta: PageMeta };

export function Table<T>({ rows, columns, label, link, id }: {
	rows: T[]; columns: Column<T>[]; label: string; link?: (row: T) => string; id: (row: T) => string;
}) {
	return (
		<div class="table" role="region" aria-label={label} tabIndex={0}>
			<table>
				<thead><tr>{columns.map((c) => <th key={c.head} class={kind(c)} scope="col">{c.head}</th>)}</tr></thead>
				<tbody>
					{rows.map((row) => (
						<tr key={id(row)}>
							{columns.map((c, n) => (
								<td key={c.head} class={kind(c)} data-head={c.head}>
									{n === 0 && link ? <a href={link(row)}>{c.cell(row)}</a> : c.cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

const kind = (c: { right?: boolean; wide?: boolean }) =>
	[c.right && "right", c.wide && "wide"].filter(Boolean).join(" ") || undefined;

export type Filter = { name: string; label: string; options?: readonly (readonly [string, string])[] };

export function Filters({ of }: { of: Filter[] }) {
	const query = route.value.query;
	let soon: ReturnType<typeof setTimeout>;
	return (
		<form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
			{of.map((f) => (
				<Field key={f.name} name={f.name} label={f.label} options={f.options} type="search"
					value={query.get(f.name) ?? ""}
					onInput={(value) => {
						clearTimeout(soon);
						soon = setTimeout(() => set({ [f.name]: value }), f.options ? 0 : 300);
					}} />
			))}
		</form>
	);
}

// List reads a page of a list by what is in the URL.
// A second list of a page has a name of its own for its place in the URL.
export function List<T>({ read, types, columns, label, link, id, filters = [], empty, fixed = {}, at = "page" }: {
	read: (query: Record<string, string>, signal: AbortSignal) => Promise<Page<T>>; types: string[];
	columns: Column<T>[]; label: string; link?: (row: T) => string; id: (row: T) => string;
	filters?: Filter[]; empty: ComponentChildren; fixed?: Record<string, string>; at?: string;
}) {
	const query: Record<string, string> = { ...fixed, page: route.value.query.get(at) ?? "1", limit: "25" };
	for (const f of filters) query[f.name] = route.value.query.get(f.name) ?? "";
	const got = useRead(JSON.stringify([label, query]), types, (signal) => read(query, signal));
	const filtered = filters.some((f) => query[f.name] !== "");
	return (
		<>
			{filters.length > 0 && <Filters of={filters} />}
			<Readable of={got}>
				{(page) => page.data.length === 0 ? (
					<div class="empty">{filtered ? <p>Nothing fits these filters.</p> : empty}</div>
				) : (
					<>
						<Table rows={page.data} columns={columns} label={label} link={link} id={id} />
						<Pages of={page.meta} at={at} />
					</>
				)}
			</Readable>
		</>
	);
}

// Readable shows what was read, or that it is being read, or why it cannot be.
export function Readable<T>({ of, children }: { of: Read<T>; children: (data: T) => ComponentChildren }) {
	if (of.data !== undefined) {
		return (
			<>
				{of.error !== undefined && <Problem of={of.error} again={of.again} />}
				{children(of.data)}
			</>
		);
	}
	if (of.error !== undefined) return <Problem of={of.error} again={of.again} />;
	return <p class="loading" role="status">Loading…</p>;
}

function Pages({ of, at }: { of: PageMeta; at: string }) {
	if (of.totalPages <= 1) return <p class="pages quiet">{of.total} in all</p>;
	const to = (page: number) => {
		const query = new URLSearchParams(route.value.query);
		query.set(at, String(page));
		go(`${route.value.path}?${query}`);
	};
	return (
		<nav class="pages" aria-label="Pages">
			<button type="button" disabled={of.page <= 1} onClick={() => to(of.page - 1)}>Before</button>
			<span>Page {of.page} of {of.totalPages}, {of.total} in all</span>
			<button type="button" disabled={of.page >= of.totalPages} onClick={() => to(of.page + 1)}>Next</button>
		</nav>
	);
}

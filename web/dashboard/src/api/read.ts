// What a page shows of the API: read once when it is shown, and again whenever something happens that it is about. What
// was there stays until the new is there, so that nothing flickers.
import { useEffect, useRef, useState } from "preact/hooks";
import { on } from "./stream";

export type Read<T> = { data?: T; error?: unknown; loading: boolean; again: () => void };

// useRead reads by a function, anew where key changes and after events of the types.
export function useRead<T>(key: string, types: string[], read: (signal: AbortSignal) => Promise<T>): Read<T> {
	const [state, put] = useState<{ key: string; data?: T; error?: unknown; loading: boolean }>({ key, loading: true });
	const [turn, next] = useState(0);
	const latest = useRef(read);
	latest.current = read;
	useEffect(() => {
		const stop = new AbortController();
		put((s) => (s.key === key ? { ...s, loading: true } : { key, loading: true }));
		latest.current(stop.signal).then(
			(data) => stop.signal.aborted || put({ key, data, loading: false }),
			(error) => stop.signal.aborted || put((s) => ({ ...s, error, loading: false })),
		);
		return () => stop.abort();
	}, [key, turn]);
	useEffect(() => {
		let soon: ReturnType<typeof setTimeout> | undefined; // many events in a row are one reading
		const stop = on(types, () => (soon ??= setTimeout(() => ((soon = undefined), next((n) => n + 1)), 150)));
		return () => (stop(), clearTimeout(soon));
	}, [types.join()]);
	return { data: state.data, error: state.error, loading: state.loading, again: () => next((n) => n + 1) };
}

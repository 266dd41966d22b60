// What was done, told at the edge of the page, and to screen readers.
import { signal } from "@preact/signals";

const shown = signal<{ id: number; text: string; kind: "good" | "bad" }[]>([]);
let count = 0;

export function toast(text: string, kind: "good" | "bad" = "good") {
	const id = ++count;
	shown.value = [...shown.value, { id, text, kind }];
	setTimeout(() => (shown.value = shown.value.filter((t) => t.id !== id)), kind === "bad" ? 10_000 : 4_000);
}

export const Toasts = () => (
	<div class="toasts" role="status" aria-live="polite">
		{shown.value.map((t) => <p key={t.id} class={t.kind}>{t.text}</p>)}
	</div>
);

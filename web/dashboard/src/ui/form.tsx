// Forms: fields with their labels and errors, and a button that says how far it is.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/call";
import { Problem, sentence } from "./problem";

type FieldProps = {
	name: string; label: string; hint?: ComponentChildren; type?: string; value?: string; required?: boolean;
	options?: readonly (readonly [string, string])[]; error?: string; rows?: number; maxLength?: number;
	autocomplete?: string; inputMode?: string; pattern?: string;
	onInput?: (value: string) => void;
};

// Field is an input, a select where it has options, a textarea where it has rows.
export function Field({ label, hint, options, error, onInput, ...rest }: FieldProps) {
	const id = useId();
	// What was typed stays when the form is drawn again with an error.
	const [now, put] = useState(rest.value);
	const given = useRef(rest.value);
	if (given.current !== rest.value) {
		given.current = rest.value;
		put(rest.value);
	}
	const described = [hint && id + "-hint", error && id + "-error"].filter(Boolean).join(" ") || undefined;
	const all = {
		...rest, value: now, id, "aria-describedby": described, "aria-invalid": error ? true : undefined,
		onInput: (e: Event) => {
			const { value } = e.currentTarget as HTMLInputElement;
			put(value);
			onInput?.(value);
		},
	} as object;
	return (
		<div class={"field" + (error ? " wrong" : "")}>
			<label for={id}>{label}{rest.required === false && <span class="quiet"> (optional)</span>}</label>
			{options ? (
				<select {...all}>{options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}</select>
			) : rest.rows ? <textarea {...all} /> : <input {...all} />}
			{hint && <p id={id + "-hint"} class="hint">{hint}</p>}
			{error && <p id={id + "-error"} class="error">{error}</p>}
		</div>
	);
}

export type Values = Record<string, string>;

// Form sends what was typed. An error of the API that names a field is shown beside that field, the rest below. The
// idempotency key stays the same until something is typed, so that a second try does not do the thing twice.
export function Form({ send, button, children, danger, onCancel }: {
	send: (values: Values, key: string) => Promise<unknown>; button: string; danger?: boolean; onCancel?: () => void;
	children?: (error: (field: string) => string | undefined) => ComponentChildren;
}) {
	const [busy, put] = useState(false);
	const [problem, tell] = useState<unknown>();
	const key = useRef(crypto.randomUUID());
	// rules.maxValueUsd and ipAllowlist[0] are fields that a form has by the names maxValueUsd and ipAllowlist.
	const named = problem instanceof ApiError ? problem.field.replace(/\[.*$/, "").replace(/^.*\./, "") : "";
	const fields = useRef<HTMLFormElement>(null);
	const known = named !== "" && fields.current?.elements.namedItem(named);
	const submit = async (e: Event) => {
		e.preventDefault();
		const values: Values = {};
		for (const [name, value] of new FormData(e.currentTarget as HTMLFormElement)) {
			values[name] = values[name] === undefined ? String(value) : values[name] + "," + String(value);
		}
		put(true);
		tell(undefined);
		try {
			await send(values, key.current);
			key.current = crypto.randomUUID();
		} catch (e) {
			tell(e);
		}
		put(false);
	};
	return (
		<form ref={fields} onSubmit={submit} onInput={() => (key.current = crypto.randomUUID())}>
			{children?.((field) => (known && field === named ? sentence(problem) : undefined))}
			{problem !== undefined && !known && <Problem of={problem} />}
			<div class="buttons">
				<button class={danger ? "danger" : "primary"} disabled={busy} aria-busy={busy}>
					{busy ? "One moment…" : button}
				</button>
				{onCancel && <button type="button" onClick={onCancel}>Cancel</button>}
			</div>
		</form>
	);
}

// A dialog over the page, in the browser's own element: Escape closes it, and what is behind it cannot be reached.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({ title, onClose, children }: {
	title: string; onClose: () => void; children: ComponentChildren;
}) {
	const box = useRef<HTMLDialogElement>(null);
	const id = useId();
	useLayoutEffect(() => {
		const before = document.activeElement as HTMLElement | null;
		box.current?.showModal();
		return () => before?.focus?.();
	}, []);
	return (
		<dialog ref={box} aria-labelledby={id} onCancel={(e) => (e.preventDefault(), onClose())}>
			<h2 id={id}>{title}</h2>
			{children}
		</dialog>
	);
}

// A chart of amounts by day. The library that draws it is loaded when the first chart is shown; the numbers are in a
// table as well, for whoever cannot see the drawing.
import { useEffect, useRef } from "preact/hooks";

export type Series = { name: string; values: number[] };

export function Chart({ days, series, label }: { days: string[]; series: Series[]; label: string }) {
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		let plot: { destroy(): void; setSize(size: { width: number; height: number }): void } | undefined;
		let live = true;
		const size = () => ({ width: Math.max(280, box.current?.clientWidth ?? 280), height: 220 });
		const resize = new ResizeObserver(() => plot?.setSize(size()));
		void import("uplot").then(({ default: Plot }) => {
			if (!live || !box.current) return;
			const style = getComputedStyle(box.current);
			const color = (name: string) => style.getPropertyValue(name).trim();
			const axis = { stroke: color("--quiet"), grid: { stroke: color("--line") }, ticks: { stroke: color("--line") } };
			plot = new Plot({
				...size(), legend: { show: false }, cursor: { show: false },
				axes: [axis, { ...axis, size: 70 }],
				series: [{}, ...series.map((s, n) => ({ label: s.name, stroke: color(n === 0 ? "--accent" : "--bad"), width: 2 }))],
			}, [days.map((d) => Date.parse(d) / 1000), ...series.map((s) => s.values)], box.current);
			resize.observe(box.current);
		});
		return () => { live = false; resize.disconnect(); plot?.destroy(); };
	}, [JSON.stringify([days, series])]);
	return (
		<figure class="chart">
			<div ref={box} aria-hidden="true" />
			<figcaption>{series.map((s, n) => <span key={s.name} class={"series s" + n}>{s.name}</span>)}</figcaption>
			<details>
				<summary>As a table</summary>
				<table>
					<caption>{label}</caption>
					<thead><tr><th scope="col">Day</th>{series.map((s) => <th key={s.name} scope="col" class="right">{s.name}</th>)}</tr></thead>
					<tbody>
						{days.map((d, n) => <tr key={d}><th scope="row">{d}</th>{series.map((s) =>
							<td key={s.name} class="right">{s.values[n]}</td>)}</tr>)}
					</tbody>
				</table>
			</details>
		</figure>
	);
}

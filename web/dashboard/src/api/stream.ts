// What happens in the workspace, as it happens. Pages say which events they are about, and are told to read anew. Where
// the stream breaks it is opened again; while it is broken every page reads anew now and then.
import { accessToken, session } from "../session";
import { computed, effect } from "@preact/signals";

type Listener = { types: string[]; told: () => void };
const listeners = new Set<Listener>();
let last = "";

// on calls told after events of the types, such as ["order.*"], until the function that it returns is called.
export function on(types: string[], told: () => void): () => void {
	const l = { types, told };
	listeners.add(l);
	return () => listeners.delete(l);
}

const fits = (type: string) => (want: string) =>
	want === "*" || want === type || (want.endsWith(".*") && type.startsWith(want.slice(0, -1)));

function tell(type: string) {
	for (const l of listeners) {
		if (type === "" || l.types.some(fits(type))) l.told();
	}
}

// read takes the lines of a stream of server-sent events until it ends.
async function read(body: ReadableStream<Uint8Array>) {
	const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
	const reader = body.pipeThrough(decoder).getReader();
	let rest = "", type = "", id = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		const lines = (rest + value).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			if (line.startsWith("event:")) type = line.slice(6).trim();
			else if (line.startsWith("id:")) id = line.slice(3).trim();
			else if (line === "" && type !== "") {
				last = id;
				tell(type);
				type = "";
			}
		}
	}
}

// follow reads one connection. missed says that something may have happened of which the stream does not tell any more:
// before the first event there is no place to go on from.
async function follow(stop: AbortSignal, missed: boolean) {
	const headers: Record<string, string> = {
		Accept: "text/event-stream", Authorization: "Bearer " + (await accessToken()),
	};
	if (last !== "") headers["Last-Event-ID"] = last;
	const answer = await fetch("/v1/events/stream", { headers, signal: stop });
	if (!answer.ok || !answer.body) throw new Error("no stream");
	if (missed && last === "") tell("");
	await read(answer.body);
}

const again = 5_000; // milliseconds between two tries, and between two readings while there is no stream

async function run(stop: AbortSignal) {
	for (let n = 0; !stop.aborted; n++) {
		try {
			await follow(stop, n > 0); // ends with the token
			await new Promise((done) => setTimeout(done, 1_000));
		} catch {
			if (stop.aborted) return;
			tell(""); // while there is no stream
			await new Promise((done) => setTimeout(done, again));
		}
	}
}

const isIn = computed(() => session.value.state === "in");

effect(() => {
	if (!isIn.value) return;
	const stop = new AbortController();
	void run(stop.signal);
	return () => stop.abort();
});

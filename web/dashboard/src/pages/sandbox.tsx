// What only the sandbox has: test money, and a partner that does what one says.
import { useState } from "preact/hooks";
import { delayOrder, failOrder, fundAddress, returnOrder, clearOrder, type Order } from "../api/generated";
import { may, me } from "../me";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { toast } from "../ui/toast";
import { kindOf, networks } from "./networks";

export const sandbox = () => me.value?.integrator.environment === "sandbox" && may("write");

export function Faucet({ address, addressFormat }: { address: string; addressFormat: string }) {
	const [asking, ask] = useState(false);
	const fitting = networks().filter((n) => n.kind === kindOf(addressFormat));
	const [chain, choose] = useState(fitting.some((n) => n.slug === "base") ? "base" : fitting[0]?.slug ?? "");
	const network = fitting.find((n) => n.slug === chain);
	const send = async (v: Values) => {
		await fundAddress({ body: { address, chain: v.chain, asset: v.asset, amount: v.amount.trim() } });
		toast("The test money is there");
		ask(false);
	};
	return (
		<>
			<p><button type="button" onClick={() => ask(true)}>Get test money</button></p>
			{asking && (
				<Dialog title="Test money of the sandbox" onClose={() => ask(false)}>
					<Form button="Get it" send={send} onCancel={() => ask(false)}>
						{(error) => (
							<>
								<Field name="chain" label="Network" options={fitting.map((n) => [n.slug, n.name] as const)} value={chain} onInput={choose}
									error={error("chain")} />
								<Field name="asset" label="What" error={error("asset")} options={[...Object.values(network?.tokens ?? {})
									.map((s) => [s, s] as const), ["native", network?.coin ?? ""] as const]} />
								<Field name="amount" label="Amount" required inputMode="decimal" pattern="[0-9]+([.][0-9]+)?" value="100"
									error={error("amount")} />
							</>
						)}
					</Form>
				</Dialog>
			)}
		</>
	);
}

// Partner makes the sandbox's partner pay an order, fail it, send it back, or let it wait.
export function Partner({ of }: { of: Order }) {
	const [busy, put] = useState(false);
	const act = (what: Promise<unknown>, done: string) => {
		put(true);
		void what.then(() => toast(done), (e: Error) => toast(e.message, "bad")).then(() => put(false));
	};
	const path = { id: of.id };
	return (
		<details>
			<summary>Controls of the sandbox</summary>
			<p class="quiet">Here you are the partner: what it does next with this order.</p>
			<div class="buttons">
				<button type="button" disabled={busy} onClick={() => act(clearOrder({ path }), "The partner goes on with it")}>Clear it</button>
				<button type="button" disabled={busy} onClick={() => act(delayOrder({ path, body: { seconds: 60 } }), "It waits for a minute")}>Delay it</button>
				<button type="button" disabled={busy} onClick={() => act(failOrder({ path }), "The partner fails it")}>Fail it</button>
				<button type="button" disabled={busy} onClick={() => act(returnOrder({ path }), "The bank sends it back")}>Send it back</button>
			</div>
		</details>
	);
}

// A payment: whom, how much, on which network. The signer's rules decide, and the passkey page shows it before it is signed.
import { useState } from "preact/hooks";
import { getWallet, listPayees, prepareTransaction } from "../api/generated";
import { useRead } from "../api/read";
import { back, decide } from "../ui/ceremony";
import { Field, Form, type Values } from "../ui/form";
import { Readable } from "../ui/list";
import { assets, choices, kindOf, networks } from "./networks";

export function Send({ id }: { id: string }) {
	const wallet = useRead("wallet " + id, [], (signal) => getWallet({ path: { walletId: id } }, { signal }));
	const [network, choose] = useState("base");
	const payees = useRead("payees " + network, ["payee.*"], (signal) => listPayees({ query: { network, limit: 200 } }, { signal }));
	const all = networks();
	return (
		<>
			<p class="up"><a href={`/wallets/${id}`}>Back to the wallet</a></p>
			<h1>Send</h1>
			<Readable of={wallet}>
				{({ data }) => {
					const send = async (v: Values) => {
						const from = data.addresses.find((a) => kindOf(a.addressFormat) === all.find((n) => n.slug === v.network)?.kind);
						const answer = await prepareTransaction({ body: {
							type: v.asset === "native" ? "transfer_native" : "transfer_token", network: v.network, to: v.to.trim(),
							amount: v.amount.trim(), ...back(), signWith: from?.address ?? data.addresses[0]?.address,
							...(v.asset === "native" ? {} : { tokenAddress: v.asset }),
						} });
						decide(answer);
					};
					return (
						<Form button="Look at it on the passkey page" send={send}>
							{(error) => (
								<>
									<Field name="network" label="Network" options={choices()} value={network} onInput={choose} error={error("network")} />
									<Field name="asset" label="What" options={assets(network)}
										error={error("tokenAddress")} />
									<Field name="amount" label="Amount" required inputMode="decimal" pattern="[0-9]+([.][0-9]+)?" error={error("amount")}
										hint="In whole units with a point, such as 25.50" />
									<Field name="to" label="To" required maxLength={64} error={error("to")} autocomplete="off"
										hint="Compare the whole address with whom you pay, not its ends alone" />
									{payees.data && payees.data.data.length > 0 && (
										<details>
											<summary>Take one of your payees</summary>
											<ul class="choices">
												{payees.data.data.filter((p) => p.status === "active").map((p) => (
													<li key={p.id}><button type="button" onClick={(e) => fill(e.currentTarget, p.address)}>
														<bdi class="name">{p.name}</bdi> <code>{p.address}</code></button></li>
												))}
											</ul>
										</details>
									)}
								</>
							)}
						</Form>
					);
				}}
			</Readable>
		</>
	);
}

function fill(button: HTMLButtonElement, address: string) {
	const input = button.form?.elements.namedItem("to") as HTMLInputElement;
	input.value = address;
	input.dispatchEvent(new Event("input", { bubbles: true })); // else the field takes back what was typed before
	input.focus();
}

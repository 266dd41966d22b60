// Whether the signer vouches for an address: its statement about it is asked for anew and checked here, by the very code of
// the passkey page. Which key is the signer's this page only has from the server; who wants to know more compares it
// with the key that the operator has pinned.
import { useState } from "preact/hooks";
import { getAddress } from "../api/generated";
import { me } from "../me";
import { Address, Time } from "../ui/show";
import { Problem } from "../ui/problem";

type State = { state: "open" | "checking" } | { state: "holds"; key: string; seq: string; time: string } | { state: "not"; why: unknown };

type Statement = { seq: string; time: string; state?: { accounts?: { address: string }[] } };

export function Proof({ walletId, addressId, address }: { walletId: string; addressId: string; address: string }) {
	const [at, put] = useState<State>({ state: "open" });
	const check = async () => {
		put({ state: "checking" });
		try {
			const { data } = await getAddress({ path: { walletId, addressId }, query: { proof: "fresh" } });
			const { openProof } = await import("../../../ceremony/page/proof.js");
			const environment = me.value?.integrator.environment ?? "";
			const s = (await openProof(data.proof, { identityKey: data.proof.publicKey, environment })) as Statement;
			if (!s.state?.accounts?.some((a) => a.address === address)) throw new Error("The signer’s statement is about another address.");
			put({ state: "holds", key: data.proof.publicKey, seq: s.seq, time: s.time });
		} catch (why) {
			put({ state: "not", why });
		}
	};
	if (at.state === "holds") {
		return (
			<p><span class="status good">The signer vouches for it</span> in entry {at.seq} of its journal, <Time of={at.time} />.
				Its key: <Address of={at.key} /></p>
		);
	}
	return (
		<>
			<p><button type="button" disabled={at.state === "checking"} onClick={() => void check()}>Ask the signer whether it is its address</button></p>
			{at.state === "not" && <><p class="status bad">Do not use this address</p><Problem of={at.why} /></>}
		</>
	);
}

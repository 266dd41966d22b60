// What a wallet has on every network, in one call.
import { getWalletBalances } from "../api/generated";
import { useRead } from "../api/read";

export type Balances = Awaited<ReturnType<typeof getWalletBalances>>;

const moved = ["wallet.*", "transfer.*", "transaction.confirmed"];

export const useBalances = (walletId: string) =>
	useRead("balances " + walletId, moved, (signal) => getWalletBalances({ path: { walletId } }, { signal }));

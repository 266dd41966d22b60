// The pages by their paths.
import type { ComponentType } from "preact";
import { Approval, Approvals } from "./approvals";
import { Agent, Agents } from "./agents";
import { Audit } from "./audit";
import { Home } from "./home";
import { Keys } from "./keys";
import { Me } from "./me";
import { Members } from "./members";
import { Order, Orders } from "./orders";
import { Payees } from "./payees";
import { Recipient, Recipients } from "./recipients";
import { Send } from "./send";
import { Transaction, Transactions } from "./transactions";
import { Wallet, Wallets } from "./wallets";
import { Workspace } from "./workspace";
import { Kyb } from "./kyb";
import { Back } from "../ui/ceremony";

export type Page = { path: string; title: string; show: ComponentType<any> };

export const pages: Page[] = [
	{ path: "/", title: "Home", show: Home },
	{ path: "/approvals", title: "Approvals", show: Approvals },
	{ path: "/approvals/:id", title: "Approval", show: Approval },
	{ path: "/wallets", title: "Wallets", show: Wallets },
	{ path: "/wallets/:id", title: "Wallet", show: Wallet },
	{ path: "/wallets/:id/send", title: "Send", show: Send },
	{ path: "/transactions", title: "Transactions", show: Transactions },
	{ path: "/transactions/:id", title: "Transaction", show: Transaction },
	{ path: "/payees", title: "Payees", show: Payees },
	{ path: "/orders", title: "Orders", show: Orders },
	{ path: "/orders/:id", title: "Order", show: Order },
	{ path: "/recipients", title: "Recipients", show: Recipients },
	{ path: "/recipients/:id", title: "Recipient", show: Recipient },
	{ path: "/agents", title: "Agents", show: Agents },
	{ path: "/agents/:id", title: "Agent", show: Agent },
	{ path: "/workspace", title: "Workspace", show: Workspace },
	{ path: "/kyb", title: "Check of your business", show: Kyb },
	{ path: "/back", title: "Back", show: Back },
	{ path: "/members", title: "Members", show: Members },
	{ path: "/keys", title: "API keys", show: Keys },
	{ path: "/audit", title: "Audit", show: Audit },
	{ path: "/me", title: "Your login", show: Me },
];

package api

import "github.com/railkit/railkit/api/edge"

// tags are the groups of the documentation page. It begins with what a newcomer does first: a wallet and a payment.
var tags = []edge.Tag{
	{Name: "Wallets", Description: "Wallets whose keys are made and kept in the signer."},
	{Name: "Addresses", Description: "Addresses of a wallet, derived in the signer."},
	{Name: "Transactions", Description: "Payments from a wallet: prepare, stamp with the passkey, confirm."},
	{Name: "Balances", Description: "What a wallet has on every network, what any address has of a stablecoin, and what went to and from it."},
	{Name: "Messages", Description: "Signatures of texts and typed data."},
	{Name: "Passkeys", Description: "Registering passkeys, and adding or removing them."},
	{Name: "Policies", Description: "Rules that the signer holds every signature of a wallet to."},
	{Name: "Payees", Description: "The book of payees: names that a passkey bound to addresses."},
	{Name: "Approvals", Description: "Votes of several people on what one may not do alone."},
	{Name: "Recovery", Description: "Getting back into wallets after a passkey was lost."},
	{Name: "Recipients", Description: "People and companies that are paid, and their bank accounts."},
	{Name: "Invites", Description: "Links by which recipients enter their bank accounts themselves."},
	{Name: "Alerts", Description: "Links in mails about changed bank accounts, with which a reader can freeze the account."},
	{Name: "Payout accounts", Description: "Payments to bank accounts: quote and execute."},
	{Name: "Batches", Description: "Many payments to bank accounts: preview, then execute all or none."},
	{Name: "Off-ramp", Description: "Addresses whose deposits are paid out to a bank account."},
	{Name: "On-ramp", Description: "Deposits of fiat money that become stablecoin in a wallet."},
	{Name: "Orders", Description: "Every payment of every direction, with its timeline."},
	{Name: "Statements", Description: "What the platform held, and what moved it, for the accounts department."},
	{Name: "Agents", Description: "Agents that act within limits that a passkey has set."},
	{Name: "Skills", Description: "Functions of somebody's server that agents call, at a price."},
	{Name: "Widgets", Description: "Metadata of buttons that pay, which widgets show."},
	{Name: "Lending", Description: "Supplies to lending pools, and what they earn."},
	{Name: "Integrators", Description: "Workspaces. For the operator and the dashboard."},
	{Name: "API keys", Description: "Keys of a workspace's own backends."},
	{Name: "Members", Description: "People of a workspace, their roles and invitations."},
	{Name: "Login", Description: "Sessions of members, for the dashboard's pages."},
	{Name: "Events", Description: "What happened, as a list and as a stream."},
	{Name: "Audit", Description: "The record of every change."},
	{Name: "System", Description: "The state of the service."},
	{Name: "Payout partner", Description: "What the payment partner calls."},
	{Name: "Sandbox", Description: "Test money, and controls of the test chain and the test bank. Not in production."},
}

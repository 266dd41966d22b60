// Package refusal is what the signer refuses, each once: the signer answers it, and whoever else has to say the same or
// asks what a refusal was compares with it, by errors.Is, and never with the text of a code.
package refusal

import "github.com/railkit/railkit/fault"

// None of these is recorded in the journal: the same body may come again.
var (
	ErrAgentAuth = fault.Define(fault.Unauthenticated, "invalid_auth", "Agent authentication failed: %s",
		"A header of an agent is missing or malformed, the agent is unknown, the signature does not match, "+
			"or a write came twice under one signature")
	ErrStamp = fault.Define(fault.Unprocessable, "passkey_signature_invalid", "Passkey signature invalid",
		"The stamp does not match the body, or comes from a passkey that may not sign for it; details.reason says what is "+
			"wrong: user was not verified, origin is not accepted, made for another relying party, …")
	ErrUnstamped = fault.Define(fault.Forbidden, "passkey_stamp_required", "A passkey has to stamp this",
		"The call came without any stamp. An API key cannot sign or approve by itself; a passkey stamps the body that "+
			"prepare answers")
	ErrBody = fault.Define(fault.Invalid, "activity_invalid", "Activity is not valid: %s",
		"The enclave cannot accept the activity body: it is not strict JSON, or a field breaks its rule")
	ErrExpired = fault.Define(fault.Conflict, "activity_expired", "The prepared request has expired; prepare it again",
		"The stamp came after the 15 minutes that a prepared request lives")
	ErrCancelled = fault.Define(fault.Conflict, "activity_cancelled", "The prepared request was cancelled",
		"A cancelled body can never be signed")
	ErrOrganization = fault.Define(fault.NotFound, "sub_organization_unknown", "Sub-organization not found",
		"The enclave has no such sub-organization")
	ErrChallenge = fault.Define(fault.Unprocessable, "challenge_invalid",
		"Passkey challenge is unknown, expired or already used",
		"A registration challenge lives 5 minutes, is used once, and belongs to one workspace and e-mail")
	ErrCredentialTaken = fault.Define(fault.Conflict, "passkey_registered", "Passkey is already registered",
		"The credential id belongs to a sub-organization already, or waits in a recovery")
	ErrEmailTaken = fault.Define(fault.Conflict, "email_registered",
		"A sub-organization already exists for this e-mail",
		"An e-mail is registered once per workspace; another passkey is added to it, not registered")
	ErrWalletExists = fault.Define(fault.Unprocessable, "wallet_exists", "Wallet already exists",
		"The sub-organization has a wallet of that name")
	ErrPathTaken = fault.Define(fault.Conflict, "path_taken", "The wallet already has an account at this path",
		"A derivation path is used once per wallet")
	ErrAccount = fault.Define(fault.NotFound, "account_unknown", "Account not found",
		"No wallet of the sub-organization has this address")
	ErrFee = fault.Define(fault.Conflict, "fee_above_maximum",
		"The network fee has risen above the maximum that was stamped; prepare again",
		"Gas limit times current fee is more than the highest total fee in the stamped body")
	ErrFloor = fault.Define(fault.Upstream, "nonce_unknown",
		"The network's node has mined transactions that the enclave never signed. "+
			"If its folder was restored from a backup, its operator starts it with --accept-nonces",
		"The node lies, or the enclave's folder is an older copy of itself; nothing was signed. "+
			"docs/operations.md says how to go on after a restore")
	ErrJournalShort = fault.Define(fault.Conflict, "journal_shorter", "The signer's journal does not reach entry %s",
		"Who remembers that entry has seen a later journal: the enclave's folder is an older copy. "+
			"Nothing that this signer shows may be stamped")
	ErrNonceTaken = fault.Define(fault.Conflict, "nonce_taken", "Another transaction was signed for this nonce",
		"Exact bytes name a nonce that the enclave has signed for already, or that the network's node has mined")
	ErrNonceNotNext = fault.Define(fault.Conflict, "nonce_not_next",
		"The transaction does not have the next free nonce of its address, which is %d",
		"Exact bytes are signed with the lowest nonce that the enclave has not signed for; "+
			"make them again with the one that the message names")
	ErrReplaced = fault.Define(fault.Conflict, "already_replaced",
		"Another transaction has this place already; replace that one",
		"The transaction to be replaced is not the newest that the enclave has signed for its address and nonce")
	ErrNonceMined = fault.Define(fault.Conflict, "nonce_mined",
		"A transaction with this nonce is mined; there is nothing left to replace",
		"The network's node has mined the nonce of the transaction to be replaced")
	ErrCounter = fault.Define(fault.Unprocessable, "passkey_counter",
		"Passkey signature counter was seen before; the passkey may have been copied",
		"An authenticator never repeats a signature counter")
	ErrPasskey = fault.Define(fault.NotFound, "passkey_unknown", "Passkey not found",
		"No user of the sub-organization has a passkey of this credential id")
	ErrLastPasskey = fault.Define(fault.Unprocessable, "passkey_last",
		"The last passkey of a sub-organization cannot be removed",
		"Nobody could sign for its wallets any more; add another passkey first")
	ErrPolicy = fault.Define(fault.NotFound, "policy_unknown", "Policy not found",
		"No policy of the sub-organization has this id")
	ErrApproval = fault.Define(fault.NotFound, "approval_unknown", "Approval not found",
		"Nothing of the sub-organization waits under this id")
	ErrApprovalOver = fault.Define(fault.Conflict, "approval_over",
		"The request waited too long for its approvals; make it again",
		"An approval lives 30 minutes from the request on")
	ErrPolicySet = fault.Define(fault.Conflict, "rules_changed",
		"The rules have changed since this vote was prepared; look at it again",
		"A vote counts only under the policies and the approval configuration that its maker was shown")
	ErrTooManyHeld = fault.Define(fault.TooMany, "approvals_full",
		"Too many requests wait for approval; decide or reject some first",
		"At most 200 requests of a sub-organization wait at a time, and at most 100 of those without a stamp")
	ErrUsers = fault.Define(fault.Unprocessable, "approvers_missing",
		"There are fewer users than approvers would be required",
		"requiredApprovers is at most the number of users with a passkey, "+
			"and a user without whom there would be too few cannot be removed")
	ErrPayee = fault.Define(fault.NotFound, "payee_unknown", "Payee not found",
		"The sub-organization's book of payees has none with this id")
	ErrPayeeName = fault.Define(fault.Unprocessable, "payee_name_taken",
		"name can be mistaken for that of the payee %s",
		"Two payees of a sub-organization have names that can be told apart: Unicode TR 39 says which can not, "+
			"capitals, accents and spaces do not count; remove the other payee first, or take another name")
	ErrPayeeAddress = fault.Define(fault.Unprocessable, "payee_address_taken",
		"address is that of the payee %s on this network",
		"An address has one name on each network; remove the payee first to give it another one")
	ErrSheet = fault.Define(fault.Unprocessable, "price_sheet_invalid", "Price sheet is not valid: %s",
		"The enclave cannot take the price sheet: it is not by the price key, not fresh, or a price in it is none")
	ErrPrice = fault.Define(fault.Unprocessable, "price_not_signed", "The price signer names no such price now",
		"An override lets a price count that is signed and fresh; it cannot make one up")
	ErrRecovery = fault.Define(fault.Unprocessable, "recovery_invalid", "Recovery is unknown, expired or already used",
		"The mailed half of a recovery lives 15 minutes, is used once, and belongs to one user; "+
			"the new passkey has to answer it")
	ErrRecoveryKey = fault.Define(fault.Unprocessable, "recovery_code_invalid",
		"The recovery code does not vouch for the new passkey",
		"The mail is only one half: without the signature of the sub-organization's recovery key nothing happens, "+
			"unless a passkey has allowed emailOnlyRecovery")
	ErrRecovering = fault.Define(fault.Conflict, "recovery_pending",
		"A recovery of the sub-organization is under way; cancel it first, or wait for its end",
		"Until a recovery is done or cancelled, nothing is loosened, nothing waits for votes, "+
			"no passkey is added or removed, and no other recovery begins")
	ErrRecoveryOver = fault.Define(fault.Conflict, "recovery_over",
		"The recovery was cancelled, or another one took its place",
		"A recovery that the recovery key vouches for takes the place of one by e-mail alone; "+
			"any passkey cancels either")
	ErrNoRecovery = fault.Define(fault.NotFound, "recovery_unknown", "No such recovery is under way",
		"Nothing waits under this id: it never began, was cancelled, or is done")
	ErrApprovalVoid = fault.Define(fault.Conflict, "approval_void",
		"While the request waited a recovery began, its payee was removed or its agent was killed: it is void",
		"What waited for votes when a recovery began, when the payee that it pays was removed from the book, or when "+
			"the agent that it is of was killed, can neither be voted for nor executed any more")
	ErrAgentExists = fault.Define(fault.Unprocessable, "agent_exists", "Agent already exists",
		"The sub-organization has an agent of that name")
	ErrAgent = fault.Define(fault.NotFound, "agent_unknown", "Agent not found",
		"No agent of the workspace has this id")
	ErrAgentTime = fault.Define(fault.Unauthenticated, "expired_timestamp",
		"Request timestamp is more than 60 seconds off",
		"x-request-timestamp, or created of an HTTP signature, is not within 60 seconds of the signer's clock; "+
			"or that signature has expired")
	ErrAgentKilled = fault.Define(fault.Unauthenticated, "agent_killed", "Agent was killed",
		"The agent was stopped for good; a new one has to be provisioned")
	ErrAgentAgain = fault.DefineRefusal(fault.Unavailable, "agent_retry",
		"The signer has just started; sign the request again with a new timestamp",
		"A write from before the signer's start: whether it was executed then is not known any more")
	ErrAgentBusy = fault.Define(fault.TooMany, "agent_busy", "The agent has sent too many writes within two minutes",
		"The signer remembers each write until its timestamp is too old to come again, "+
			"and has no room for more of this agent")
	ErrAgentPending = fault.Define(fault.Unprocessable, "agent_policies_pending",
		"Pending policies — finish the create flow",
		"The agent was made and has no limits yet: confirm its policies, or delete it")
	ErrAgentActivated = fault.Define(fault.Conflict, "agent_activated", "Agent is already active",
		"An agent is activated once, and cannot be deleted afterwards; kill it instead")
	ErrAgentChanged = fault.Define(fault.Conflict, "agent_changed",
		"The agent or the kill switch was changed after this was written; look at it and ask again",
		"What gives an agent more is done only if its body was written after the agent's latest change: a stamp or a vote "+
			"from before it may have been held back")
	ErrAgentInactive = fault.Define(fault.Forbidden, "agent_not_active", "Agent is not active",
		"The agent is suspended or draining; its owner can resume it")
	ErrAgentOnce = fault.Define(fault.Conflict, "agent_asked_before",
		"This was asked for before; ask for its outcome instead of asking again",
		"An agent's signature, and its idempotency key, pay or make a wallet once, whatever came of it")
	ErrAgentRule = fault.Define(fault.Forbidden, "agent_not_allowed", "The agent may not do this: %s",
		"A limit of the agent or a policy of its wallet refuses every such payment; details.denial names rule and limit")
	ErrAgentWallets = fault.Define(fault.Forbidden, "agent_wallets_not_allowed",
		"The agent's limits allow it no more wallets",
		"maxWallets of the agent's limits is absent, or the agent has made that many wallets; its owner can raise it")
	ErrAgentBudget = fault.Define(fault.Forbidden, "budget_exhausted", "Agent has insufficient budget",
		"A layer of the agent's budget is used up or too small; details has failedLayers and, for each, limit, spent, held "+
			"and resetsAt. 402 for x402-pay, 403 elsewhere")
	ErrKillSwitch = fault.DefineRefusal(fault.Unavailable, "kill_switch_active",
		"The kill switch is on: no agent may pay",
		"The owner of the sub-organization, or the operator, has stopped the payments of all agents")
)

// Package errtest holds docs/errors.md against the tests: an error that nothing
// can cause is not an error but a rumour.
package errtest

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
)

// elsewhere names, for each error that no answer of kit/signing's tests has, the
// test that produces it. Whoever defines an error enters it here. A test of this
// package reads the named one: it must exist and speak of the error, and over
// HTTP where the error is not the enclave's own.
var elsewhere = map[string]string{
	"enclave_busy":                "enclave: TestSigning_ChallengesAreBounded",
	"activity_expired":            "enclave: TestSigning_S15_Times",
	"policy_unknown":              "enclave: TestSigning_A10_PreviewOfPolicies",
	"activity_cancelled":          "enclave: TestSigning_A03_PreviewOfCancelled",
	"sub_organization_unknown":    "enclave: TestSigning_S10_UnknownOrganization",
	"passkey_counter":             "enclave: TestSigning_S09_CounterSeenTwice",
	"nonce_taken":                 "enclave: TestSigning_NoncesAndFees",
	"already_signed":              "enclave/decide: TestSolana_L12_OneMessageOneBody",
	"no_replacement":              "enclave/decide: TestSolana_L13_NothingIsReplaced",
	"approval_unknown":            "enclave/decide: TestSigning_A07_VotesOutOfPlace",
	"approval_over":               "enclave/decide: TestSigning_A07_VotesOutOfPlace",
	"approvals_full":              "enclave/decide: TestSigning_A11_QueueIsBounded",
	"passkey_registered":          "enclave: TestSigning_S10_CredentialTwice",
	"passkey_unknown":             "enclave: TestSigning_S16_RefusedPasskeys",
	"recovery_over":               "enclave: TestSigning_R08_MailedHalfOnce",
	"recovery_unknown":            "enclave: TestSigning_R06_NothingLoosens",
	"kyb_changed":                 "internal/test/stories: TestPlatform_KYBTwoMembers",
	"kyb_under_review":            "internal/test/stories: TestPlatform_KYBStory",
	"kyb_decided":                 "internal/test/stories: TestPlatform_KYBStory",
	"kyb_incomplete":              "internal/test/stories: TestPlatform_KYBStory",
	"kyb_not_submitted":           "internal/test/stories: TestPlatform_KYBStory",
	"kyb_submitted_again":         "internal/test/stories: TestPlatform_KYBDecidesWhatWasRead",
	"kyb_open":                    "internal/test/stories: TestPlatform_KYBDecidesWhatWasRead",
	"kyb_documents_full":          "internal/test/stories: TestPlatform_KYBDocumentsAreCounted",
	"key_beyond_caller":           "internal/test/stories: TestPlatform_KeyBeyondItsMaker",
	"too_many_api_keys":           "internal/test/stories: TestPlatform_TooManyKeys",
	"events_removed":              "internal/test/stories: TestPlatform_Events",
	"too_many_streams":            "internal/test/stories: TestPlatform_EventStreams",
	"too_many_webhook_endpoints":  "internal/test/stories: TestPlatform_WebhookRefusals",
	"webhook_endpoint_disabled":   "internal/test/stories: TestPlatform_WebhookRefusals",
	"webhook_replay_running":      "internal/test/stories: TestPlatform_WebhookRefusals",
	"last_admin":                  "internal/test/stories: TestPlatform_LastAdmin",
	"member_exists":               "internal/test/stories: TestPlatform_Members",
	"login_not_configured":        "internal/test/stories: TestPlatform_WithoutADashboard",
	"session_invalid":             "internal/test/stories: TestPlatform_LoginStory",
	"session_expired":             "internal/test/stories: TestPlatform_SessionEnds",
	"login_refused":               "internal/test/stories: TestPlatform_LoginRefuses",
	"last_login_passkey":          "internal/test/stories: TestPlatform_OwnPasskeys",
	"too_many_login_passkeys":     "internal/test/stories: TestPlatform_OwnPasskeysAreCounted",
	"login_passkey_exists":        "internal/test/stories: TestPlatform_OwnPasskeyKnown",
	"signer_behind":               "internal/test/apptest: TestSigning_ClientOfARestoredSigner",
	"not_ready":                   "internal/test/apptest: TestPlatform_ReadyzNamesTheCause",
	"rate_limit_unavailable":      "internal/test/apptest: TestPlatform_LimitsDuringAnOutage",
	"ip_not_allowed":              "api/edge: TestAddressOfKey",
	"http_version":                "api/edge: TestStream_Refuses",
	"own_resources_only":          "internal/test/stories: TestAgents_Status",
	"authorization_twice":         "internal/test/stories: TestAgents_RefusedOverHTTP",
	"api_key_as_bearer":           "internal/test/walk: TestPlatform_Errors",
	"price_sheet_invalid":         "enclave: TestSigning_E13_ForgedSheets",
	"agent_exists":                "enclave: TestAgents_RefusedBodies",
	"agent_unknown":               "enclave: TestAgents_CreatedAndKnown",
	"expired_timestamp":           "internal/test/stories: TestAgents_RefusedOverHTTP",
	"agent_asked_before":          "enclave: TestAgents_RequestPaysOnce",
	"agent_activated":             "kit/agent: TestSigning_AgentUnfinished",
	"agent_changed":               "kit/agent: TestAgents_RaisedFromBeforeTheLatestChange",
	"agent_killed_unfundable":     "kit/agent: TestSigning_AgentFunding",
	"agent_policies_pending":      "kit/agent: TestSigning_AgentUnfinished",
	"kill_switch_active":          "kit/agent: TestAgents_HaltedBeforeEmpty",
	"lending_not_found":           "kit/trade: TestWidget_LendingRefusals",
	"insufficient_supply":         "kit/trade: TestWidget_LendingFromAWallet",
	"lending_closed":              "kit/trade: TestWidget_LendingPoolsThatRefuse",
	"no_lending_pool":             "kit/trade: TestWidget_LendingPoolsThatRefuse",
	"agent_killed":                "kit/agent: TestAgents_HaltedBeforeEmpty",
	"agent_not_active":            "kit/agent: TestAgents_HaltedBeforeEmpty",
	"agent_not_allowed":           "kit/agent: TestAgents_Payments",
	"agent_wallets_not_allowed":   "kit/agent: TestAgents_WalletsByTheAPI",
	"budget_exhausted":            "kit/agent: TestAgents_EveryLayerRefusesAlike",
	"invalid_auth":                "kit/agent: TestAgents_HTTPSignaturesByTheAPI",
	"verification_incomplete":     "kit/agent: TestAgents_OperatorStopsAWorkspacesAgents",
	"agent_host_not_allowed":      "kit/agent/x402pay: TestAgents_X402Buys",
	"x402_no_offer":               "kit/agent/x402pay: TestAgents_X402Buys",
	"x402_sponsor_unknown":        "kit/agent/x402pay: TestAgents_X402SponsorUnknown",
	"x402_payment_waits":          "kit/agent/x402pay: TestAgents_X402Approved",
	"x402_payment_over":           "kit/agent/x402pay: TestAgents_X402Approved",
	"x402_offers_unreadable":      "kit/agent/x402pay: TestAgents_X402Refusals",
	"x402_offers_empty":           "kit/agent/x402pay: TestAgents_X402Refusals",
	"x402_not_offered":            "kit/agent/x402pay: TestAgents_X402Refusals",
	"l402_not_paid":               "kit/agent/x402pay: TestAgents_X402Refusals",
	"permit2_allowance_required":  "kit/agent/x402pay: TestAgents_X402Refusals",
	"insufficient_wallet_balance": "kit/agent/x402pay: TestAgents_X402Refusals",
	"skill_not_allowed":           "kit/agent/execution: TestAgents_SkillOfAgentsList",
	"skill_not_payable":           "kit/agent/execution: TestAgents_SkillFree",
	"x402_not_configured":         "kit/agent/execution: TestAgents_SkillFree",
	"x402_payment_required":       "kit/agent/execution: TestAgents_SkillWrongPayments",
	"x402_payment_used":           "kit/agent/execution: TestAgents_SkillIsBought",
	"x402_payment_busy":           "kit/agent/execution: TestAgents_SkillServerDied",
	"x402_settlement_refused":     "kit/agent/execution: TestAgents_SkillUnknownSettlement",
	"x402_settlement_pending":     "kit/agent/execution: TestAgents_SkillUnknownSettlement",
	"x402_settlement_unknown":     "kit/agent/execution: TestAgents_SkillUnknownSettlement",
	"chain_not_supported":         "sdk/go: TestWidget_SwapRefusals",
	"no_route_found":              "sdk/go: TestWidget_SwapRefusals",
	"swap_not_found":              "sdk/go: TestWidget_SwapRefusals",
	"swap_would_fail":             "sdk/go: TestWidget_SwapThatWouldFail",
	"x402_facilitator_failed":     "kit/agent/execution: TestAgents_SkillFacilitatorOutage",
	"skill_not_owned":             "kit/agent/skill: TestAgents_SkillStory",
	"too_many_skills":             "kit/agent/skill: TestAgents_SkillsAreBounded",
	"too_many_tools":              "kit/agent/skill: TestAgents_SkillsAreBounded",
	"remote_refused":              "kit/agent/skill: TestAgents_SkillHostileServers",
	"remote_unreachable":          "kit/agent/skill: TestAgents_SkillHostileServers",
	"remote_timeout":              "kit/agent/skill: TestAgents_SkillHostileServers",
	"remote_too_large":            "kit/agent/skill: TestAgents_SkillHostileServers",
	"remote_unreadable":           "kit/agent/skill: TestAgents_SkillHostileServers",
	"agent_retry":                 "enclave: TestAgents_OthersDoNotWait",
	"notice_not_signed":           "kit/payout: TestPayout_NoticesOverHTTP",
	"notice_too_old":              "kit/payout: TestPayout_NoticesOverHTTP",
	"notice_unreadable":           "kit/payout: TestPayout_NoticesOverHTTP",
	"partner_failed":              "fiat: TestPayout_PartnerFailures",
	"partner_unavailable":         "fiat: TestPayout_PartnerFailures",
	"partner_refused":             "fiat: TestPayout_PartnerFailures",
	"sandbox_wrong_state":         "kit/payout: TestPayout_SandboxSteersOrders",
	"sandbox_unreachable":         "kit/payout: TestPayout_SandboxWithoutPartner",
	"recipient_archived":          "kit/payout: TestPayout_InviteEndsWithArchiving",
	"invite_unknown":              "kit/payout: TestPayout_Invites",
	"invite_over":                 "kit/payout: TestPayout_Invites",
	"invites_not_configured":      "kit/payout: TestPayout_InvitesNotConfigured",
	"agent_busy":                  "enclave: TestAgents_FullMemoryRefusesOne",
	"no_payment_partner":          "kit/payout: TestPayout_BankAccountCustomer",
	"workspace_email_missing":     "kit/payout: TestPayout_BankAccountCustomer",
	"bank_account_exists":         "kit/payout: TestPayout_BankAccountOnce",
	"bank_account_registering":    "kit/payout: TestPayout_BankAccountWaits",
	"bank_account_not_usable":     "kit/payout: TestPayout_BankAccountRegistration",
	"immutable_field":             "kit/payout: TestPayout_BankAccountChange",
	"last_active_account":         "kit/payout: TestPayout_BankAccountArchive",
	"address_unproved":            "kit/payout: TestPayout_DepositAccountsOverHTTP",
	"deposit_account_differs":     "kit/payout: TestPayout_DepositAccountsOverHTTP",

	"alert_unknown":           "kit/payout: TestPayout_AlertFreezes",
	"bank_account_frozen":     "kit/payout: TestPayout_AlertFreezes",
	"return_address_differs":  "kit/payout: TestPayout_ReturnAddressOverHTTP",
	"return_address_changing": "kit/payout: TestPayout_ReturnAddressOverHTTP",
	"return_address_changed":  "kit/payout: TestPayout_ReturnAddressOverHTTP",
	"member_required":         "kit/payout: TestPayout_BankAccountConfirm",
	"bank_account_changed":    "kit/payout: TestPayout_BankAccountConfirm",
	"member_too_new":          "kit/payout: TestPayout_BankAccountConfirm",

	"rate_stale":                    "kit/payout: TestPayout_Quotes",
	"recipient_not_found":           "kit/payout: TestPayout_Quotes",
	"amount_too_small":              "kit/payout: TestPayout_Quotes",
	"amount_out_of_bounds":          "kit/payout: TestPayout_Quotes",
	"bank_account_missing":          "kit/payout: TestPayout_Quotes",
	"withdraw_address_missing":      "kit/payout: TestPayout_Quotes",
	"account_number_elsewhere":      "kit/payout: TestPayout_ByBank_AnotherChain",
	"quote_expired":                 "kit/payout: TestPayout_QuoteEnds",
	"withdraw_balance_insufficient": "kit/payout: TestPayout_Execute",
	"batch_invalid":                 "kit/payout: TestPayout_Batches",
	"batch_changed":                 "kit/payout: TestPayout_Batches",
	"batch_canceled":                "kit/payout: TestPayout_Batches",
	"batch_executed":                "kit/payout: TestPayout_Batches",
	"batch_expired":                 "kit/payout: TestPayout_QuoteEnds",
	"batch_paid_before":             "kit/payout: TestPayout_Batches",
	"order_not_unique":              "kit/payout: TestPayout_Execute",
	"order_settled":                 "kit/payout: TestPayout_Execute",
	"execution_unverifiable":        "kit/widget/reward: TestWidget_ExecutionsThatDoNotCount",
	"pair_unsupported":              "kit/payout: TestPayout_OffRampRefusals",
	"chain_not_watched":             "kit/payout: TestPayout_OffRampRefusals",
	"withdraw_address_required":     "kit/payout: TestPayout_OffRampRefusals",
}

// sometimes are errors that home's tests may or may not meet: what a signer says in its first second.
var sometimes = []string{"agent_retry"}

// home is where errors are produced that elsewhere does not list.
const home = "kit/signing"

// Run is run, the m.Run of a package that tests through internal/test/apptest. Once all of its
// tests ran, the server must have answered with every error that is to be
// produced there.
func Run(run func() int, pkg string) int {
	code := run()
	if code != 0 || flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.list").Value.String() != "" {
		return code
	}
	for _, line := range unseen(pkg, apptest.SeenErrors()) {
		fmt.Println(line)
		code = 1
	}
	return code
}

// unseen says what is wrong with the errors that a package's answers had.
func unseen(pkg string, seen []string) []string {
	var wrong []string
	for _, e := range fault.Catalog() {
		in, listed := elsewhere[e.Code]
		produced := slices.Contains(seen, e.Code)
		switch {
		case !produced && (!listed && pkg == home || strings.HasPrefix(in, pkg+": ")):
			wrong = append(wrong, fmt.Sprintf("error %q is said to be produced here, and no answer had it", e.Code))
		case produced && listed && pkg == home && !slices.Contains(sometimes, e.Code):
			wrong = append(
				wrong, fmt.Sprintf("error %q is produced here; internal/test/errtest need not list it", e.Code),
			)
		}
	}
	return wrong
}

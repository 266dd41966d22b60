package signing_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/apptest"
)

// elsewhere are the errors of docs/errors.md that no answer of these tests can
// have, each with the test that produces it.
var elsewhere = map[string]string{
	"enclave_busy":             "enclave: TestSigning_ChallengesAreBounded",
	"activity_invalid":         "enclave: TestSigning_S03_StrictBodies",
	"activity_expired":         "enclave: TestSigning_S15_Times",
	"activity_cancelled":       "enclave: TestSigning_A03_PreviewOfCancelled",
	"account_unknown":          "enclave: TestSigning_S10_CredentialOfAnother",
	"sub_organization_unknown": "enclave: TestSigning_S10_UnknownOrganization",
	"passkey_counter":          "enclave: TestSigning_S09_CounterSeenTwice",
	"nonce_taken":              "enclave: TestSigning_NoncesAndFees",
	"passkey_registered":       "enclave: TestSigning_S10_CredentialTwice",
	"key_beyond_caller":        "platform/workspace: TestPlatform_KeyScopes",
	"too_many_api_keys":        "platform/workspace: TestPlatform_KeysAreBounded",
	"ip_not_allowed":           "platform/auth: TestAuthenticate",
	"verification_incomplete":  "api/edge: TestVerification",
	"agent_exists":             "enclave: TestAgents_RefusedBodies",
	"agent_unknown":            "enclave: TestAgents_CreatedAndKnown",
	"invalid_auth":             "enclave: TestAgents_ForgedRequests",
	"expired_timestamp":        "enclave: TestAgents_Drift",
	"agent_killed":             "enclave: TestAgents_Killed",
	"agent_retry":              "enclave: TestAgents_OthersDoNotWait",
	"agent_busy":               "enclave: TestAgents_FullMemoryRefusesOne",
	"rate_limit_unavailable":   "internal/apptest: TestPlatform_LimitsDuringAnOutage",
}

// TestMain holds docs/errors.md against what these tests made the server
// answer: an error that nothing can cause is not an error but a rumour.
func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait for other processes most of the time, not for a core.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		seen := apptest.SeenErrors()
		for _, e := range fault.Catalog() {
			_, other := elsewhere[e.Code]
			if slices.Contains(seen, e.Code) == other {
				fmt.Printf("error %q: produced here %v, said to be produced elsewhere %v\n", e.Code, !other, other)
				code = 1
			}
		}
	}
	os.Exit(code)
}

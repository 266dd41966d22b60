package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const policyPath = "/v1/signing/policies"

// createPolicy puts a policy on a wallet that nothing is paid from, on nobody's
// stamp. Whatever dies meanwhile, the signer has one more policy then.
func createPolicy(w *world, arm func()) {
	body, before := w.newPolicy(), w.policies()
	arm()
	w.once(http.MethodPost, policyPath, body)
	if after := w.policies(); after != before+1 {
		w.t.Errorf("%d policies, and %d after one more", before, after)
	}
}

// raiseLimit loosens a policy under a stamp.
func raiseLimit(w *world, arm func()) {
	var made struct{ Data railkit.Policy }
	if err := json.Unmarshal([]byte(w.once(http.MethodPost, policyPath, w.newPolicy()).Body), &made); err != nil {
		w.t.Fatal(err)
	}
	body, before := w.raise(made.Data.ID), w.policies()
	arm()
	w.once(http.MethodPatch, policyPath+"/"+made.Data.ID, body)
	if after := w.policies(); after != before {
		w.t.Errorf("%d policies, and %d after a change", before, after)
	}
	w.until("the list", func() error {
		page, err := w.api.Policies.List(w.t.Context(), railkit.PolicyListOptions{WalletID: w.spare()})
		if err != nil {
			return err
		}
		for _, p := range page.Items {
			if p.ID == made.Data.ID && p.Rules.MaxValueUSD != "5000" {
				w.t.Errorf("raised to 5000, and the list says %s", p.Rules.MaxValueUSD)
			}
		}
		return nil
	})
}

// raise is the stamped body of a higher limit.
func (w *world) raise(id string) string {
	w.t.Helper()
	rules := map[string]any{"maxValueUsd": 5000}
	a := w.once(http.MethodPatch, policyPath+"/"+id+"?prepare=true", apptest.JSON(w.t, map[string]any{"rules": rules}))
	var p struct{ Data railkit.Prepared }
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		w.t.Fatal(err)
	}
	signed, err := p.Data.Stamp(w.owner.Passkey)
	if err != nil {
		w.t.Fatal(err)
	}
	return apptest.JSON(w.t, map[string]any{"rules": rules, "signedActivity": signed})
}

// spare is a wallet for policies, so that no other walk is held to them.
func (w *world) spare() string {
	w.t.Helper()
	if w.policed != "" {
		return w.policed
	}
	a := w.once(http.MethodPost, walletPath, w.prepareWallet().confirmation(w.t, "walletRequestId", nil))
	var made struct{ Data railkit.CreatedWallet }
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
		w.t.Fatal(err)
	}
	w.policed = made.Data.WalletID
	return w.policed
}

func (w *world) newPolicy() string {
	w.t.Helper()
	w.made++
	return apptest.JSON(w.t, railkit.PolicyRequest{
		Name: fmt.Sprintf("Policy %d", w.made), WalletID: w.spare(),
		Rules: railkit.PolicyRules{MaxValueUSD: railkit.Number(fmt.Sprint(1000 + w.made))},
	})
}

// policies is how many the signer holds, by its own word.
func (w *world) policies() (n int) {
	w.t.Helper()
	w.until("what is enforced", func() error {
		all, err := w.api.Policies.ListEnforced(w.t.Context(), w.owner.Sub.SubOrganizationID)
		n = len(all)
		return err
	})
	return n
}

// abandonedPolicy: the signer has taken the rules, and nobody asks again.
func abandonedPolicy(w *world) {
	body, before := w.newPolicy(), w.policies()
	w.abandon(policyPath, body, signed, abandonedWallet...)
	w.until("the policy's row", func() error {
		page, err := w.api.Policies.List(w.t.Context(), railkit.PolicyListOptions{WalletID: w.spare()})
		switch {
		case err != nil:
			return err
		case page.Meta.Total != before+1 || len(page.Items) == 0: // rows and their count are two queries
			return fmt.Errorf("%d rows of %d policies, %d on the page", page.Meta.Total, before+1, len(page.Items))
		case page.Items[0].Name == "Policy":
			return fmt.Errorf("the newest policy is called %q", page.Items[0].Name)
		}
		return nil
	})
}

package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/page"
)

var rulesTests = cases{
	"Policy": testPolicy, "PolicyPages": testPolicyPages, "ApprovalConfig": testApprovalConfig, "Denials": testDenials, "RemovePasskey": testRemovePasskey,
}

func policy(ws, id string, seq int64) rule.Policy {
	return rule.Policy{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", WalletID: "wallet-1", Name: "Limit", Proof: `{"seq":7}`, Seq: seq, CreatedAt: start,
		Policy: wire.Policy{ID: id, WalletID: "enclave-wallet-1", Rules: wire.Rules{MaxValueUSD: "100.50", AllowedChains: []string{"base"}}},
	}
}

func (b *bench) keep(t *testing.T, policies ...rule.Policy) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		for _, p := range policies {
			if err := tx.KeepPolicy(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) policy(t *testing.T, id string) rule.Policy {
	t.Helper()
	p, err := b.Policy(t.Context(), ours, id)
	ok(t, err)
	return p
}

// The enclave's later word stands, in whichever order the two come.
func testPolicy(t *testing.T, b *bench) {
	_, err := b.Policy(t.Context(), ours, "p-1")
	missing(t, "Policy", err)
	late := policy(ours, "p-1", 9)
	late.Policy.Rules = wire.Rules{MaxValueUSD: "9"}
	late.Proof = `{"seq":9}`
	b.keep(t, policy(ours, "p-1", 7), late, policy(ours, "p-1", 8), policy(theirs, "p-1", 1))
	equal(t, "the later word", b.policy(t, "p-1"), late)

	nameless := policy(ours, "p-2", 5)
	nameless.Name = ""
	b.keep(t, nameless, policy(ours, "p-2", 4)) // mended first, made then
	named := policy(ours, "p-2", 5)
	equal(t, "named", b.policy(t, "p-2"), named)
	nameless.Seq, nameless.Deleted = 6, true
	b.keep(t, nameless)
	named.Seq, named.Deleted = 6, true
	equal(t, "deleted", b.policy(t, "p-2"), named)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.RenamePolicy(ctx, ours, "p-1", "Other") })
	late.Name = "Other"
	equal(t, "renamed", b.policy(t, "p-1"), late)
	for _, id := range []string{"p-2", "p-3"} {
		missing(t, "Policy", b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.RenamePolicy(ctx, ours, id, "Other") }))
	}
	all, err := b.PoliciesOf(t.Context(), ours, "sub-1")
	ok(t, err)
	equal(t, "of the owner, deleted ones too", ids(all, policyID), []string{"p-1", "p-2"})
}

func policyID(p rule.Policy) string { return p.ID }

func testPolicyPages(t *testing.T, b *bench) {
	other := policy(ours, "p-3", 1)
	other.WalletID, other.SubOrganizationID, other.CreatedAt = "wallet-2", "sub-2", start.Add(time.Second)
	gone := policy(ours, "p-4", 1)
	gone.Deleted = true
	b.keep(t, policy(ours, "p-1", 1), policy(ours, "p-2", 1), other, gone, policy(theirs, "p-5", 1))
	for _, tc := range []struct {
		f     rule.PolicyFilter
		total int
		want  []string
	}{
		{rule.PolicyFilter{Page: page.Page{Limit: 9}}, 3, []string{"p-3", "p-2", "p-1"}},
		{rule.PolicyFilter{Page: page.Page{Limit: 1, Offset: 1}}, 3, []string{"p-2"}},
		{rule.PolicyFilter{Page: page.Page{Limit: 9, After: &page.Cursor{CreatedAt: start, ID: "p-2"}}}, 3, []string{"p-1"}},
		{rule.PolicyFilter{WalletID: "wallet-2", Page: page.Page{Limit: 9}}, 1, []string{"p-3"}},
		{rule.PolicyFilter{SubOrganizationID: "sub-1", Page: page.Page{Limit: 9}}, 2, []string{"p-2", "p-1"}},
	} {
		tc.f.WorkspaceID = ours
		rows, total, err := b.Policies(t.Context(), tc.f)
		ok(t, err)
		equal(t, "total", total, tc.total)
		equal(t, "policies", ids(rows, policyID), tc.want)
	}
}

func testApprovalConfig(t *testing.T, b *bench) {
	_, err := b.ApprovalConfig(t.Context(), ours, "sub-1")
	missing(t, "Approval configuration", err)
	at := func(seq int64, threshold string) rule.ApprovalConfig {
		return rule.ApprovalConfig{
			WorkspaceID: ours, SubOrganizationID: "sub-1", Proof: `{"seq":1}`, Seq: seq, UpdatedAt: start.Add(time.Duration(seq) * time.Second),
			Config: wire.ApprovalConfig{Enabled: true, ThresholdUSD: threshold, RequiredApprovers: "2"},
		}
	}
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return all(tx.KeepApprovalConfig(ctx, at(2, "200")), tx.KeepApprovalConfig(ctx, at(3, "300")), tx.KeepApprovalConfig(ctx, at(1, "100")))
	})
	c, err := b.ApprovalConfig(t.Context(), ours, "sub-1")
	ok(t, err)
	equal(t, "the latest", c, at(3, "300"))
	_, err = b.ApprovalConfig(t.Context(), theirs, "sub-1")
	missing(t, "Approval configuration", err)
}

func testDenials(t *testing.T, b *bench) {
	denied := func(ws, id, wallet, layer string, after time.Duration) denial.Denial {
		return denial.Denial{
			WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", WalletID: wallet, TransactionID: "tx-1", PolicyID: "p-1", Layer: layer,
			Rule: "maxValueUsd", Severity: "blocked", Field: "value", Observed: "11", Limit: "10", CreatedAt: start.Add(after),
		}
	}
	second := denied(ours, "d-1", "wallet-1", "enclave", time.Hour)
	second.Rule = "another"
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return all(
			tx.InsertDenial(ctx, denied(ours, "d-1", "wallet-1", "enclave", 0)), tx.InsertDenial(ctx, second),
			tx.InsertDenial(ctx, denied(ours, "d-2", "wallet-1", "platform", time.Second)),
			tx.InsertDenial(ctx, denied(ours, "d-3", "wallet-2", "enclave", 0)), tx.InsertDenial(ctx, denied(theirs, "d-4", "wallet-1", "enclave", 0)),
		)
	})
	list := func(f denial.Filter, total int) []denial.Denial {
		t.Helper()
		f.WorkspaceID, f.WalletID = ours, "wallet-1"
		rows, n, err := b.Denials(t.Context(), f)
		ok(t, err)
		equal(t, "total", n, total)
		return rows
	}
	rows := list(denial.Filter{Page: page.Page{Limit: 9}}, 2)
	equal(t, "newest first, each once", rows, []denial.Denial{denied(ours, "d-2", "wallet-1", "platform", time.Second), denied(ours, "d-1", "wallet-1", "enclave", 0)})
	equal(t, "of a layer", len(list(denial.Filter{Layer: "enclave", Page: page.Page{Limit: 9}}, 1)), 1)
	equal(t, "of a severity", len(list(denial.Filter{Severity: "warn", Page: page.Page{Limit: 9}}, 0)), 0)
	equal(t, "a page", len(list(denial.Filter{Page: page.Page{Limit: 1, Offset: 1}}, 2)), 1)
}

func testRemovePasskey(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.seed(t, theirs)
	for range 2 {
		b.write(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.RemovePasskey(ctx, ours, "sub-1", "credential-passkey-1")
		})
	}
	_, err := b.Passkey(t.Context(), ours, "passkey-1")
	missing(t, "Passkey", err)
	_, err = b.Passkey(t.Context(), theirs, "passkey-1")
	ok(t, err)
}

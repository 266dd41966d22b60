package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/page"
)

var rulesTests = map[string]func(*testing.T, *bench){
	"Policy": testPolicy, "PolicyPages": testPolicyPages, "ApprovalConfig": testApprovalConfig, "Denials": testDenials,
	"RemovePasskey": testRemovePasskey,
}

func policy(ws, id string, seq int64) rule.Policy {
	return rule.Policy{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", WalletID: "wallet-1", Name: "Limit", Proof: `{"seq":7}`,
		Seq: seq, CreatedAt: Start,
		Policy: wire.Policy{
			ID: id, WalletID: "enclave-wallet-1",
			Rules: wire.Rules{MaxValueUSD: "100.50", AllowedChains: []string{"base"}},
		},
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
	p, err := b.Policy(t.Context(), Ours, id)
	OK(t, err)
	return p
}

// The enclave's later word stands, in whichever order the two come.
func testPolicy(t *testing.T, b *bench) {
	_, err := b.Policy(t.Context(), Ours, "p-1")
	Missing(t, "Policy", err)
	late := policy(Ours, "p-1", 9)
	late.Policy.Rules = wire.Rules{MaxValueUSD: "9"}
	late.Proof = `{"seq":9}`
	edited := late // the same word again repairs the row
	edited.Policy.Rules, edited.Deleted = wire.Rules{MaxValueUSD: "9999"}, true
	b.keep(t, policy(Ours, "p-1", 7), edited, late, policy(Ours, "p-1", 8), policy(Theirs, "p-1", 1))
	Equal(t, "the later word", b.policy(t, "p-1"), late)

	nameless := policy(Ours, "p-2", 5)
	nameless.Name = ""
	b.keep(t, nameless, policy(Ours, "p-2", 4)) // mended first, made then
	named := policy(Ours, "p-2", 5)
	Equal(t, "named", b.policy(t, "p-2"), named)
	nameless.Seq, nameless.Deleted = 6, true
	b.keep(t, nameless)
	named.Seq, named.Deleted = 6, true
	Equal(t, "deleted", b.policy(t, "p-2"), named)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.RenamePolicy(ctx, Ours, "p-1", "Other") })
	late.Name = "Other"
	Equal(t, "renamed", b.policy(t, "p-1"), late)
	ahead, right := late, late
	ahead.Seq, ahead.Policy.Rules = 1<<62, wire.Rules{MaxValueUSD: "9999"} // somebody edited the row
	b.keep(t, ahead, right)
	Equal(t, "a row that is ahead of everything", b.policy(t, "p-1"), ahead)
	right.Replaces = ahead.Seq
	b.keep(t, right)
	Equal(t, "replaced by its seq", b.policy(t, "p-1"), late)
	for _, id := range []string{"p-2", "p-3"} {
		Missing(t, "Policy", b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.RenamePolicy(ctx, Ours, id, "Other")
		}))
	}
	all, err := b.PoliciesOf(t.Context(), Ours, "sub-1")
	OK(t, err)
	Equal(t, "of the owner, deleted ones too", IDs(all, policyID), []string{"p-1", "p-2"})
}

func policyID(p rule.Policy) string { return p.ID }

func testPolicyPages(t *testing.T, b *bench) {
	other := policy(Ours, "p-3", 1)
	other.WalletID, other.SubOrganizationID, other.CreatedAt = "wallet-2", "sub-2", Start.Add(time.Second)
	gone := policy(Ours, "p-4", 1)
	gone.Deleted = true
	b.keep(t, policy(Ours, "p-1", 1), policy(Ours, "p-2", 1), other, gone, policy(Theirs, "p-5", 1))
	for _, tc := range []struct {
		f     rule.PolicyFilter
		total int
		want  []string
	}{
		{rule.PolicyFilter{Page: page.Page{Limit: 9}}, 3, []string{"p-3", "p-2", "p-1"}},
		{rule.PolicyFilter{Page: page.Page{Limit: 1, Offset: 1}}, 3, []string{"p-2"}},
		{
			rule.PolicyFilter{Page: page.Page{Limit: 9, After: &page.Cursor{CreatedAt: Start, ID: "p-2"}}}, 3,
			[]string{"p-1"},
		},
		{rule.PolicyFilter{WalletID: "wallet-2", Page: page.Page{Limit: 9}}, 1, []string{"p-3"}},
		{rule.PolicyFilter{SubOrganizationID: "sub-1", Page: page.Page{Limit: 9}}, 2, []string{"p-2", "p-1"}},
	} {
		tc.f.WorkspaceID = Ours
		rows, total, err := b.Policies(t.Context(), tc.f)
		OK(t, err)
		Equal(t, "total", total, tc.total)
		Equal(t, "policies", IDs(rows, policyID), tc.want)
	}
}

func testApprovalConfig(t *testing.T, b *bench) {
	_, err := b.ApprovalConfig(t.Context(), Ours, "sub-1")
	Missing(t, "Approval configuration", err)
	at := func(seq int64, threshold string) rule.ApprovalConfig {
		return rule.ApprovalConfig{
			WorkspaceID: Ours, SubOrganizationID: "sub-1", Proof: `{"seq":1}`, Seq: seq,
			UpdatedAt: Start.Add(time.Duration(seq) * time.Second),
			Config:    wire.ApprovalConfig{Enabled: true, ThresholdUSD: threshold, RequiredApprovers: "2"},
		}
	}
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(
			tx.KeepApprovalConfig(ctx, at(2, "200")), tx.KeepApprovalConfig(ctx, at(3, "9999")),
			tx.KeepApprovalConfig(ctx, at(3, "300")), // the same word again repairs the row
			tx.KeepApprovalConfig(ctx, at(1, "100")),
		)
	})
	c, err := b.ApprovalConfig(t.Context(), Ours, "sub-1")
	OK(t, err)
	Equal(t, "the latest", c, at(3, "300"))
	ahead, right := at(1<<40, "9999"), at(4, "400")
	right.Replaces = ahead.Seq
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.KeepApprovalConfig(ctx, ahead), tx.KeepApprovalConfig(ctx, right))
	})
	c, err = b.ApprovalConfig(t.Context(), Ours, "sub-1")
	OK(t, err)
	Equal(t, "replaced by its seq", c, at(4, "400"))
	_, err = b.ApprovalConfig(t.Context(), Theirs, "sub-1")
	Missing(t, "Approval configuration", err)
}

func testDenials(t *testing.T, b *bench) {
	denied := func(ws, id, wallet, layer string, after time.Duration) denial.Denial {
		return denial.Denial{
			WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", WalletID: wallet, TransactionID: "tx-1",
			PolicyID: "p-1", Layer: layer,
			Rule: "maxValueUsd", Severity: "blocked", Field: "value", Observed: "11", Limit: "10", Payee: "Ana",
			CreatedAt: Start.Add(after),
		}
	}
	second := denied(Ours, "d-1", "wallet-1", "enclave", time.Hour)
	second.Rule = "another"
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(
			tx.InsertDenial(ctx, denied(Ours, "d-1", "wallet-1", "enclave", 0)), tx.InsertDenial(ctx, second),
			tx.InsertDenial(ctx, denied(Ours, "d-2", "wallet-1", "platform", time.Second)),
			tx.InsertDenial(
				ctx, denied(Ours, "d-3", "wallet-2", "enclave", 0),
			), tx.InsertDenial(ctx, denied(Theirs, "d-4", "wallet-1", "enclave", 0)),
		)
	})
	list := func(f denial.Filter, total int) []denial.Denial {
		t.Helper()
		f.WorkspaceID, f.WalletID = Ours, "wallet-1"
		rows, n, err := b.Denials(t.Context(), f)
		OK(t, err)
		Equal(t, "total", n, total)
		return rows
	}
	rows := list(denial.Filter{Page: page.Page{Limit: 9}}, 2)
	Equal(t, "newest first, each once", rows, []denial.Denial{
		denied(Ours, "d-2", "wallet-1", "platform", time.Second), denied(Ours, "d-1", "wallet-1", "enclave", 0),
	})
	Equal(t, "of a layer", len(list(denial.Filter{Layer: "enclave", Page: page.Page{Limit: 9}}, 1)), 1)
	Equal(t, "of a severity", len(list(denial.Filter{Severity: "warn", Page: page.Page{Limit: 9}}, 0)), 0)
	Equal(t, "a page", len(list(denial.Filter{Page: page.Page{Limit: 1, Offset: 1}}, 2)), 1)
}

func testRemovePasskey(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.seed(t, Theirs)
	for range 2 {
		b.write(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.RemovePasskey(ctx, Ours, "sub-1", "credential-passkey-1")
		})
	}
	_, err := b.Passkey(t.Context(), Ours, "passkey-1")
	Missing(t, "Passkey", err)
	_, err = b.Passkey(t.Context(), Theirs, "passkey-1")
	OK(t, err)
}

package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

const (
	shownHash   = "0xab38c0e1f7d94b52a6c38e20d915f47b6e03a8d1c2f4b59687a0e1d3c5f789a7"
	solanaHash  = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
	shownSecret = "0xsigned-and-secret"
)

// seen writes rows that belong to each other: a wallet whose transaction waits for votes, an agent, a member, an order
// in review, and a job that failed.
func (r recordDatabase) seen(t *testing.T) {
	t.Helper()
	now := time.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(r.EnsureWorkspace(t.Context(), workspace.Workspace{ID: "ws-1", Name: "Shop\x1b[31m", Environment: "sandbox"}))
	must(r.EnsureWorkspace(t.Context(), workspace.Workspace{ID: "ws-2", Name: "Other", Environment: "sandbox"}))
	by := &cmd.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: "ws-1"}, Kind: auth.ByKey, ID: "key-1"},
		Operation: "confirm", RequestID: "R7M2K4QZ",
		Render: func(reply cmd.Reply) ([]byte, error) { return json.Marshal(reply.Data) },
	}
	_, err := r.Signing().Commit(t.Context(), by, func(ctx context.Context, tx signing.Tx) (cmd.Reply, error) {
		x := transaction.Transaction{
			WorkspaceID: "ws-1", ID: "tx-1", SubOrganizationID: "sub-1", WalletID: "wallet-1", Amount: "250.00",
			TokenSymbol: "USDC", Chain: "base", State: transaction.AwaitingApproval, TxHash: shownHash,
			SignedTransaction: shownSecret, CreatedAt: now, UpdatedAt: now,
		}
		solana := x
		solana.ID, solana.Chain, solana.TxHash = "tx-2", "solana", solanaHash
		return cmd.Reply{Status: 200, Audit: cmd.Audit{Action: "transaction.sign", Resource: "tx-1"}}, errors.Join(
			tx.InsertSubOrganization(ctx, passkey.SubOrganization{WorkspaceID: "ws-1", ID: "sub-1", Name: "Ada"}),
			tx.InsertWallet(ctx, wallet.Wallet{
				WorkspaceID: "ws-1", ID: "wallet-1", EnclaveID: "e-1", SubOrganizationID: "sub-1", Name: "Treasury",
			}),
			tx.InsertTransaction(ctx, x), tx.InsertTransaction(ctx, solana),
			tx.InsertApproval(ctx, approval.Approval{
				WorkspaceID: "ws-1", ID: "approval-1", Kind: approval.SubjectTransaction, Subject: "tx-1",
				Activity: string(wire.SignIntent), SubOrganizationID: "sub-1", WalletID: "wallet-1", Required: 2,
				State: approval.Pending, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
			}),
			tx.Enqueue(ctx, job.Job{
				Kind: transaction.JobConfirm, WorkspaceID: "ws-1", ID: "tx-1", RunAt: now.Add(time.Hour),
			}),
		)
	})
	must(err)
	must(r.Signing().Others().Agents.Work(t.Context(), "ws-1", func(
		ctx context.Context, tx life.Tx,
	) (cmd.Audit, error) {
		return cmd.Audit{}, errors.Join(tx.InsertAgent(ctx, life.Agent{
			WorkspaceID: "ws-1", ID: "agent-1", SubOrganizationID: "sub-1", WalletID: "wallet-1", Name: "Buyer",
		}), tx.NoteAgentSubject(ctx, "ws-1", "agent-1", "tx-1"))
	}))
	_, err = r.Sessions().Commit(t.Context(), by, func(ctx context.Context, tx session.Tx) (cmd.Reply, error) {
		_, err := tx.InsertMember(ctx, team.Member{
			WorkspaceID: "ws-1", ID: "member-1", Email: "ada@example.com", Role: auth.RoleAdmin,
		})
		return cmd.Reply{Status: 200, Audit: cmd.Audit{Action: "member.join", Resource: "member-1"}}, err
	})
	must(err)
	must(r.Payout().Work(t.Context(), "ws-1", func(ctx context.Context, tx payout.Tx) (cmd.Audit, error) {
		o, detected := payouttest.Deposited("ws-1", "o1", "w1", now)
		o, err := payouttest.Walk(ctx, tx, o, detected)
		if err == nil {
			confirmed := detected
			confirmed.Kind = order.DepositConfirmed
			_, err = payouttest.Walk(ctx, tx, o, confirmed, order.Event{
				Kind: order.ReviewOpened, By: order.System, At: now, Reason: "rate_moved",
			})
		}
		return cmd.Audit{}, err
	}))
}

// An operator finds whatever has an id, by the id alone, and what to look at next; no secret is on the screen.
func TestPlatform_AdminShow(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			r.seen(t)
			failed := `UPDATE river_job SET state = 'retryable', errors = '[{"error":"first"},{"error":"no node\nanswers"}]'`
			if engine == "postgres" {
				failed = `UPDATE river_job SET state = 'retryable', errors =
					ARRAY['{"error":"first"}'::jsonb, '{"error":"no node\nanswers"}'::jsonb]`
			}
			r.exec(t, failed+" WHERE kind = 'signing_confirm'")
			run := func(args ...string) (string, error) {
				var out bytes.Buffer
				err := show(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...))
				return out.String(), err
			}
			var event string
			row := r.Writer().QueryRow("SELECT id FROM events WHERE object_id = 'approval-1'")
			if err := row.Scan(&event); err != nil {
				t.Fatal(err)
			}
			for id, want := range map[string]string{
				"tx-1": `transaction tx-1 of workspace ws-1|awaiting_approval|250.00 USDC|approval          approval-1|` +
					`agent             agent-1|wallet            wallet-1|transaction.sign|by api_key key-1|` +
					`request R7M2K4QZ|signing_confirm  retryable|no node; answers|railkit admin show approval-1|` +
					`railkit doctor`,
				shownHash:                           "transaction tx-1",
				strings.ToUpper(shownHash):          "transaction tx-1",
				strings.TrimPrefix(shownHash, "0x"): "transaction tx-1",
				solanaHash:                          "transaction tx-2|solana",
				"approval-1":                        "0 of 2|transaction       tx-1|approval.created|?prepare=true",
				"agent-1":                           "agent agent-1 of |Buyer|kill-switch on|agent.created",
				"member-1":                          "ada@example.com|member.joined|member.join",
				"wallet-1":                          "Treasury|railkit admin show sub-1",
				"R7M2K4QZ":                          "request R7M2K4QZ|transaction.sign|member.join|admin show tx-1",
				event:                               "approval.created|railkit admin show approval-1",
				"ofr-20261121-O1":                   "order |in_review|rate_moved|deposit.confirmed|order.in_review",
				"OFR-20261121-o1":                   "give-back --workspace ws-1 --order OFR-20261121-o1 --by NAME",
				"ws-1":                              "workspace ws-1",
			} {
				out, err := run(id)
				for word := range strings.SplitSeq(want, "|") {
					if err != nil || !strings.Contains(out, word) {
						t.Errorf("%s: %v: no %q in\n%s", id, err, word, out)
					}
				}
				if strings.Contains(out, shownSecret) || strings.Contains(out, "\x1b") {
					t.Errorf("%s shows what it must not:\n%s", id, out)
				}
			}
			out, err := run("tx-1", "--json")
			var read struct {
				Found []struct {
					Kind, WorkspaceID, Status string
					Links                     []struct{ Kind, ID string }
					Jobs                      []struct{ LastError string }
				}
			}
			if err != nil || json.Unmarshal([]byte(out), &read) != nil || len(read.Found) != 1 ||
				read.Found[0].WorkspaceID != "ws-1" || len(read.Found[0].Links) != 4 ||
				read.Found[0].Jobs[0].LastError != "no node\nanswers" || strings.Contains(out, shownSecret) {
				t.Errorf("%v: %s", err, out)
			}
			for _, id := range []string{"tx-9", "%", "0x" + strings.Repeat("0", 64)} {
				out, err := run(id)
				if err == nil || out != "" || !strings.Contains(err.Error(), "Looked for: orders") {
					t.Errorf("%s: %v: %s", id, err, out)
				}
			}
			if _, err := run(); err == nil || !strings.Contains(err.Error(), "railkit admin show ID") {
				t.Errorf("of nothing: %v", err)
			}
		})
	}
}

// shownLines are the commands of docs/operations.md that show something.
func shownLines(t *testing.T) [][]string {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	line := regexp.MustCompile(`(?m)^railkit admin (show "\$ID".*)$`)
	for _, m := range line.FindAllStringSubmatch(string(page), -1) {
		all = append(all, strings.Fields(m[1]))
	}
	return all
}

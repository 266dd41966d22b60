package signing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	carlos = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	thief  = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
)

// payeesOnly lets an owner's wallet pay only who is in the book, and has been there for so many hours.
func payeesOnly(t *testing.T, c *railkit.Client, o apptest.Owner, coolingHours int) {
	t.Helper()
	limit(t, c, o, railkit.PolicyRules{PayeesOnly: true, PayeeCoolingHours: coolingHours})
}

// The signer says whom a rule refused to pay, and the row of the denial says it, too.
func TestSigning_DenialsNamePayees(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	added(t, c, alice, payeeOf(alice, "Carlos", carlos))
	payeesOnly(t, c, alice, 24)
	for _, d := range []struct{ to, rule, payee, detail string }{
		{thief, "payeesOnly", "", "payeesOnly: to is " + thief + ", allowed is the book of payees"},
		{carlos, "payeeCoolingHours", "Carlos", "payeeCoolingHours: to is " + carlos +
			" (payee Carlos), allowed is 24 hours after it was added to the book of payees"},
	} {
		_, err := c.Transactions.Prepare(ctx, alice.Payment(d.to, "1"))
		wantDenied(t, err, d.rule)
		var denied *railkit.Error
		errors.As(err, &denied)
		if name, ok := denied.Details["payee"]; ok != (d.payee != "") || ok && name != d.payee {
			t.Errorf("%s: the error names %v, want %q", d.rule, name, d.payee)
		}
		rows, err := c.Policies.ListDenials(ctx, alice.Wallet.WalletID, railkit.ListOptions{Limit: 1})
		if err != nil || len(rows.Items) != 1 || rows.Items[0].Payee != d.payee || rows.Items[0].Detail != d.detail {
			t.Errorf("%s: the row is %+v, %v", d.rule, rows, err)
		}
	}
}

// What waits for votes says whom it pays, in the words of the preview: an edited row of the book changes no name.
func TestSigning_ApprovalsNamePayees(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := added(t, c, alice, payeeOf(alice, "Carlos", carlos))
	yes := true
	if _, err := c.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{
		Enabled: &yes, ThresholdUSD: "1", SubOrganizationID: alice.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	edit(t, a, "UPDATE payees SET name = 'Nobody' WHERE id = $1", p.ID)
	for to, want := range map[string]string{carlos: "Carlos", thief: ""} {
		_, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(to, "5"))
		got, err := c.Approvals.Get(ctx, wantQueued(t, err).ApprovalID)
		if err != nil {
			t.Fatal(err)
		}
		by := got.Transaction.Payee
		if got.Transaction.To != to || (by == nil) != (want == "") || by != nil && (by.Name != want || by.ID != p.ID) {
			t.Errorf("to %s waits as %+v, paying %+v", to, got.Transaction, by)
		}
	}
	_, err := c.Payees.Remove(ctx, p.ID, nil)
	got, err := c.Approvals.Get(ctx, wantQueued(t, err).ApprovalID)
	if err != nil || got.Payee == nil || got.Payee.Name != "Carlos" || got.Payee.ID != p.ID {
		t.Errorf("the removal waits as %+v, %v", got, err)
	}
}

// P07: a thief with the server's database writes an address of their own into the book. The signer names nobody there,
// pays nobody there, and its statement puts the rows right.
func TestPayees_P07_RowsOfTheBookEditedInSQL(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	sub := alice.Sub.SubOrganizationID
	p := added(t, c, alice, payeeOf(alice, "Carlos", carlos))
	const another = `INSERT INTO payees SELECT workspace_id, 'thiefs', sub_organization_id, 'Ana', 'ana', chain, $1, kind,
		bank_account, added_at, removed_at, proof, seq, created_at FROM payees WHERE id = $2`
	for name, statement := range map[string]string{
		"the thief's address": "UPDATE payees SET address = $1 WHERE id = $2",
		"without the proof":   "UPDATE payees SET address = $1, proof = '' WHERE id = $2",
		"a row in addition":   another,
		"as if it were later": "UPDATE payees SET address = $1, proof = '', seq = 9000000000000000000 WHERE id = $2",
	} {
		edit(t, a, statement, thief, p.ID)
		wantUnnamed(t, c, alice, name)
		if _, err := c.Payees.List(ctx, railkit.PayeeListOptions{SubOrganizationID: sub}); !railkit.IsTampered(err) {
			t.Errorf("%s: the client takes the list: %v", name, err)
		}
		path := payees + "?proof=fresh&subOrganizationId=" + sub
		if got := a.Do(a.Keys.BenchKey, "GET", path, ""); got.Status != 200 || strings.Contains(got.Body, thief) {
			t.Errorf("%s: after a fresh proof %d %s", name, got.Status, got.Body)
		}
		if got := payeeNames(t, c, railkit.PayeeListOptions{SubOrganizationID: sub}); got != "Carlos" {
			t.Errorf("%s: the rows are not mended: %s", name, got)
		}
	}
	edit(t, a, "DELETE FROM payees WHERE workspace_id = $1", a.Keys.WorkspaceID)
	if found, err := c.Payees.Find(ctx, sub, "Carlos", "base"); err != nil || found.Address != carlos {
		t.Errorf("without rows: %+v, %v", found, err)
	}
	payeesOnly(t, c, alice, 0)
	edit(t, a, "UPDATE payees SET address = $1 WHERE id = $2", thief, p.ID)
	_, err := c.Transactions.Prepare(ctx, alice.Payment(thief, "1"))
	wantDenied(t, err, "payeesOnly")
	if _, err := c.Transactions.Prepare(ctx, alice.Payment(carlos, "1")); err != nil {
		t.Errorf("who is in the signer's book: %v", err)
	}
}

// wantUnnamed wants the signer's preview of a payment to the thief to have no name.
func wantUnnamed(t *testing.T, c *railkit.Client, o apptest.Owner, name string) {
	t.Helper()
	shown, err := c.Transactions.Prepare(ctx, o.Payment(thief, "1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, party := range shown.Shown.Counterparties {
		if party.Payee != nil || len(shown.Shown.Counterparties) != 1 {
			t.Errorf("%s: the signer shows %+v", name, party)
		}
	}
	expecting := o.Payment(thief, "1")
	expecting.ExpectPayee = "Carlos"
	if _, err := c.Transactions.Prepare(ctx, expecting); !railkit.IsTampered(err) {
		t.Errorf("%s: the client takes the thief for Carlos: %v", name, err)
	}
}

// imitating is an address that begins and ends like another one.
func imitating(t *testing.T, address string) string {
	t.Helper()
	made, err := evm.ParseAddress("0x" + strings.ToLower(address[2:8]) + strings.Repeat("0", 28) +
		strings.ToLower(address[36:]))
	if err != nil {
		t.Fatal(err)
	}
	return made.String()
}

// A history says who its counterparties are, and warns of those that look like an address the wallet has paid.
func TestSigning_HistoryNamesPayees(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice, mallory := a.Fund(c, "alice@example.com"), a.Fund(c, "mallory@example.com")
	honest := imitating(t, mallory.Address.Address)
	for _, to := range []string{honest, carlos} {
		if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(to, "5")); err != nil {
			t.Fatal(err)
		}
	}
	dust := mallory.Payment(alice.Address.Address, "0.000001")
	if _, err := c.Transactions.Send(ctx, mallory.Passkey, dust); err != nil {
		t.Fatal(err)
	}
	p := added(t, c, alice, payeeOf(alice, "Carlos", carlos))
	for _, l := range lines(t, c, alice, 4) {
		imitates := l.Counterparty == mallory.Address.Address
		if imitates != (len(l.LooksLike) == 1) || imitates && l.LooksLike[0] != (railkit.Resemblance{Address: honest}) {
			t.Errorf("%s %s: %+v", l.Type, l.Counterparty, l.LooksLike)
		}
		if is := l.Counterparty == carlos; is != (l.Payee != nil) ||
			is && *l.Payee != (railkit.NamedPayee{ID: p.ID, Name: "Carlos"}) {
			t.Errorf("%s %s: payee %+v", l.Type, l.Counterparty, l.Payee)
		}
	}
	added(t, c, alice, payeeOf(alice, "Honest", honest))
	for _, l := range lines(t, c, alice, 4) {
		if l.Counterparty == mallory.Address.Address && (len(l.LooksLike) != 1 || l.LooksLike[0].Name != "Honest") {
			t.Errorf("with a payee: %+v", l.LooksLike)
		}
	}
}

// Each user hears of a payee that was added or removed, also by votes.
func TestSigning_PayeesAreMailed(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	const email = "payees@example.com"
	alice := a.Fund(c, email)
	p := added(t, c, alice, payeeOf(alice, "Carlos", carlos))
	first := a.MailTo(email)
	if !strings.Contains(first.Text, "payee was added") || !strings.Contains(first.Text, "Name: \"Carlos\"\n") ||
		!strings.Contains(first.Text, "Network: base\n") || !strings.Contains(first.Text, "Address: "+carlos+"\n") {
		t.Errorf("of the addition:\n%s", first.Text)
	}
	_, err := c.Payees.Remove(ctx, p.ID, nil)
	if got := approve(t, a, wantQueued(t, err).ApprovalID, alice); got.Status != 201 {
		t.Fatalf("the vote: %d %s", got.Status, got.Body)
	}
	second := a.MailTo(email, first)
	if !strings.Contains(second.Text, "payee was removed") || !strings.Contains(second.Text, carlos) {
		t.Errorf("of the removal:\n%s", second.Text)
	}
	if got := count(t, a, "payee_notices WHERE workspace_id = $1", a.Keys.WorkspaceID); got != 2 {
		t.Errorf("%d notices", got)
	}
}

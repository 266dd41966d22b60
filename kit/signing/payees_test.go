package signing_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	payees = "/v1/signing/payees"
	ana    = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
)

func payeeOf(o apptest.Owner, name, address string) railkit.PayeeRequest {
	return railkit.PayeeRequest{
		SubOrganizationID: o.Sub.SubOrganizationID, Name: name, Network: "base", Address: address,
		Kind: railkit.WalletPayee,
	}
}

// added adds a payee under its owner's stamp.
func added(t *testing.T, c *railkit.Client, o apptest.Owner, req railkit.PayeeRequest) *railkit.Payee {
	t.Helper()
	req.SignedActivity = stampedBy(t, o)(c.Payees.Prepare(ctx, req))
	p, err := c.Payees.Add(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// payeeNames are the names that the server lists, newest first.
func payeeNames(t *testing.T, c *railkit.Client, o railkit.PayeeListOptions) string {
	t.Helper()
	page, err := c.Payees.List(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range page.Items {
		names = append(names, p.Name)
	}
	if o.Limit == 0 && page.Meta.Total != len(names) {
		t.Errorf("a total of %d, and %v", page.Meta.Total, names)
	}
	return strings.Join(names, ", ")
}

// The three forms of both changes, and what each of them lets happen.
func TestSigning_PayeeStory(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	stamp := stampedBy(t, alice)

	req := payeeOf(alice, "Ana at Banorte", strings.ToLower(ana))
	req.Kind = railkit.BankAccountPayee
	req.BankAccount = &railkit.PayeeBankAccount{Owner: "Ana Ruiz", Bank: "Banorte", LastFour: "9719", Currency: "mxn"}
	p := added(t, c, alice, req)
	if p.Address != ana || p.Network != "base" || p.Status != "active" || p.Kind != railkit.BankAccountPayee ||
		p.BankAccount == nil || p.BankAccount.Currency != "MXN" || p.SubOrganizationID != req.SubOrganizationID {
		t.Errorf("added %+v", p)
	}
	_, err := c.Payees.Add(ctx, payeeOf(alice, "Bea", receiver))
	id := wantQueued(t, err).ApprovalID
	if got := payeeNames(t, c, railkit.PayeeListOptions{}); got != "Ana at Banorte" {
		t.Errorf("before the vote: %s", got)
	}
	if got := approve(t, a, id, alice); got.Status != 201 {
		t.Fatalf("the vote: %d %s", got.Status, got.Body)
	}
	for want, o := range map[string]railkit.PayeeListOptions{
		"Bea, Ana at Banorte": {SubOrganizationID: alice.Sub.SubOrganizationID, Network: "base"},
		"Bea":                 {Address: strings.ToLower(receiver)},
		"Ana at Banorte":      {Search: "BANO"},
		"":                    {Network: "polygon"},
	} {
		if got := payeeNames(t, c, o); got != want {
			t.Errorf("%+v lists %q, want %q", o, got, want)
		}
	}

	_, err = c.Payees.Remove(ctx, p.ID, nil)
	wantQueued(t, err)
	signed := stamp(c.Payees.PrepareRemoval(ctx, p.ID))
	for range 2 { // the same stamp again gets the same answer
		gone, err := c.Payees.Remove(ctx, p.ID, signed)
		if err != nil || gone.Status != "removed" || gone.RemovedAt == "" {
			t.Fatalf("removed: %+v, %v", gone, err)
		}
	}
	if _, err := c.Payees.Remove(ctx, p.ID, nil); !railkit.IsNotFound(err) {
		t.Errorf("a second removal: %v", err)
	}
	if got, err := c.Payees.Get(ctx, p.ID); err != nil || got.Status != "removed" || got.Name != "Ana at Banorte" {
		t.Errorf("the removed one: %+v, %v", got, err)
	}
	if got := payeeNames(t, c, railkit.PayeeListOptions{}); got != "Bea" {
		t.Errorf("left: %s", got)
	}
	book, err := c.Payees.Book(ctx, alice.Sub.SubOrganizationID)
	if err != nil || len(book) != 1 || book[0].Name != "Bea" || book[0].Address != receiver {
		t.Errorf("the enclave's book: %+v, %v", book, err)
	}
	for action, want := range map[string]int{"payee.add": 1, "payee.remove": 2, "payee.add.queue": 1} {
		got := count(t, a, "audit WHERE workspace_id = $1 AND action = $2", a.Keys.WorkspaceID, action)
		if got != want {
			t.Errorf("%d rows of audit say %s, want %d", got, action, want)
		}
	}
}

// A name that can be mistaken for another one, and a second name of an address, are refused by the field.
func TestSigning_PayeeNamesAndAddressesAreOne(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := added(t, c, alice, payeeOf(alice, "Paypal", ana))
	for field, req := range map[string]railkit.PayeeRequest{
		"name":    payeeOf(alice, "PаypaI", receiver), // a Cyrillic a, a capital i
		"address": payeeOf(alice, "Somebody else", strings.ToLower(ana)),
	} {
		got := a.Do(a.Keys.BenchKey, "POST", payees+"?prepare=true", apptest.JSON(t, req))
		wantError(t, got, 422, "payee_"+field+"_taken")
		if message := fmt.Sprint(got.Field("message")); !strings.HasPrefix(message, field+" ") {
			t.Errorf("%s is not named: %s", field, message)
		}
	}
	elsewhere := payeeOf(alice, "Paypal on Polygon", ana)
	elsewhere.Network = "polygon"
	added(t, c, alice, elsewhere)
	if _, err := c.Payees.Remove(ctx, p.ID, stampedBy(t, alice)(c.Payees.PrepareRemoval(ctx, p.ID))); err != nil {
		t.Fatal(err)
	}
	added(t, c, alice, payeeOf(alice, "PAYPAL", receiver))
}

// Every wrong input is refused by the name of its field.
func TestSigning_PayeeInputs(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	bank := map[string]any{"owner": "Ana", "bank": "Banorte", "lastFour": "9719", "currency": "MXN"}
	with := func(change ...any) map[string]any {
		body := map[string]any{"name": "Ana", "network": "base", "address": ana, "kind": "wallet"}
		for i := 0; i < len(change); i += 2 {
			if body[change[i].(string)] = change[i+1]; change[i+1] == nil {
				delete(body, change[i].(string))
			}
		}
		return body
	}
	account := func(field string, value any) map[string]any {
		other := map[string]any{"owner": "Ana", "bank": "Banorte", "lastFour": "9719", "currency": "MXN", field: value}
		return with("kind", "bank_account", "bankAccount", other)
	}
	for _, tc := range []struct {
		body  map[string]any
		field string
	}{
		{with("name", nil), "name"}, {with("name", " "), "name"}, {with("name", "A\u200bna"), "name"},
		{with("name", strings.Repeat("a", 101)), "name"},
		{with("network", nil), "network"}, {with("network", "moon"), "network"},
		{with("network", "base", "chain", "base"), "network"},
		{with("address", nil), "address"}, {with("address", "ana"), "address"},
		{with("address", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293Bc"), "address"},
		{with("address", "0x"+strings.Repeat("0", 40)), "address"},
		{with("kind", nil), "kind"}, {with("kind", "friend"), "kind"},
		{with("bankAccount", bank), "bankAccount"}, {with("kind", "contract", "bankAccount", bank), "bankAccount"},
		{with("kind", "bank_account"), "bankAccount"},
		{account("owner", ""), "bankAccount.owner"}, {account("bank", "a\nb"), "bankAccount.bank"},
		{account("lastFour", "97190"), "bankAccount.lastFour"}, {account("currency", "MX"), "bankAccount.currency"},
		{with("subOrganizationId", strings.Repeat("x", 65)), "subOrganizationId"},
	} {
		got := a.Do(a.Keys.BenchKey, "POST", payees+"?prepare=true", apptest.JSON(t, tc.body))
		message := fmt.Sprint(got.Field("message"))
		if got.Status != 400 || !strings.Contains(message, tc.field+" ") {
			t.Errorf("%v: %d %s, want 400 naming %s", tc.body, got.Status, got.Body, tc.field)
		}
	}
	aliased := with("network", nil, "chain", "base", "subOrganizationId", alice.Sub.SubOrganizationID)
	if got := a.Do(a.Keys.BenchKey, "POST", payees+"?prepare=true", apptest.JSON(t, aliased)); got.Status != 200 {
		t.Errorf("chain in the place of network: %d %s", got.Status, got.Body)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "GET", payees+"?address=ana", ""), 400, "validation_failed")
}

// A stamp is good for the payee that was shown, and for no other call.
func TestSigning_A01_PayeeStampForAnotherCall(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	req := payeeOf(alice, "Ana", ana)
	signed := stampedBy(t, alice)(c.Payees.Prepare(ctx, req))
	for name, other := range map[string]railkit.PayeeRequest{
		"address": payeeOf(alice, "Ana", receiver), "name": payeeOf(alice, "Bea", ana),
		"owner": payeeOf(a.Register(c, "bob@example.com"), "Ana", ana),
	} {
		other.SignedActivity = signed
		t.Run(name, func(t *testing.T) {
			wantError(t, a.Do(a.Keys.BenchKey, "POST", payees, apptest.JSON(t, other)), 422, "stamped_body_differs")
		})
	}
	req.SignedActivity = signed
	p, err := c.Payees.Add(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	away := apptest.JSON(t, map[string]any{"signedActivity": signed})
	wantError(t, a.Do(a.Keys.BenchKey, "DELETE", payees+"/"+p.ID, away), 422, "stamped_body_differs")
}

// With approvals on a stamp is one vote, and the payee is added by the last one.
func TestSigning_PayeeWaitsForVotes(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	req := payeeOf(k.alice, "Ana", ana)
	req.SignedActivity = stampedBy(t, k.alice)(k.c.Payees.Prepare(ctx, req))
	_, err := k.c.Payees.Add(ctx, req)
	id := wantQueued(t, err).ApprovalID
	if seen := k.votes(id, k.bob); seen.Status != "pending" && seen.Status != "approved" {
		t.Fatalf("after bob's vote: %+v", seen)
	}
	if seen := approvalOf(t, k.App, id); seen.Status == "pending" {
		k.votes(id, k.alice)
	}
	if got := payeeNames(t, k.c, railkit.PayeeListOptions{}); got != "Ana" {
		t.Errorf("after the votes: %q", got)
	}
}

// Of callers at once with one name one wins; the others are told who has it.
func TestSigning_PayeesOfOneNameAtOnce(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	stamp := stampedBy(t, alice)
	var bodies [8]string
	for i := range bodies {
		req := payeeOf(alice, "Ana", fmt.Sprintf("0x%040x", 0xa0000+i))
		req.SignedActivity = stamp(c.Payees.Prepare(ctx, req))
		bodies[i] = apptest.JSON(t, req)
	}
	var answers [len(bodies)]apptest.Answer
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { answers[i] = a.Do(a.Keys.BenchKey, "POST", payees, body) })
	}
	wg.Wait()
	won := 0
	for _, got := range answers {
		if got.Status == http.StatusCreated {
			won++
			continue
		}
		wantError(t, got, 422, "payee_name_taken")
	}
	if got := payeeNames(t, c, railkit.PayeeListOptions{}); won != 1 || got != "Ana" {
		t.Errorf("%d won, and the list has %s", won, got)
	}
}

// A list goes on at its cursor and at its page.
func TestSigning_PayeePages(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for i, name := range []string{"Ana", "Bea", "Cleo"} {
		added(t, c, alice, payeeOf(alice, name, fmt.Sprintf("0x%040x", 0xb0000+i)))
	}
	var walked []string
	for p, err := range c.Payees.All(ctx, railkit.PayeeListOptions{ListOptions: railkit.ListOptions{Limit: 2}}) {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, p.Name)
	}
	if got := strings.Join(walked, ", "); got != "Cleo, Bea, Ana" {
		t.Errorf("all: %s", got)
	}
	second := railkit.PayeeListOptions{ListOptions: railkit.ListOptions{Limit: 2, Page: 2}}
	if got := payeeNames(t, c, second); got != "Ana" {
		t.Errorf("the second page: %s", got)
	}
}

// The signer has added the payee, and the server could not write it: the sweep does.
func TestSigning_PayeeSweptAfterACrash(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)))
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	req := payeeOf(alice, "Ana", ana)
	req.SignedActivity = stampedBy(t, alice)(c.Payees.Prepare(ctx, req))
	allow := refuse(t, a, "INSERT", "payees", "")
	wantError(t, a.Do(a.Keys.BenchKey, "POST", payees, apptest.JSON(t, req)), 500, "internal")
	allow()
	if got := payeeNames(t, c, railkit.PayeeListOptions{}); got != "" {
		t.Fatalf("before the sweep: %s", got)
	}
	late.forward(sweepTime)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if got := payeeNames(t, c, railkit.PayeeListOptions{}); got != "Ana" {
		t.Errorf("after the sweep: %q", got)
	}
	if p, err := c.Payees.Add(ctx, req); err != nil || p.Name != "Ana" {
		t.Errorf("the same stamp again: %+v, %v", p, err)
	}
}

// Rows decide nothing: whatever the host wrote, a fresh proof puts the enclave's book in its place.
func TestSigning_PayeeRowsAreMended(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	sub := alice.Sub.SubOrganizationID
	p := added(t, c, alice, payeeOf(alice, "Ana", ana))
	gone := added(t, c, alice, payeeOf(alice, "Bea", receiver))
	if _, err := c.Payees.Remove(ctx, gone.ID, stampedBy(t, alice)(c.Payees.PrepareRemoval(ctx, gone.ID))); err != nil {
		t.Fatal(err)
	}
	for name, statement := range map[string]string{
		"deleted":             "DELETE FROM payees WHERE workspace_id = $1",
		"another address":     "UPDATE payees SET address = '0x00000000000000000000000000000000000000dE' WHERE workspace_id = $1",
		"another name":        "UPDATE payees SET name = 'Eve', folded_name = 'eve' WHERE workspace_id = $1",
		"removed":             "UPDATE payees SET removed_at = '2026-01-01T00:00:00.000Z' WHERE workspace_id = $1",
		"in the book again":   "UPDATE payees SET removed_at = '' WHERE workspace_id = $1",
		"of an older word":    "UPDATE payees SET seq = 1, kind = 'contract' WHERE workspace_id = $1",
		"a bank account":      "UPDATE payees SET bank_account = '{\"owner\":\"Eve\"}' WHERE workspace_id = $1",
		"a broken account":    "UPDATE payees SET bank_account = '{' WHERE workspace_id = $1",
		"of somebody else":    "UPDATE payees SET sub_organization_id = 'nobody' WHERE workspace_id = $1",
		"another time":        "UPDATE payees SET created_at = 1, added_at = '1970-01-01T00:00:00Z' WHERE workspace_id = $1",
		"on another network":  "UPDATE payees SET chain = 'polygon' WHERE workspace_id = $1",
		"name and removal":    "UPDATE payees SET name = 'Eve', removed_at = '2026' WHERE workspace_id = $1",
		"nothing is an event": "UPDATE payees SET seq = seq WHERE workspace_id = $1",
	} {
		edit(t, a, statement, a.Keys.WorkspaceID)
		book, err := c.Payees.Book(ctx, sub)
		if err != nil || len(book) != 1 || book[0].ID != p.ID {
			t.Fatalf("%s: the book has %+v, %v", name, book, err)
		}
		if got := payeeNames(t, c, railkit.PayeeListOptions{SubOrganizationID: sub}); got != "Ana" {
			t.Errorf("%s: the list has %q", name, got)
		}
		got, err := c.Payees.Get(ctx, p.ID)
		if err != nil || got.Address != ana || got.Network != "base" || got.Kind != railkit.WalletPayee ||
			got.BankAccount != nil || got.CreatedAt != p.CreatedAt {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A row of a payee that the signer's book no longer has is none: the signer says so, and a fresh proof removes it.
func TestSigning_PayeeThatOnlyTheRowsHave(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := added(t, c, alice, payeeOf(alice, "Ana", ana))
	submit(t, a, alice, wire.RemovePayee, wire.RemovePayeeParams{PayeeID: p.ID})
	for _, form := range []string{"", "?prepare=true"} {
		wantError(t, a.Do(a.Keys.BenchKey, "DELETE", payees+"/"+p.ID+form, ""), 404, "payee_unknown")
	}
	got := a.Do(a.Keys.BenchKey, "GET", payees+"/"+p.ID+"?proof=fresh", "")
	var seen railkit.Payee
	if err := got.Into(&seen); err != nil || seen.Status != "removed" || seen.Proof == nil {
		t.Errorf("with a fresh proof: %d %s, %v", got.Status, got.Body, err)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "DELETE", payees+"/"+p.ID, ""), 404, "not_found")
}

// Before it is mended, a client sees through a row that its host has edited.
func TestSigning_EditedPayeeIsRefused(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := added(t, c, alice, payeeOf(alice, "Ana", ana))
	edit(t, a, "UPDATE payees SET address = $1 WHERE id = $2", receiver, p.ID)
	if _, err := c.Payees.Get(ctx, p.ID); !railkit.IsTampered(err) {
		t.Errorf("the payee: %v", err)
	}
	edit(t, a, "UPDATE payees SET proof = '' WHERE id = $1", p.ID)
	if _, err := c.Payees.Get(ctx, p.ID); !railkit.IsTampered(err) {
		t.Errorf("without a proof: %v", err)
	}
	if _, err := c.Payees.Get(ctx, p.ID); err != nil {
		t.Errorf("which had it mended: %v", err)
	}
}

// A payee of another workspace is none.
func TestSigning_PayeesOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := added(t, c, alice, payeeOf(alice, "Ana", ana))
	other := apptest.Shared(t)
	for _, call := range [][2]string{
		{"GET", payees + "/" + p.ID}, {"GET", payees + "/" + p.ID + "?proof=fresh"}, {"DELETE", payees + "/" + p.ID},
		{"DELETE", payees + "/" + p.ID + "?prepare=true"},
		{"GET", payees + "?subOrganizationId=" + p.SubOrganizationID},
		{"GET", payees + "?proof=fresh&subOrganizationId=" + p.SubOrganizationID},
	} {
		wantError(t, other.Do(other.Keys.BenchKey, call[0], call[1], ""), 404, "not_found")
	}
	if got := payeeNames(t, other.Client(), railkit.PayeeListOptions{}); got != "" {
		t.Errorf("it lists %s", got)
	}
}

// The kit finds names for addresses, of those in the book.
func TestSigning_PayeeNames(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	added(t, c, alice, payeeOf(alice, "Ana", ana))
	gone := added(t, c, alice, payeeOf(alice, "Bea", receiver))
	submit(t, a, alice, wire.RemovePayee, wire.RemovePayeeParams{PayeeID: gone.ID})
	if _, err := c.Payees.Book(ctx, alice.Sub.SubOrganizationID); err != nil {
		t.Fatal(err)
	}
	book, err := a.Signing.Payees.Names(ctx, a.Keys.WorkspaceID, alice.Sub.SubOrganizationID)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := book.Find("base", strings.ToLower(ana)); !ok || p.Name != "Ana" {
		t.Errorf("found %+v", p)
	}
	for _, at := range [][2]string{{"polygon", ana}, {"base", receiver}, {"base", alice.Address.Address}} {
		if p, ok := book.Find(at[0], at[1]); ok {
			t.Errorf("%v is %+v", at, p)
		}
	}
}

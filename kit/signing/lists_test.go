package signing_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// listed is what a list answers, by id.
type listed struct {
	ids  []string
	next string
	page int
	all  int
}

func list(t *testing.T, a *apptest.App, key, path string) listed {
	t.Helper()
	got := a.Do(key, "GET", path, "")
	if got.Status != 200 {
		t.Fatalf("%s: %d %s", path, got.Status, got.Body)
	}
	var body struct {
		Data []struct{ ID, TransactionID string }
		Meta struct {
			Page, Total int
			NextCursor  string
		}
	}
	if err := json.Unmarshal([]byte(got.Body), &body); err != nil {
		t.Fatal(err)
	}
	if body.Data == nil {
		t.Fatalf("%s: data is no list in %s", path, got.Body)
	}
	l := listed{[]string{}, body.Meta.NextCursor, body.Meta.Page, body.Meta.Total}
	for _, i := range body.Data {
		l.ids = append(l.ids, i.ID+i.TransactionID)
	}
	return l
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestSigning_Lists(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	_, stranger := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	key := a.Keys.BenchKey
	var sent []string // newest first
	for range 3 {
		tx, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1"))
		if err != nil {
			t.Fatal(err)
		}
		sent = append([]string{tx.TransactionID}, sent...)
	}
	all := "/v1/signing/wallets/" + alice.Wallet.WalletID + "/transactions?"
	history := all + "direction=out&"
	for _, path := range []string{"/v1/transactions/sign?", history} {
		first := list(t, a, key, path+"limit=2")
		same(t, path, first.ids, sent[:2])
		rest := list(t, a, key, path+"limit=2&cursor="+url.QueryEscape(first.next))
		same(t, path+" by cursor", rest.ids, sent[2:])
		if rest.next != "" || rest.all != 3 {
			t.Errorf("%s: the last page says %+v", path, rest)
		}
		second := list(t, a, key, path+"limit=2&page=2")
		same(t, path+" page 2", second.ids, sent[2:])
		offset := list(t, a, key, path+"limit=2&offset=2")
		same(t, path+" offset 2", offset.ids, sent[2:])
		if second.page != 2 || offset.page != 2 {
			t.Errorf("%s: pages %d and %d", path, second.page, offset.page)
		}
		same(t, path+" beyond", list(t, a, key, path+"page=9").ids, []string{})
		wantError(t, a.Do(key, "GET", path+"page=2&offset=2", ""), 400, "validation_failed")
		for _, bad := range []string{"limit=0", "limit=201", "limit=x", "offset=-1", "limit=1&limit=2"} {
			wantError(t, a.Do(key, "GET", path+bad, ""), 400, "validation_failed")
		}
	}
	oldest := list(t, a, key, history+"limit=2&sortDir=asc")
	same(t, "oldest first", oldest.ids, []string{sent[2], sent[1]})
	same(t, "and on", list(t, a, key, history+"limit=2&sortDir=asc&cursor="+url.QueryEscape(oldest.next)).ids, sent[:1])
	same(t, "incoming", list(t, a, key, all+"direction=in&status=failed").ids, []string{})
	same(t, "outgoing", list(t, a, key, history).ids, sent)
	a.Register(c, "bob@example.com")
	const passkeys = "/v1/signing/passkeys?"
	oldKey := list(t, a, key, passkeys+"limit=1")
	newKey := list(t, a, key, passkeys+"limit=1&cursor="+url.QueryEscape(oldKey.next))
	same(t, "passkeys by e-mail", list(t, a, key, passkeys+"email=Bob@example.com").ids, newKey.ids)
	same(t, "of nobody", list(t, a, key, passkeys+"email=nobody@example.com").ids, []string{})
	if oldKey.all != 2 || slices.Equal(oldKey.ids, newKey.ids) {
		t.Errorf("two pages of passkeys: %+v, %+v", oldKey, newKey)
	}
	if _, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "1")); err != nil {
		t.Fatal(err)
	}
	same(t, "those with a signature", list(t, a, key, "/v1/transactions/sign?limit=9").ids, sent)
	unsigned := list(t, a, key, "/v1/transactions/sign?status=awaiting_signature,confirmed,broadcast,pending")
	if unsigned.all != len(sent)+1 {
		t.Errorf("with a status: %+v", unsigned)
	}
	foreign := list(t, a, stranger, "/v1/transactions/sign?cursor="+url.QueryEscape(oldest.next))
	same(t, "a cursor of another workspace", foreign.ids, []string{})
}

func TestSigning_WalletLists(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	key := a.Keys.BenchKey
	empty := list(t, a, key, "/v1/signing/wallets")
	if len(empty.ids) != 0 || empty.next != "" || empty.all != 0 || empty.page != 1 {
		t.Errorf("no wallets: %+v", empty)
	}
	alice := a.Register(c, "alice@example.com")
	var made []string
	for i := range 3 {
		w, err := c.Wallets.Create(
			ctx, alice.Passkey, railkit.PrepareWalletRequest{WalletName: fmt.Sprintf("W%d", i), Chain: "base"},
		)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Addresses) != 1 {
			t.Errorf("addresses = %+v", w.Addresses)
		}
		made = append([]string{w.ID}, made...)
	}
	first := list(t, a, key, "/v1/signing/wallets?limit=2")
	same(t, "newest first", first.ids, made[:2])
	same(
		t, "by cursor", list(t, a, key, "/v1/signing/wallets?limit=2&cursor="+url.QueryEscape(first.next)).ids,
		made[2:],
	)
	named := list(t, a, key, "/v1/signing/wallets?limit=2&sortBy=name&sortDir=asc")
	same(t, "by name", named.ids, []string{made[2], made[1]})
	if named.next != "" {
		t.Error("a cursor by time for a list by name")
	}
	wantError(
		t, a.Do(key, "GET", "/v1/signing/wallets?sortBy=name&cursor="+url.QueryEscape(first.next), ""), 400,
		"validation_failed",
	)
	page, err := c.Wallets.List(ctx, railkit.WalletListOptions{})
	if err != nil || len(page.Items) != 3 {
		t.Fatal(page, err)
	}
	for _, w := range page.Items {
		if len(w.Addresses) != 1 {
			t.Errorf("%s: addresses = %+v", w.WalletName, w.Addresses)
		}
	}
}

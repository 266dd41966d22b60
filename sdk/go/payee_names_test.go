package railkit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// ana is a payee with the address of the receiver.
func (w *world) ana() railkit.PayeeRequest {
	return railkit.PayeeRequest{
		SubOrganizationID: w.reg.SubOrganizationID, Name: "Ana", Network: "base", Address: receiver,
		Kind: railkit.WalletPayee,
	}
}

// A program that expects a name gets a body for that name's address, or an error.
func TestTamperedPrepare_ExpectedPayee(t *testing.T) {
	under(t, "POST /v1/transactions/prepare", func(w *world) []attack {
		named := func(change func(*wire.Preview)) func(object) {
			return func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
			}
		}
		return []attack{
			{"no name", railkit.ReasonPreview, named(func(p *wire.Preview) { p.Counterparties[0].Payee = nil })},
			{"nobody", railkit.ReasonPreview, named(func(p *wire.Preview) { p.Counterparties = nil })},
			{"a like name", railkit.ReasonPreview,
				named(func(p *wire.Preview) { p.Counterparties[0].Payee.Name = "ana" })},
			{"the name on another network", railkit.ReasonPreview,
				named(func(p *wire.Preview) { p.Counterparties[0].Payee.Chain = "polygon" })},
			{"the name of another address", railkit.ReasonPreview,
				named(func(p *wire.Preview) { p.Counterparties[0].Address = thief })},
			{"another address of the name", railkit.ReasonPreview,
				named(func(p *wire.Preview) { p.Counterparties[0].Payee.Address = thief })},
		}
	}, func(t *testing.T, w *world) func() error {
		req := transfer(w.payer(t).Address)
		req.ExpectPayee = "Ana"
		w.addPayee(t, w.ana())
		return func() error {
			_, err := w.client.Transactions.Prepare(t.Context(), req)
			return err
		}
	})
}

// A server that answers a thief's address as Ana's gets no stamp from a program that expects Ana.
func TestExpectPayee_AnotherAddress(t *testing.T) {
	w := newWorld(t)
	req := transfer(w.payer(t).Address)
	w.addPayee(t, w.ana())
	req.To, req.ExpectPayee = thief, "Ana"
	_, err := w.client.Transactions.Send(t.Context(), w.pk, req)
	wantReason(t, "another address", err, railkit.ReasonPreview)
	for what, refused := range map[string]func() error{
		"without the enclave's key": func() error {
			c := w.newClient(t, func(c *railkit.Config) { c.EnclaveKey, c.InsecureSkipProofs = "", true })
			_, err := c.Transactions.Prepare(t.Context(), req)
			return err
		},
		"for a key outside": func() error {
			_, err := w.client.Transactions.PrepareExternal(t.Context(), req)
			return err
		},
	} {
		if err := refused(); err == nil || !strings.Contains(err.Error(), "ExpectPayee") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Who has no account for the token yet gets the rent for one as well: all of it goes to the expected payee.
func TestExpectPayee_WithRent(t *testing.T) {
	w := newSolWorld(t)
	ana := w.ana()
	ana.Network, ana.Address = "solana", solPayee
	w.addPayee(t, ana)
	req := w.pays("1")
	req.PayAgain, req.ExpectPayee = true, "Ana"
	prepare := func() error {
		_, err := w.client.Transactions.Prepare(t.Context(), req)
		return err
	}
	if err := prepare(); err != nil {
		t.Fatal(err)
	}
	const pattern = "POST /v1/transactions/prepare"
	for name, change := range map[string]func(*wire.Preview){
		"nothing shown":          func(p *wire.Preview) { p.Effects = nil },
		"the rent for another":   func(p *wire.Preview) { p.Effects[0].To = solOther },
		"the tokens for another": func(p *wire.Preview) { p.Effects[1].To = solOther },
		"an allowance besides":   func(p *wire.Preview) { p.Effects[0].Kind = chain.Approve },
		"no name":                func(p *wire.Preview) { p.Counterparties[0].Payee = nil },
	} {
		w.host.On(pattern, onData(func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
		}))
		wantReason(t, name, prepare(), railkit.ReasonPreview)
		w.host.On(pattern)
	}
	req.To = solOther
	wantReason(t, "another address", prepare(), railkit.ReasonPreview)
}

// What waits names whom it pays in the enclave's words, and nobody beside.
func TestTamperedApproval_Payee(t *testing.T) {
	under(t, "GET /v1/signing/approvals/{id}", func(w *world) []attack {
		mallory := object{"id": "m", "name": "Mallory"}
		return []attack{
			{"another receiver", railkit.ReasonPreview,
				func(d object) { d["transaction"].(object)["payee"] = mallory }},
			{"another address", railkit.ReasonPreview, func(d object) { d["transaction"].(object)["to"] = thief }},
			{"no preview", railkit.ReasonProof, func(d object) { delete(d, "preview") }},
			{"another's preview", railkit.ReasonFingerprint, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) {
					st.Fingerprint = railkit.Fingerprint("another")
				})
			}},
			{"a payee beside the transaction", railkit.ReasonResult, func(d object) { d["payee"] = mallory }},
		}
	}, func(t *testing.T, w *world) func() error {
		req := transfer(w.payer(t).Address)
		w.addPayee(t, w.ana())
		yes := true
		if _, err := w.client.Approvals.UpdateConfig(t.Context(), railkit.ApprovalConfigRequest{
			Enabled: &yes, ThresholdUSD: "0", SubOrganizationID: w.reg.SubOrganizationID,
		}); err != nil {
			t.Fatal(err)
		}
		_, err := w.client.Transactions.Send(t.Context(), w.pk, req)
		var queued *railkit.QueuedError
		if !errors.As(err, &queued) {
			t.Fatal(err)
		}
		return func() error {
			a, err := w.client.Approvals.Get(t.Context(), queued.ApprovalID)
			if err == nil && (a.Transaction.Payee == nil || a.Transaction.Payee.Name != "Ana") {
				t.Errorf("it pays %+v", a.Transaction.Payee)
			}
			return err
		}
	})
}

// Find knows a name exactly, on its own network.
func TestFindPayee(t *testing.T) {
	w := newWorld(t)
	sub := w.register(t).SubOrganizationID
	w.addPayee(t, w.ana())
	p, err := w.client.Payees.Find(t.Context(), sub, "Ana", "base")
	if err != nil || !strings.EqualFold(p.Address, receiver) {
		t.Fatalf("found %+v, %v", p, err)
	}
	for _, other := range [][2]string{{"ana", "base"}, {"Ana", "polygon"}} {
		if _, err := w.client.Payees.Find(t.Context(), sub, other[0], other[1]); !errors.Is(err, railkit.ErrNoPayee) {
			t.Errorf("%v: %v", other, err)
		}
	}
}

// The lines that a program shows beside a preview.
func TestCounterparties(t *testing.T) {
	shown := &railkit.Preview{Chain: "base", Counterparties: []wire.Counterparty{
		{Address: "0xA", Payee: &wire.Payee{
			Name: "Ana", BankAccount: &wire.PayeeBankAccount{Owner: "Ana Ruiz", Bank: "Banorte", LastFour: "9719"},
		}},
		{Address: "0xB", OwnWallet: "Savings"},
		{Address: "0xC", LooksLike: []wire.Resemblance{{Name: "Ana", Address: "0xA"}}},
		{
			Address: "0xD", Elsewhere: []wire.Payee{{Name: "Eve", Chain: "polygon"}},
			Was: &wire.Payee{Name: "Bob", RemovedAt: "2026-11-23T15:00:00.000Z"},
		},
		{Address: "0xE", Known: &chain.Known{Kind: chain.KnownVenue, Name: "the router of uniswap"}},
	}}
	want := "Ana: 0xA on base, bank account 9719 of Ana Ruiz at Banorte\n" +
		"own wallet Savings: 0xB\n" +
		"0xC: not in the book of payees; looks like Ana, 0xA, and is another address\n" +
		"0xD: not in the book of payees; is the payee Eve on polygon, and none on base; " +
		"was the payee Bob until 2026-11-23T15:00:00.000Z\n" +
		"0xE: not in the book of payees; WARNING: it is the router of uniswap, " +
		"which gives nothing back of a plain transfer"
	if got := strings.Join(railkit.Counterparties(shown), "\n"); got != want {
		t.Errorf("said:\n%s", got)
	}
}

package railkit_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
)

// banorte is a payee with everything, for the world's sub-organization.
func (w *world) banorte() railkit.PayeeRequest {
	return railkit.PayeeRequest{
		SubOrganizationID: w.reg.SubOrganizationID, Name: "Ana at Banorte", Network: "base", Address: receiver,
		Kind: railkit.BankAccountPayee, BankAccount: &railkit.PayeeBankAccount{
			Owner: "Ana Ruiz", Bank: "Banorte", LastFour: "9719", Currency: "mxn",
		},
	}
}

// addPayee adds a payee under the owner's stamp.
func (w *world) addPayee(t *testing.T, req railkit.PayeeRequest) *railkit.Payee {
	t.Helper()
	p, err := w.client.Payees.Prepare(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := p.Stamp(w.pk)
	if err != nil {
		t.Fatal(err)
	}
	req.SignedActivity = &signed
	made, err := w.client.Payees.Add(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestPayees(t *testing.T) {
	w := newWorld(t)
	w.register(t)
	p := w.addPayee(t, w.banorte())
	if p.Status != "active" || p.BankAccount.Currency != "MXN" || p.Proof == nil {
		t.Errorf("added %+v", p)
	}
	if got, err := w.client.Payees.Get(t.Context(), p.ID); err != nil || got.Name != p.Name {
		t.Errorf("got %+v, %v", got, err)
	}
	book, err := w.client.Payees.Book(t.Context(), w.reg.SubOrganizationID)
	if err != nil || len(book) != 1 || book[0].ID != p.ID {
		t.Fatalf("the book has %+v, %v", book, err)
	}
	away, err := w.client.Payees.PrepareRemoval(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := away.Stamp(w.pk)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := w.client.Payees.Remove(t.Context(), p.ID, &signed)
	if err != nil || gone.Status != "removed" {
		t.Fatalf("removed: %+v, %v", gone, err)
	}
	if book, err = w.client.Payees.Book(t.Context(), w.reg.SubOrganizationID); err != nil || len(book) != 0 {
		t.Errorf("the book still has %+v, %v", book, err)
	}
}

// onPayee changes what the enclave says of a payee, and has its own key sign that.
func onPayee(w *world, field string, change func(*wire.Payee)) func(object) {
	return func(d object) {
		d[field] = w.again(d[field], func(st *wire.Statement) {
			if st.Preview != nil && st.Preview.Payee != nil {
				change(st.Preview.Payee)
			}
			if st.Result != nil && st.Result.Payee != nil {
				change(st.Result.Payee)
			}
		})
	}
}

// inBody puts one text of the body in the place of another.
func inBody(w *world, old, other string) func(object) {
	return func(d object) { w.rebody(d, func(body string) string { return strings.ReplaceAll(body, old, other) }) }
}

const thief = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

func TestTamperedPayee_Prepared(t *testing.T) {
	under(t, "POST /v1/signing/payees", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult),
			attack{"another address in the body", railkit.ReasonBody, inBody(w, receiver, thief)},
			attack{"another name in the body", railkit.ReasonBody, inBody(w, "Ana at Banorte", "Ana at Banco")},
			attack{"another bank account in the body", railkit.ReasonBody, inBody(w, "9719", "9710")},
			attack{"another address in the preview", railkit.ReasonPreview,
				onPayee(w, "preview", func(p *wire.Payee) { p.Address = thief })},
			attack{"no payee in the preview", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.Payee = nil })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		w.register(t)
		return func() error { _, err := w.client.Payees.Prepare(t.Context(), w.banorte()); return err }
	})
}

func TestTamperedPayee_Added(t *testing.T) {
	under(t, "POST /v1/signing/payees", func(w *world) []attack {
		return append(append(proofAttacks(w, "proof", wire.KindPreview), payeeAttacks(w)...),
			attack{"both say another address", railkit.ReasonResult, func(d object) {
				d["address"] = thief
				onPayee(w, "proof", func(p *wire.Payee) { p.Address = thief })(d)
			}},
			attack{"both say another bank account", railkit.ReasonResult, func(d object) {
				d["bankAccount"].(object)["lastFour"] = "9710"
				onPayee(w, "proof", func(p *wire.Payee) { p.BankAccount.LastFour = "9710" })(d)
			}},
			attack{"a proof of another body", railkit.ReasonFingerprint, func(d object) {
				other := railkit.Fingerprint("{}")
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Fingerprint = other })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		w.register(t)
		req := w.banorte()
		p, err := w.client.Payees.Prepare(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := p.Stamp(w.pk)
		if err != nil {
			t.Fatal(err)
		}
		req.SignedActivity = &signed
		return func() error { _, err := w.client.Payees.Add(t.Context(), req); return err }
	})
}

// payeeAttacks change one member of a payee each, beside its proof.
func payeeAttacks(w *world) []attack {
	all := []attack{
		{"another bank", railkit.ReasonResult, func(d object) { d["bankAccount"].(object)["bank"] = "Banco" }},
		{"no bank account", railkit.ReasonResult, func(d object) { delete(d, "bankAccount") }},
		{"no payee in the proof", railkit.ReasonResult, func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Payee = nil })
		}},
	}
	for field, value := range map[string]any{
		"id": "p", "name": "Ana at Banco", "network": "polygon", "address": thief, "kind": "wallet",
		"status": "removed", "subOrganizationId": "s", "createdAt": "2020-01-01T00:00:00.000Z",
		"removedAt": "2020-01-01T00:00:00.000Z",
	} {
		all = append(all, attack{"another " + field, railkit.ReasonResult, func(d object) { d[field] = value }})
	}
	return all
}

// withoutProof is what a server has of a payee that it had lost: it is held against the book.
func withoutProof(attacks []attack) (all []attack) {
	for _, a := range attacks {
		if a.name == "no payee in the proof" || a.name == "another subOrganizationId" {
			continue
		}
		all = append(all, attack{a.name + " and no proof", a.want, func(d object) { a.do(d); delete(d, "proof") }})
	}
	return all
}

func TestTamperedPayee_Read(t *testing.T) {
	var id string
	prepare := func(t *testing.T, w *world) {
		w.register(t)
		id = w.addPayee(t, w.banorte()).ID
	}
	t.Run("one", func(t *testing.T) {
		under(t, "GET /v1/signing/payees/{id}", func(w *world) []attack {
			return append(payeeAttacks(w), withoutProof(payeeAttacks(w))...)
		}, func(t *testing.T, w *world) func() error {
			prepare(t, w)
			return func() error { _, err := w.client.Payees.Get(t.Context(), id); return err }
		})
	})
	t.Run("list", func(t *testing.T) {
		under(t, "GET /v1/signing/payees", func(w *world) []attack { return payeeAttacks(w) },
			func(t *testing.T, w *world) func() error {
				prepare(t, w)
				o := railkit.PayeeListOptions{
					SubOrganizationID: w.reg.SubOrganizationID, Network: "base", Address: receiver,
				}
				return func() error { _, err := w.client.Payees.List(t.Context(), o); return err }
			})
	})
	t.Run("list of others", func(t *testing.T) {
		w := newWorld(t)
		prepare(t, w)
		if _, err := w.client.Payees.List(t.Context(), railkit.PayeeListOptions{}); err != nil {
			t.Fatal(err)
		}
		calls := w.host.Calls()
		w.host.On("GET /v1/signing/payees", tamper.Replay(calls[len(calls)-1]))
		for name, o := range map[string]railkit.PayeeListOptions{
			"network": {Network: "polygon"}, "address": {Address: thief}, "sub-organization": {SubOrganizationID: "s"},
		} {
			_, err := w.client.Payees.List(t.Context(), o)
			wantReason(t, "of another "+name, err, railkit.ReasonResult)
		}
	})
	t.Run("book", func(t *testing.T) {
		w := newWorld(t)
		prepare(t, w)
		book := func() error { _, err := w.client.Payees.Book(t.Context(), w.reg.SubOrganizationID); return err }
		if err := book(); err != nil {
			t.Fatal(err)
		}
		other := func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.OrganizationID = "other" })
		}
		onMeta := func(do func(object)) {
			w.host.On("GET /v1/signing/payees", func(a *tamper.Answer) { do(a.Body["meta"].(object)) })
		}
		onMeta(other)
		wantReason(t, "another sub-organization's", book(), railkit.ReasonResult)
		onMeta(func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.State.Payees = nil })
		})
		wantReason(t, "not asked for the book", book(), railkit.ReasonResult)
		onMeta(func(d object) { delete(d, "proof") })
		wantReason(t, "no proof", book(), railkit.ReasonProof)
	})
}

package railkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestTamperedWallet(t *testing.T) {
	ask := func(t *testing.T, w *world) func() error {
		reg, n := w.register(t), 0
		return func() error {
			n++
			_, err := w.client.Wallets.Create(t.Context(), w.pk, railkit.PrepareWalletRequest{
				WalletName: fmt.Sprint("Main ", n), Chain: "ethereum", SubOrganizationID: reg.SubOrganizationID,
			})
			return err
		}
	}
	under(t, "POST /v1/signing/wallets/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult),
			attack{"preview of another name", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.WalletName = "Other" })
			}},
			attack{"preview of another path", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.Accounts[0].Path = "m/0" })
			}},
		)
	}, ask)
	under(t, "POST /v1/signing/wallets/confirm", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindPreview),
			attack{"other wallet", railkit.ReasonResult, func(d object) { d["walletId"] = "another" }},
			attack{"other name", railkit.ReasonResult, func(d object) { d["name"] = "Other" }},
			attack{"swapped address", railkit.ReasonResult, func(d object) {
				d["addresses"].([]any)[0].(object)["address"] = receiver
			}},
			attack{"second owner", railkit.ReasonOwners, secondOwner(w)},
		)
	}, ask)
}

// The host prepares a wallet of another name, with a genuine preview.
func TestAnotherWishThanAsked(t *testing.T) {
	w := newWorld(t)
	reg := w.register(t)
	_, err := w.newClient(t).Wallets.Prepare(t.Context(), railkit.PrepareWalletRequest{
		WalletName: "Theirs", SubOrganizationID: reg.SubOrganizationID,
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := w.host.Calls()
	w.host.On("POST /v1/signing/wallets/prepare", tamper.Replay(calls[len(calls)-1]))
	_, err = w.client.Wallets.Prepare(t.Context(), railkit.PrepareWalletRequest{
		WalletName: "Main", SubOrganizationID: reg.SubOrganizationID,
	})
	wantReason(t, "another wallet", err, railkit.ReasonBody)
}

func secondOwner(w *world) func(object) {
	return func(d object) {
		d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
			o := st.Result.Owners
			o.Credentials = append(o.Credentials, wire.Credential{CredentialID: "c3RyYW5nZXI", PublicKey: "a2V5"})
		})
	}
}

func accountAttacks(w *world) []attack {
	return []attack{
		{"swapped address", railkit.ReasonResult, func(d object) { d["address"] = receiver }},
		{"swapped path", railkit.ReasonResult, func(d object) { d["path"] = "m/44'/60'/9'/0/0" }},
		{"swapped public key", railkit.ReasonResult, func(d object) { d["publicKey"] = "02ff" }},
		{"other wallet", railkit.ReasonResult, func(d object) { d["walletId"] = "another" }},
		{"second owner", railkit.ReasonOwners, secondOwner(w)},
		{"swapped recovery key", railkit.ReasonOwners, func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Owners.RecoveryPublicKey = "02ab" })
		}},
	}
}

func TestTamperedAccount(t *testing.T) {
	ask := func(t *testing.T, w *world) func() error {
		wallet, n := w.wallet(t).WalletID, 4
		return func() error {
			n++
			_, err := w.client.Addresses.Create(t.Context(), w.pk, railkit.PrepareAccountRequest{
				WalletID: wallet, Chain: "base", Path: fmt.Sprintf("m/44'/60'/%d'/0/0", n),
			})
			return err
		}
	}
	under(t, "POST /v1/signing/wallets/accounts/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult),
			attack{"preview of another wallet", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.WalletID = "another" })
			}},
		)
	}, ask)
	under(t, "POST /v1/signing/wallets/accounts/confirm", func(w *world) []attack {
		return append(append(proofAttacks(w, "proof", wire.KindPreview), accountAttacks(w)...),
			attack{"no owner of ours", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Owners.Credentials = nil })
			}},
		)
	}, ask)
}

func TestTamperedReads(t *testing.T) {
	var account *railkit.Address
	read := func(call func(*testing.T, *world) error) func(*testing.T, *world) func() error {
		return func(t *testing.T, w *world) func() error {
			account = w.account(t)
			return func() error { return call(t, w) }
		}
	}
	under(t, "GET /v1/signing/wallets/{id}/addresses", accountAttacks, read(func(t *testing.T, w *world) error {
		_, err := w.client.Addresses.List(t.Context(), account.WalletID)
		return err
	}))
	under(t, "GET /v1/signing/wallets/{id}/addresses/{address}", func(w *world) []attack {
		return append(accountAttacks(w)[1:], attack{
			"another address", railkit.ReasonResult, func(d object) { d["address"], d["addressId"] = receiver, "x" },
		})
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.Addresses.Get(t.Context(), account.WalletID, account.Address)
		return err
	}))
	under(t, "GET /v1/signing/wallets/{id}/addresses/{address}", func(w *world) []attack {
		return []attack{
			{"stale state", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = w.earlier(), "earlier" })
			}},
			{"stored proof", railkit.ReasonKind, func(d object) { d["proof"] = account.Proof }},
			{"second owner", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
					st.State.Owners.Credentials = append(
						st.State.Owners.Credentials, wire.Credential{CredentialID: "c3RyYW5nZXI"},
					)
				})
			}},
			{"swapped path", railkit.ReasonResult, func(d object) { d["path"] = "m/0" }},
		}
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.Addresses.GetFresh(t.Context(), account.WalletID, account.Address)
		return err
	}))
	under(t, "GET /v1/signing/wallets/{id}", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindState),
			attack{"other name", railkit.ReasonResult, func(d object) { d["walletName"] = "Other" }},
			attack{"other wallet", railkit.ReasonResult, func(d object) { d["walletId"] = "another" }},
			attack{"second owner", railkit.ReasonOwners, secondOwner(w)},
		)
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.Wallets.Get(t.Context(), account.WalletID)
		return err
	}))
	under(t, "GET /v1/signing/wallets/{id}", func(w *world) []attack {
		return []attack{
			{"stale state", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = w.earlier(), "earlier" })
			}},
			{"one address more", railkit.ReasonResult, func(d object) {
				d["addresses"] = append(d["addresses"].([]any), d["addresses"].([]any)[0])
			}},
			{"swapped address", railkit.ReasonResult,
				func(d object) { d["addresses"].([]any)[1].(object)["address"] = receiver }},
			{"other name", railkit.ReasonResult, func(d object) { d["walletName"] = "Other" }},
			{"second owner", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
					st.State.Owners.Credentials = append(
						st.State.Owners.Credentials, wire.Credential{CredentialID: "c3RyYW5nZXI"},
					)
				})
			}},
		}
	}, read(func(t *testing.T, w *world) error {
		got, err := w.client.Wallets.GetFresh(t.Context(), account.WalletID)
		if err == nil && (len(got.Addresses) != 2 || !got.Addresses[1].Proven) {
			t.Errorf("a fresh statement proves all addresses: %+v", got)
		}
		return err
	}))
}

func TestTamperedTransactionRead(t *testing.T) {
	under(t, "GET /v1/transactions/sign", func(w *world) []attack {
		return []attack{
			{"other hash", railkit.ReasonResult, func(d object) { d["txHash"] = "0x" + strings.Repeat("1", 64) }},
			{"foreign proof", railkit.ReasonProof, func(d object) { d["proof"] = foreign(statement(d["proof"]), "") }},
			{"no proof of what is signed", railkit.ReasonProof, func(d object) { delete(d, "proof") }},
		}
	}, func(t *testing.T, w *world) func() error {
		if _, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(w.payer(t).Address)); err != nil {
			t.Fatal(err)
		}
		return func() error {
			_, err := w.client.Transactions.List(t.Context(), railkit.TransactionListOptions{})
			return err
		}
	})
}

func TestOtherEnvironment(t *testing.T) {
	w := newWorld(t, func(c *railkit.Config) { c.Environment = "production" })
	_, err := w.client.SubOrganizations.Create(t.Context(), w.pk, ada)
	wantReason(t, "a sandbox proof in production", err, railkit.ReasonEnvironment)
}

// Two clients that share a memory see a fork that each alone would not.
func TestSharedMemory(t *testing.T) {
	memory := railkit.NewMemory()
	w := newWorld(t, func(c *railkit.Config) { c.Memory = memory })
	reg := w.register(t)
	other := w.newClient(t, func(c *railkit.Config) { c.Memory = memory })
	if _, err := other.VerifyProof(*reg.Proof); err != nil {
		t.Fatal(err)
	}
	if memory.Highest() == 0 {
		t.Fatal("nothing was remembered")
	}
	forked := statementOf(reg.Proof)
	forked.Head = "another"
	_, err := other.VerifyProof(w.sign(forked))
	wantReason(t, "fork", err, railkit.ReasonFork)
	_, err = w.newClient(t).VerifyProof(w.sign(forked))
	if err != nil {
		t.Fatalf("a client that saw nothing cannot know: %v", err)
	}
}

package railkit_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func wantReason(t *testing.T, what string, err error, want railkit.Reason) {
	t.Helper()
	var tamper *railkit.TamperError
	if !errors.As(err, &tamper) {
		t.Errorf("%s: got %v, want a TamperError", what, err)
		return
	}
	if tamper.Reason != want {
		t.Errorf("%s: refused for %q (%s), want %q", what, tamper.Reason, tamper.Detail, want)
	}
}

// attack is one change of the host to one answer.
type attack struct {
	name string
	want railkit.Reason
	do   func(data object)
}

// under makes a call in a new world for each attack, and once untouched.
func under(t *testing.T, path string, attacks func(*world) []attack, prepare func(*testing.T, *world) func() error) {
	t.Helper()
	control := newWorld(t)
	if err := prepare(t, control)(); err != nil {
		t.Fatalf("untouched: %v", err)
	}
	for i := range attacks(control) {
		w := newWorld(t)
		call := prepare(t, w)
		a := attacks(w)[i]
		w.host.path, w.host.tamper = path, func(data any) any {
			if items, ok := data.([]any); ok {
				a.do(items[len(items)-1].(object))
			} else {
				a.do(data.(object))
			}
			return data
		}
		wantReason(t, a.name, call(), a.want)
	}
}

func edit(in any, old, replacement string) any {
	raw, _ := json.Marshal(in)
	var out any
	_ = json.Unmarshal([]byte(strings.ReplaceAll(string(raw), old, replacement)), &out)
	return out
}

func set(data object, to any) {
	for k, v := range to.(object) {
		data[k] = v
	}
}

func foreign(st wire.Statement, pinned string) wire.Proof {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	p, err := wire.SignStatement(key, st)
	if err != nil {
		panic(err)
	}
	if pinned != "" {
		p.PublicKey = pinned
	}
	return p
}

// proofAttacks are those that every verified answer must survive.
func proofAttacks(w *world, field, kind string) []attack {
	return []attack{
		{"no proof", railkit.ReasonProof, func(d object) { delete(d, field) }},
		{"not signed", railkit.ReasonProof, func(d object) { d[field].(object)["signature"] = "" }},
		{"foreign key", railkit.ReasonProof, func(d object) { d[field] = foreign(statement(d[field]), "") }},
		{"foreign signature", railkit.ReasonProof, func(d object) { d[field] = foreign(statement(d[field]), w.EnclaveKey) }},
		{"changed payload", railkit.ReasonProof, func(d object) { d[field] = edit(d[field], "sandbox", "sandb0x") }},
		{"other kind", railkit.ReasonKind, func(d object) {
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Kind = kind })
		}},
		{"forked journal", railkit.ReasonFork, func(d object) {
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Seq, st.Head = "1", "forked" })
		}},
		{"no place in the journal", railkit.ReasonProof, func(d object) {
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Seq = "-1" })
		}},
	}
}

func TestTamperedPrepare(t *testing.T) {
	under(t, "/transactions/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult), prepareAttacks(w)...)
	}, func(t *testing.T, w *world) func() error {
		from := w.account(t).Address
		return func() error {
			_, err := w.client.PrepareTransaction(t.Context(), transfer(from))
			return err
		}
	})
}

func prepareAttacks(w *world) []attack {
	body := func(d object) object { return d["unsignedActivity"].(object) }
	rebody := func(d object, old, replacement string) {
		text := strings.ReplaceAll(body(d)["body"].(string), old, replacement)
		body(d)["body"] = text
		d["challenge"], d["fingerprint"] = railkit.Challenge(text), railkit.Fingerprint(text)
		d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Fingerprint = railkit.Fingerprint(text) })
	}
	preview := func(change func(*wire.Preview)) func(object) {
		return func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
		}
	}
	return []attack{
		{"swapped body", railkit.ReasonFingerprint, func(d object) { body(d)["body"] = `{"type":"ACTIVITY_TYPE_SIGN_INTENT"}` }},
		{"swapped body and its hashes", railkit.ReasonFingerprint, func(d object) {
			body(d)["body"] = `{}`
			d["challenge"], d["fingerprint"] = railkit.Challenge(`{}`), railkit.Fingerprint(`{}`)
		}},
		{"swapped preview", railkit.ReasonFingerprint, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Fingerprint = railkit.Fingerprint("another") })
		}},
		{"other challenge", railkit.ReasonFingerprint, func(d object) { d["challenge"] = railkit.Challenge("another") }},
		{"stale preview", railkit.ReasonStale, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Seq, st.Head = "0", "start" })
		}},
		{"body of another amount", railkit.ReasonBody, func(d object) { rebody(d, "25500000", "25500001") }},
		{"body to another receiver", railkit.ReasonBody, func(d object) { rebody(d, "00000000aa", "00000000bb") }},
		{"name twice in the body", railkit.ReasonBody, func(d object) { rebody(d, `{"type"`, `{"type":"x","type"`) }},
		{"unknown name in the body", railkit.ReasonBody, func(d object) { rebody(d, `{"type"`, `{"extra":"x","type"`) }},
		{"name in another case", railkit.ReasonBody, func(d object) { rebody(d, `{"type"`, `{"Type"`) }},
		{"body of another environment", railkit.ReasonEnvironment, func(d object) { rebody(d, `"sandbox"`, `"production"`) }},
		{"body of another organization", railkit.ReasonBody, func(d object) {
			rebody(d, body(d)["organizationId"].(string), "00000000-0000-4000-8000-000000000000")
		}},
		{"body of another activity", railkit.ReasonKind, func(d object) { rebody(d, "SIGN_INTENT", "CREATE_WALLET") }},
		{"preview of another activity", railkit.ReasonKind, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Activity = wire.CreateWallet })
		}},
		{"empty preview", railkit.ReasonPreview, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview = nil })
		}},
		{"preview of another amount", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects[0].Amount = "1" })},
		{"preview of another receiver", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects[0].To = "0x" + strings.Repeat("b", 40) })},
		{"preview of another token", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects[0].Asset = "native" })},
		{"preview of an approval", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects[0].Kind = "approve" })},
		{"preview of two effects", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects = append(p.Effects, p.Effects[0]) })},
		{"preview of no effect", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects = nil })},
		{"preview of another sender", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.SignWith = "0x" + strings.Repeat("b", 40) })},
		{"preview of another chain", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.ChainID = "1" })},
		{"preview of another fee", railkit.ReasonBody, preview(func(p *wire.Preview) { p.MaxTotalFee = "1" })},
		{"answer of another sender", railkit.ReasonResult, func(d object) { d["from"] = "0x" + strings.Repeat("b", 40) }},
	}
}

func TestTamperedConfirm(t *testing.T) {
	under(t, "/transactions/confirm", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindPreview),
			attack{"other transaction", railkit.ReasonResult, func(d object) { d["transactionId"] = "another" }},
			attack{"other hash", railkit.ReasonResult, func(d object) { d["txHash"] = "0x" + strings.Repeat("1", 64) }},
			attack{"other signed bytes", railkit.ReasonResult, func(d object) { d["signedTransaction"] = "0x02ff" }},
			attack{"other sender", railkit.ReasonResult, func(d object) { d["from"] = receiver }},
			attack{"result of another body", railkit.ReasonFingerprint, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Fingerprint = railkit.Fingerprint("another") })
			}},
			attack{"result of another activity", railkit.ReasonKind, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Activity = wire.CreateWallet })
			}},
			attack{"result not above its preview", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = "0", "start" })
			}},
			attack{"empty result", railkit.ReasonResult, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result = nil })
			}},
			attack{"no transaction in it", railkit.ReasonResult, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Transaction = nil })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		from := w.account(t).Address
		return func() error {
			_, err := w.client.SendTransaction(t.Context(), w.pk, transfer(from))
			return err
		}
	})
}

func TestTamperedRegistration(t *testing.T) {
	stranger := wire.Credential{CredentialID: "c3RyYW5nZXI", PublicKey: "a2V5", Email: "ada@example.com"}
	owners := func(w *world, change func(*wire.Owners)) func(object) {
		return func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) { change(st.Result.Owners) })
		}
	}
	under(t, "/passkeys/register", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindState),
			attack{"swapped credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials[0] = stranger })},
			attack{"swapped public key", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials[0].PublicKey = "a2V5" })},
			attack{"second credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials = append(o.Credentials, stranger) })},
			attack{"no credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials = nil })},
			attack{"other e-mail", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials[0].Email = "eve@example.com" })},
			attack{"swapped recovery key", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.RecoveryPublicKey = "02ab" })},
			attack{"no owners", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Owners = nil })
			}},
			attack{"other sub-organization", railkit.ReasonResult, func(d object) { d["subOrganizationId"] = "another" }},
			attack{"other user", railkit.ReasonResult, func(d object) { d["userId"] = "another" }},
			attack{"result of another activity", railkit.ReasonKind, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Activity = wire.CreateWallet })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		if _, err := w.client.CreateSubOrganization(t.Context(), w.pk, railkit.RegisterParams{Email: "bob@example.com"}); err != nil {
			t.Fatal(err) // so that the client has seen a head
		}
		return func() error {
			_, err := w.client.CreateSubOrganization(t.Context(), w.pk, railkit.RegisterParams{Email: "ada@example.com", Name: "Ada"})
			return err
		}
	})
}

// The host registers a passkey of its own in place of the user's: the proof is
// genuine, and of somebody else's passkey.
func TestHostRegistersItsOwnPasskey(t *testing.T) {
	w := newWorld(t)
	challenge, err := w.client.PasskeyChallenge(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	hosts := railkit.FromAuthenticator(passkey.New("http://localhost:8081"))
	attestation, err := hosts.Create(challenge.Options)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := w.newClient(t).RegisterPasskey(t.Context(), railkit.RegisterRequest{
		Email: "ada@example.com", EncodedChallenge: challenge.EncodedChallenge, Attestation: attestation,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.host.path, w.host.tamper = "/passkeys/register", func(any) any {
		raw, _ := json.Marshal(theirs)
		var data object
		_ = json.Unmarshal(raw, &data)
		return data
	}
	_, err = w.client.CreateSubOrganization(t.Context(), w.pk, railkit.RegisterParams{Email: "ada@example.com"})
	wantReason(t, "the host's passkey", err, railkit.ReasonOwners)
}

func TestTamperedChallenge(t *testing.T) {
	w := newWorld(t)
	w.host.path, w.host.tamper = "/passkeys/challenge", func(data any) any { return edit(data, `"localhost"`, `"evil.example"`) }
	_, err := w.client.CreateSubOrganization(t.Context(), w.pk, railkit.RegisterParams{Email: "ada@example.com"})
	wantReason(t, "other relying party", err, railkit.ReasonBody)
}

func TestTamperedWallet(t *testing.T) {
	ask := func(t *testing.T, w *world) func() error {
		reg := w.register(t)
		return func() error {
			_, err := w.client.CreateWallet(t.Context(), w.pk, railkit.PrepareWalletRequest{WalletName: "Main", SubOrganizationID: reg.SubOrganizationID})
			return err
		}
	}
	under(t, "/wallets/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult),
			attack{"preview of another name", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.WalletName = "Other" })
			}},
			attack{"preview of another path", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.Accounts[0].Path = "m/0" })
			}},
		)
	}, ask)
	under(t, "/wallets/confirm", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindPreview),
			attack{"other wallet", railkit.ReasonResult, func(d object) { d["walletId"] = "another" }},
			attack{"other name", railkit.ReasonResult, func(d object) { d["name"] = "Other" }},
			attack{"swapped address", railkit.ReasonResult, func(d object) { d["addresses"].([]any)[0].(object)["address"] = receiver }},
			attack{"second owner", railkit.ReasonOwners, secondOwner(w)},
		)
	}, ask)
}

// The host prepares a wallet of another name, with a genuine preview.
func TestAnotherWishThanAsked(t *testing.T) {
	w := newWorld(t)
	reg := w.register(t)
	other, err := w.newClient(t).PrepareWallet(t.Context(), railkit.PrepareWalletRequest{WalletName: "Theirs", SubOrganizationID: reg.SubOrganizationID})
	if err != nil {
		t.Fatal(err)
	}
	w.host.path, w.host.tamper = "/wallets/prepare", func(data any) any {
		raw, _ := json.Marshal(other)
		var theirs object
		_ = json.Unmarshal(raw, &theirs)
		set(data.(object), theirs)
		return data
	}
	_, err = w.client.PrepareWallet(t.Context(), railkit.PrepareWalletRequest{WalletName: "Main", SubOrganizationID: reg.SubOrganizationID})
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
		wallet := w.wallet(t).WalletID
		return func() error {
			_, err := w.client.CreateAccount(t.Context(), w.pk, railkit.PrepareAccountRequest{WalletID: wallet, Chain: "base", Path: "m/44'/60'/5'/0/0"})
			return err
		}
	}
	under(t, "/accounts/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult),
			attack{"preview of another wallet", railkit.ReasonPreview, func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Preview.WalletID = "another" })
			}},
		)
	}, ask)
	under(t, "/accounts/confirm", func(w *world) []attack {
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
	under(t, "/addresses", accountAttacks, read(func(t *testing.T, w *world) error {
		_, err := w.client.ListAddresses(t.Context(), account.WalletID)
		return err
	}))
	under(t, "", func(w *world) []attack {
		return append(accountAttacks(w)[1:], attack{"another address", railkit.ReasonResult, func(d object) { d["address"], d["addressId"] = receiver, "x" }})
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.GetAddress(t.Context(), account.WalletID, account.Address)
		return err
	}))
	under(t, "", func(w *world) []attack {
		return []attack{
			{"stale state", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = "0", "start" })
			}},
			{"stored proof", railkit.ReasonKind, func(d object) { d["proof"] = account.Proof }},
			{"second owner", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
					st.State.Owners.Credentials = append(st.State.Owners.Credentials, wire.Credential{CredentialID: "c3RyYW5nZXI"})
				})
			}},
			{"swapped path", railkit.ReasonResult, func(d object) { d["path"] = "m/0" }},
		}
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.GetAddressFresh(t.Context(), account.WalletID, account.Address)
		return err
	}))
	under(t, "", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindState),
			attack{"other name", railkit.ReasonResult, func(d object) { d["walletName"] = "Other" }},
			attack{"other wallet", railkit.ReasonResult, func(d object) { d["walletId"] = "another" }},
			attack{"second owner", railkit.ReasonOwners, secondOwner(w)},
		)
	}, read(func(t *testing.T, w *world) error {
		_, err := w.client.GetWallet(t.Context(), account.WalletID)
		return err
	}))
	under(t, "", func(w *world) []attack {
		return []attack{
			{"stale state", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = "0", "start" })
			}},
			{"one address more", railkit.ReasonResult, func(d object) {
				d["addresses"] = append(d["addresses"].([]any), d["addresses"].([]any)[0])
			}},
			{"swapped address", railkit.ReasonResult, func(d object) { d["addresses"].([]any)[1].(object)["address"] = receiver }},
			{"other name", railkit.ReasonResult, func(d object) { d["walletName"] = "Other" }},
			{"second owner", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
					st.State.Owners.Credentials = append(st.State.Owners.Credentials, wire.Credential{CredentialID: "c3RyYW5nZXI"})
				})
			}},
		}
	}, read(func(t *testing.T, w *world) error {
		got, err := w.client.GetWalletFresh(t.Context(), account.WalletID)
		if err == nil && (len(got.Addresses) != 2 || !got.Addresses[1].Proven) {
			t.Errorf("a fresh statement proves all addresses: %+v", got)
		}
		return err
	}))
}

func TestTamperedTransactionRead(t *testing.T) {
	under(t, "/sign", func(w *world) []attack {
		return []attack{
			{"other hash", railkit.ReasonResult, func(d object) { d["txHash"] = "0x" + strings.Repeat("1", 64) }},
			{"foreign proof", railkit.ReasonProof, func(d object) { d["proof"] = foreign(statement(d["proof"]), "") }},
			{"no proof of what is signed", railkit.ReasonProof, func(d object) { delete(d, "proof") }},
		}
	}, func(t *testing.T, w *world) func() error {
		if _, err := w.client.SendTransaction(t.Context(), w.pk, transfer(w.account(t).Address)); err != nil {
			t.Fatal(err)
		}
		return func() error {
			_, err := w.client.ListTransactions(t.Context(), railkit.TransactionListOptions{})
			return err
		}
	})
}

func TestOtherEnvironment(t *testing.T) {
	w := newWorld(t, func(c *railkit.Config) { c.Environment = "production" })
	_, err := w.client.CreateSubOrganization(t.Context(), w.pk, railkit.RegisterParams{Email: "ada@example.com"})
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
	forked := w.Prove(wire.Statement{Kind: wire.KindState, Seq: "1", Head: "another"})
	_, err := other.VerifyProof(forked)
	wantReason(t, "fork", err, railkit.ReasonFork)
	_, err = w.newClient(t).VerifyProof(forked)
	if err != nil {
		t.Fatalf("a client that saw nothing cannot know: %v", err)
	}
}

package railkit_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/tamper"
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

// under makes a call once untouched, and under each attack on the answers to pattern, by a new client each time.
func under(t *testing.T, pattern string, attacks func(*world) []attack, prepare func(*testing.T, *world) func() error) {
	t.Helper()
	w := newWorld(t)
	call := prepare(t, w)
	if err := call(); err != nil {
		t.Fatalf("untouched: %v", err)
	}
	for _, a := range attacks(w) {
		w.restart(t)
		w.host.On(pattern, onData(a.do))
		wantReason(t, a.name, call(), a.want)
		w.host.On(pattern)
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

// earlier is the place in the journal before the first one that a client of the world has seen.
func (w *world) earlier() string {
	seq, _ := strconv.ParseUint(statementOf(w.reg.Proof).Seq, 10, 64)
	return strconv.FormatUint(seq-1, 10)
}

func statementOf(p *railkit.Proof) (st wire.Statement) {
	_ = json.Unmarshal([]byte(p.Payload), &st)
	return st
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
		{"foreign signature", railkit.ReasonProof,
			func(d object) { d[field] = foreign(statement(d[field]), w.EnclaveKey) }},
		{"changed payload", railkit.ReasonProof, func(d object) { d[field] = edit(d[field], "sandbox", "sandb0x") }},
		{"other kind", railkit.ReasonKind, func(d object) {
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Kind = kind })
		}},
		{"forked journal", railkit.ReasonFork, func(d object) {
			seen := statementOf(w.reg.Proof).Seq
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Seq, st.Head = seen, "forked" })
		}},
		{"no place in the journal", railkit.ReasonProof, func(d object) {
			d[field] = w.again(d[field], func(st *wire.Statement) { st.Seq = "-1" })
		}},
	}
}

func TestTamperedPrepare(t *testing.T) {
	under(t, "POST /v1/transactions/prepare", func(w *world) []attack {
		return append(proofAttacks(w, "preview", wire.KindResult), prepareAttacks(w)...)
	}, func(t *testing.T, w *world) func() error {
		from := w.payer(t).Address
		return func() error {
			_, err := w.client.Transactions.Prepare(t.Context(), transfer(from))
			return err
		}
	})
}

// Payments are told apart by what was checked: neither the id of another transaction nor an answer that was refused
// makes the client take a payment for another one.
func TestTamperedPrepare_IDOfAnother(t *testing.T) {
	w := newWorld(t)
	transactions, from := w.client.Transactions, w.payer(t).Address
	first, err := transactions.Prepare(t.Context(), transfer(from))
	if err != nil {
		t.Fatal(err)
	}
	w.host.On("POST /v1/transactions/prepare", tamper.Set("data.transactionId", first.TransactionID))
	other := transfer(from)
	other.Amount = "7"
	_, err = transactions.Prepare(t.Context(), other)
	wantReason(t, "the id of another payment", err, railkit.ReasonResult)

	same := transfer(from)
	same.PayAgain = true // or the first, which is unmined, is named
	_, err = transactions.Prepare(t.Context(), same)
	wantReason(t, "the id of the same payment, for another body", err, railkit.ReasonResult)

	w.host.On("POST /v1/transactions/prepare", tamper.Set("data.chainId", 1))
	ctx := railkit.WithIdempotencyKey(t.Context(), uuid.NewString())
	_, err = transactions.Prepare(ctx, other)
	wantReason(t, "another chain", err, railkit.ReasonResult)
	w.host.On("POST /v1/transactions/prepare")
	if _, err := transactions.Prepare(ctx, other); err != nil {
		t.Errorf("the same call, answered honestly: %v", err)
	}
}

// rebody changes the body to be stamped, with its hashes and a preview of it.
func (w *world) rebody(d object, change func(string) string) {
	u := d["unsignedActivity"].(object)
	before := u["body"].(string)
	text := change(before)
	if text == before {
		panic("the body has nothing of what is to be changed: " + before)
	}
	u["body"], d["challenge"], d["fingerprint"] = text, railkit.Challenge(text), railkit.Fingerprint(text)
	d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Fingerprint = railkit.Fingerprint(text) })
}

func prepareAttacks(w *world) []attack {
	body := func(d object) object { return d["unsignedActivity"].(object) }
	rebody := func(d object, old, replacement string) {
		w.rebody(d, func(text string) string { return strings.ReplaceAll(text, old, replacement) })
	}
	preview := func(change func(*wire.Preview)) func(object) {
		return func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
		}
	}
	return []attack{
		{"in place of another payment", railkit.ReasonBody, func(d object) {
			rebody(d, `"gasLimit"`,
				`"replaces":{"fingerprint":"`+railkit.Fingerprint("another")+`","nonce":"1"},"gasLimit"`)
		}},
		{"shown in place of another", railkit.ReasonBody,
			preview(func(p *wire.Preview) { p.Replaces = railkit.Fingerprint("another") })},
		{"swapped body", railkit.ReasonFingerprint,
			func(d object) { body(d)["body"] = `{"type":"ACTIVITY_TYPE_SIGN_INTENT"}` }},
		{"swapped body and its hashes", railkit.ReasonFingerprint, func(d object) {
			body(d)["body"] = `{}`
			d["challenge"], d["fingerprint"] = railkit.Challenge(`{}`), railkit.Fingerprint(`{}`)
		}},
		{"swapped preview", railkit.ReasonFingerprint, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) {
				st.Fingerprint = railkit.Fingerprint("another")
			})
		}},
		{"other challenge", railkit.ReasonFingerprint,
			func(d object) { d["challenge"] = railkit.Challenge("another") }},
		{"stale preview", railkit.ReasonStale, func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { st.Seq, st.Head = w.earlier(), "earlier" })
		}},
		{"body of another amount", railkit.ReasonBody, func(d object) { rebody(d, "25500000", "25500001") }},
		{"body to another receiver", railkit.ReasonBody, func(d object) { rebody(d, "0d17dc79c8", "0d17dc79c9") }},
		{"name twice in the body", railkit.ReasonBody, func(d object) { rebody(d, `{"type"`, `{"type":"x","type"`) }},
		{"unknown name in the body", railkit.ReasonBody,
			func(d object) { rebody(d, `{"type"`, `{"extra":"x","type"`) }},
		{"name in another case", railkit.ReasonBody, func(d object) { rebody(d, `{"type"`, `{"Type"`) }},
		{"body of another environment", railkit.ReasonEnvironment,
			func(d object) { rebody(d, `"sandbox"`, `"production"`) }},
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
		{"preview of another amount", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.Effects[0].Amount = "1" })},
		{"preview of another receiver", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.Effects[0].To = "0x" + strings.Repeat("b", 40) })},
		{"preview of another token", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.Effects[0].Asset = "native" })},
		{"preview of an approval", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.Effects[0].Kind = "approve" })},
		{"preview of two effects", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.Effects = append(p.Effects, p.Effects[0]) })},
		{"preview of no effect", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Effects = nil })},
		{"preview of another sender", railkit.ReasonPreview,
			preview(func(p *wire.Preview) { p.SignWith = "0x" + strings.Repeat("b", 40) })},
		{"preview of another chain", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.ChainID = "1" })},
		{"preview of another fee", railkit.ReasonBody, preview(func(p *wire.Preview) { p.MaxTotalFee = "1" })},
		{"answer of another sender", railkit.ReasonResult,
			func(d object) { d["from"] = "0x" + strings.Repeat("b", 40) }},
	}
}

func TestTamperedConfirm(t *testing.T) {
	under(t, "POST /v1/transactions/confirm", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindPreview),
			attack{"other transaction", railkit.ReasonResult, func(d object) { d["transactionId"] = "another" }},
			attack{"other hash", railkit.ReasonResult, func(d object) { d["txHash"] = "0x" + strings.Repeat("1", 64) }},
			attack{"other signed bytes", railkit.ReasonResult, func(d object) { d["signedTransaction"] = "0x02ff" }},
			attack{"other sender", railkit.ReasonResult, func(d object) { d["from"] = receiver }},
			attack{"other chain", railkit.ReasonResult, func(d object) { d["chainId"] = 1 }},
			attack{"no chain id", railkit.ReasonResult, func(d object) { d["chainId"] = 0 }},
			attack{"result of another body", railkit.ReasonFingerprint, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
					st.Fingerprint = railkit.Fingerprint("another")
				})
			}},
			attack{"result of another activity", railkit.ReasonKind, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Activity = wire.CreateWallet })
			}},
			attack{"result not above its preview", railkit.ReasonStale, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Seq, st.Head = w.earlier(), "earlier" })
			}},
			attack{"empty result", railkit.ReasonResult, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result = nil })
			}},
			attack{"no transaction in it", railkit.ReasonResult, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Transaction = nil })
			}},
			attack{"it waits", railkit.ReasonResult, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Outcome = wire.Held })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		from := w.payer(t).Address
		return func() error {
			_, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(from))
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
	n := 0
	under(t, "POST /v1/signing/passkeys/register", func(w *world) []attack {
		return append(proofAttacks(w, "proof", wire.KindState),
			attack{"swapped credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) {
				o.Credentials[0] = stranger
			})},
			attack{"swapped public key", railkit.ReasonOwners, owners(w, func(o *wire.Owners) {
				o.Credentials[0].PublicKey = "a2V5"
			})},
			attack{"second credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) {
				o.Credentials = append(o.Credentials, stranger)
			})},
			attack{"no credential", railkit.ReasonOwners, owners(w, func(o *wire.Owners) { o.Credentials = nil })},
			attack{"other e-mail", railkit.ReasonOwners, owners(w, func(o *wire.Owners) {
				o.Credentials[0].Email = "eve@example.com"
			})},
			attack{"swapped recovery key", railkit.ReasonOwners, owners(w, func(o *wire.Owners) {
				o.RecoveryPublicKey = "02ab"
			})},
			attack{"no owners", railkit.ReasonOwners, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Result.Owners = nil })
			}},
			attack{"other sub-organization", railkit.ReasonResult, func(d object) {
				d["subOrganizationId"] = "another"
			}},
			attack{"other user", railkit.ReasonResult, func(d object) { d["userId"] = "another" }},
			attack{"result of another activity", railkit.ReasonKind, func(d object) {
				d["proof"] = w.again(d["proof"], func(st *wire.Statement) { st.Activity = wire.CreateWallet })
			}},
		)
	}, func(t *testing.T, w *world) func() error {
		w.register(t) // so that the client has seen a head
		return func() error {
			n++
			_, err := w.client.SubOrganizations.Create(t.Context(), w.pk, railkit.RegisterParams{
				Email: fmt.Sprintf("ada%d@example.com", n), Name: "Ada",
			})
			return err
		}
	})
}

// The host registers a passkey of its own in place of the user's: the proof is
// genuine, and of somebody else's passkey.
func TestHostRegistersItsOwnPasskey(t *testing.T) {
	w := newWorld(t)
	challenge, err := w.client.SubOrganizations.Challenge(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	hosts := railkit.FromAuthenticator(passkey.New(w.Origin))
	attestation, err := hosts.Create(challenge.Options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.newClient(t).SubOrganizations.Register(t.Context(), railkit.RegisterRequest{
		Email: "ada@example.com", Name: "Ada", EncodedChallenge: challenge.EncodedChallenge, Attestation: attestation,
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := w.host.Calls()
	w.host.On("POST /v1/signing/passkeys/register", tamper.Replay(calls[len(calls)-1]))
	_, err = w.client.SubOrganizations.Create(t.Context(), w.pk, ada)
	wantReason(t, "the host's passkey", err, railkit.ReasonOwners)
}

func TestTamperedChallenge(t *testing.T) {
	w := newWorld(t)
	w.host.On("POST /v1/signing/passkeys/challenge", onData(func(d object) {
		set(d, edit(d, `"localhost"`, `"evil.example"`))
	}))
	_, err := w.client.SubOrganizations.Create(t.Context(), w.pk, ada)
	wantReason(t, "other relying party", err, railkit.ReasonBody)
}

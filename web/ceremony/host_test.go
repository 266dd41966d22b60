package ceremony_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/web/ceremony"
)

// host serves the page and answers its calls. It is honest until a test changes
// what it says: it is the host that lies, and the page that has to notice.
type host struct {
	*httptest.Server
	signer *signer
	page   http.Handler // the page's files

	mu       sync.Mutex
	opening  object                               // data of POST /open
	next     object                               // what it is to be then
	journal  func(opening object)                 // changes what is said of the journal
	finish   func(request) (status int, data any) // POST /finish
	back     object                               // data of POST /return
	down     bool
	over     string // why
	requests []string
	sent     bytes.Buffer // all that came: addresses, headers, bodies
	finished []request
}

type object = map[string]any

// request is what the page sends.
type request struct {
	Token             string
	Seqs              []string
	Stamp             *wire.Stamp
	Attestation       *wire.Attestation
	RecoveryPublicKey string
	Decline           *struct{ Reason string }
	TargetPublicKey   string
	Recovery          *struct {
		wire.Attestation
		RecoverySignature string
	}
}

// token1 is the secret of every link of a host.
var token1 = "token-1" + strings.Repeat("x", 36)

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{signer: newSigner(t)}
	h.page = ceremony.Static(h.signer.pin())
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// link is what a person gets.
func (h *host) link() string { return h.origin() + "/#" + token1 }

func (h *host) origin() string {
	u, _ := url.Parse(h.URL) // it is httptest's own
	return "http://localhost:" + u.Port()
}

// asks opens a ceremony for a body.
func (h *host) asks(kind, body, credential string) object {
	stamp := object{
		"body": body, "preview": h.signer.preview(body), "rpId": "localhost",
		"allowCredentials": []object{{"type": "public-key", "id": credential, "transports": []string{"internal"}}},
	}
	h.set(func() {
		h.opening = object{
			"kind":        kind,
			"environment": "sandbox",
			"expiresAt":   clock.ISO(time.Now().Add(15 * time.Minute)),
			"stamp":       stamp,
		}
		h.finish = func(request) (int, any) {
			tx := &wire.Transaction{TxHash: "0x" + strings.Repeat("5d", 32), Nonce: "7"}
			return 200, object{
				"txHash": tx.TxHash,
				"status": "broadcast",
				"proof":  h.signer.result(body, wire.Result{Transaction: tx}),
			}
		}
	})
	return stamp
}

// registers opens a registration.
func (h *host) registers(email string) {
	h.set(func() {
		h.opening = object{
			"kind": "register", "environment": "sandbox", "expiresAt": clock.ISO(time.Now().Add(15 * time.Minute)),
			"register": object{"email": email, "options": h.registrationOptions(email)},
		}
		h.finish = func(r request) (int, any) { return 200, h.registration(email, r) }
	})
}

func (h *host) registrationOptions(email string) object {
	return object{
		"challenge": base64.RawURLEncoding.EncodeToString(make([]byte, 32)),
		"rp":        object{"id": "localhost", "name": "Railkit"}, "attestation": "none",
		"user": object{
			"id": base64.RawURLEncoding.EncodeToString([]byte(email)), "name": email, "displayName": email,
		},
		"pubKeyCredParams":       []object{{"type": "public-key", "alg": -7}},
		"authenticatorSelection": object{"residentKey": "required", "userVerification": "required"},
	}
}

func (h *host) registration(email string, r request) object {
	a := r.Attestation
	raw, _ := base64.RawURLEncoding.DecodeString(a.AttestationObject)
	var attested struct {
		AuthData []byte `cbor:"authData"`
	}
	_ = cbor.Unmarshal(raw, &attested) // an empty key is refused by the page
	key := attested.AuthData[55+int(attested.AuthData[54]):]
	h.signer.seq++
	return object{"subOrganizationId": organization, "proof": h.signer.state(wire.Statement{
		Kind: wire.KindResult, OrganizationID: organization, Activity: wire.CreateSubOrganization, Result: &wire.Result{
			SubOrganization: &wire.SubOrganization{ID: organization},
			Owners: &wire.Owners{RecoveryPublicKey: r.RecoveryPublicKey, Credentials: []wire.Credential{{
				CredentialID: a.CredentialID, PublicKey: base64.RawURLEncoding.EncodeToString(key), Email: email,
			}}},
		},
	})}
}

func (h *host) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// stamps is what the page handed in.
func (h *host) stamps() []request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.finished)
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests = append(h.requests, r.Method+" "+r.URL.Path)
	r.Body = io.NopCloser(io.TeeReader(r.Body, &h.sent))
	_ = r.Header.Write(&h.sent) // a buffer takes all
	h.sent.WriteString(r.URL.String() + "\n")
	if r.Method != http.MethodPost {
		h.page.ServeHTTP(w, r)
		return
	}
	if h.down {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Token != token1 {
		answer(w, 404, "ceremony_unknown", "Ceremony not found")
		return
	}
	if r.URL.Path == "/open" {
		h.answerOpening(w, req.Seqs)
		return
	}
	if r.URL.Path == "/return" {
		answer(w, 200, h.back, "")
		return
	}
	h.finished = append(h.finished, req)
	status, data := h.finish(req)
	if status < 300 {
		h.opening = nil
	}
	said := "Passkey signature invalid"
	if status == http.StatusGone {
		said = h.over
	}
	answer(w, status, data, said)
}

func (h *host) answerOpening(w http.ResponseWriter, seqs []string) {
	if h.opening == nil {
		answer(w, 410, "ceremony_over", h.over)
		return
	}
	opening := maps.Clone(h.opening)
	if len(seqs) > 0 {
		proof, ok := h.signer.journal(append(seqs, h.opened()...))
		if !ok {
			answer(w, 409, "journal_shorter", "The signer's journal does not reach the entry")
			return
		}
		opening["journal"] = proof
		if h.journal != nil {
			h.journal(opening)
		}
	}
	answer(w, 200, opening, "")
}

// opened are the entries of the proofs that the page is about to see.
func (h *host) opened() (seqs []string) {
	stamp, _ := h.opening["stamp"].(object)
	for _, name := range []string{"preview", "state"} {
		if p, ok := stamp[name].(wire.Proof); ok {
			seqs = append(seqs, h.signer.statement(p).Seq)
		}
	}
	return seqs
}

func answer(w http.ResponseWriter, status int, data any, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := object{"success": status < 400, "message": message, "statusCode": status, "timestamp": clock.ISO(time.Now())}
	if status < 400 {
		e["data"] = data
	} else {
		e["error"], e["details"] = data, object{"reason": message}
	}
	_ = json.NewEncoder(w).Encode(e) // who went away needs no answer
}

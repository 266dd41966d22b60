package fakeapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
)

// Environment is what every statement names.
const Environment = "sandbox"

// enclave is the believable half: a journal, keys, and stamps that are checked.
type enclave struct {
	EnclaveKey string // what clients pin
	key        *ecdsa.PrivateKey

	lock     sync.Mutex
	seq      uint64
	head     [32]byte
	heads    []string               // by entry
	owners   map[string]wire.Owners // by sub-organization
	wallets  map[string]*wallet
	bodies   map[string]string // request id -> body
	names    map[string]string // request id -> name of the address
	began    string
	outcomes map[string]wire.Proof
}

type wallet struct {
	wire.Wallet
	subOrganization string
	proof           wire.Proof
	accounts        []account
}

type account struct {
	wire.Account
	id, name, chain, created string
	proof                    wire.Proof
}

func newEnclave() *enclave {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the machine has no randomness
	}
	return &enclave{
		key: key, EnclaveKey: wire.CompressP256(&key.PublicKey), owners: map[string]wire.Owners{},
		heads: []string{hex.EncodeToString(make([]byte, 32))}, wallets: map[string]*wallet{},
		bodies: map[string]string{}, names: map[string]string{}, began: now(), outcomes: map[string]wire.Proof{},
	}
}

// Prove signs a statement. Without a place in the journal it gets the present one.
func (e *enclave) Prove(st wire.Statement) wire.Proof {
	st.Environment, st.Time = Environment, now()
	if st.Seq == "" {
		st.Seq, st.Head = strconv.FormatUint(e.seq, 10), hex.EncodeToString(e.head[:])
	}
	p, err := wire.SignStatement(e.key, st)
	if err != nil {
		panic(err) // our own types always encode
	}
	return p
}

// record adds an entry to the journal.
func (e *enclave) record(what string) {
	e.seq++
	e.head = sha256.Sum256(append(e.head[:], what...))
	e.heads = append(e.heads, hex.EncodeToString(e.head[:]))
}

func fingerprint(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// prepare makes a body and what a prepare answer says of it.
func (e *enclave) prepare(
	kind wire.ActivityType, organization string, params any, shown wire.Preview,
) (string, object) {
	raw, _ := json.Marshal(params)
	at := time.Now()
	expires := at.Add(15 * time.Minute)
	body, _ := json.Marshal(wire.Body{
		Type: kind, Environment: Environment, OrganizationID: organization, ActivityID: uuid.NewString(),
		TimestampMs: strconv.FormatInt(at.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(expires.UnixMilli(), 10), Parameters: raw,
	})
	shown.ExpiresAt = expires.UTC().Format("2006-01-02T15:04:05.000Z")
	id := uuid.NewString()
	e.bodies[id] = string(body)
	fp := fingerprint(string(body))
	return id, object{
		"unsignedActivity": object{
			"url": "https://enclave.invalid/submit", "organizationId": organization,
			"timestampMs": strconv.FormatInt(at.UnixMilli(), 10), "body": string(body),
		},
		"fingerprint": fp, "challenge": strings.TrimPrefix(fp, "sha256:"), "expiresAt": shown.ExpiresAt,
		"allowCredentials": e.allowed(organization), "ceremonyUrl": ceremonyURL(),
		"preview": e.Prove(wire.Statement{
			Kind: wire.KindPreview, OrganizationID: organization, Fingerprint: fp, Activity: kind, Preview: &shown,
		}),
	}
}

func (e *enclave) allowed(organization string) []object {
	list := []object{}
	for _, c := range e.owners[organization].Credentials {
		list = append(list, object{"type": "public-key", "id": c.CredentialID, "transports": []string{"internal"}})
	}
	return list
}

// verify checks a stamp over a body, by any passkey of the body's organization.
func (e *enclave) verify(body string, s wire.Stamp) bool {
	var b wire.Body
	var h struct{ AuthenticatorData, ClientDataJSON, CredentialID, Signature string }
	if json.Unmarshal([]byte(body), &b) != nil || json.Unmarshal([]byte(s.HeaderValue), &h) != nil {
		return false
	}
	clientData, err := base64.RawURLEncoding.DecodeString(h.ClientDataJSON)
	if err != nil {
		return false
	}
	var said struct{ Type, Challenge string }
	text := strings.TrimPrefix(fingerprint(body), "sha256:")
	if json.Unmarshal(clientData, &said) != nil || said.Type != "webauthn.get" ||
		said.Challenge != base64.RawURLEncoding.EncodeToString([]byte(text)) {
		return false
	}
	data, err1 := base64.RawURLEncoding.DecodeString(h.AuthenticatorData)
	sig, err2 := base64.RawURLEncoding.DecodeString(h.Signature)
	key := e.publicKey(b.OrganizationID, h.CredentialID)
	if err1 != nil || err2 != nil || key == nil {
		return false
	}
	clientHash := sha256.Sum256(clientData)
	digest := sha256.Sum256(append(data, clientHash[:]...))
	return ecdsa.VerifyASN1(key, digest[:], sig)
}

func (e *enclave) publicKey(organization, credential string) *ecdsa.PublicKey {
	for _, c := range e.owners[organization].Credentials {
		raw, err := base64.RawURLEncoding.DecodeString(c.PublicKey)
		var cose struct {
			X []byte `cbor:"-2,keyasint"`
			Y []byte `cbor:"-3,keyasint"`
		}
		if c.CredentialID != credential || err != nil || cbor.Unmarshal(raw, &cose) != nil {
			continue
		}
		point := slices.Concat([]byte{4}, cose.X, cose.Y)
		if key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point); err == nil {
			return key
		}
	}
	return nil
}

// execute runs a stamped body once: a second time gives the first proof.
func (e *enclave) execute(body string, make func(wire.Body) *wire.Result) wire.Proof {
	fp := fingerprint(body)
	if first, ok := e.outcomes[fp]; ok {
		return first
	}
	var b wire.Body
	_ = json.Unmarshal([]byte(body), &b) // it was made here
	e.record(fp)
	p := e.Prove(wire.Statement{
		Kind: wire.KindResult, OrganizationID: b.OrganizationID, Fingerprint: fp, Activity: b.Type, Result: make(b),
	})
	e.outcomes[fp] = p
	return p
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

func newAccount(walletID string, p wire.AccountParams) wire.Account {
	return wire.Account{
		WalletID: walletID, Path: p.Path, Curve: p.Curve, AddressFormat: p.AddressFormat,
		Address: "0x" + random(20), PublicKey: "02" + random(32),
	}
}

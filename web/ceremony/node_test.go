package ceremony_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// The page's own tests run in Node, against statements that the Go code makes.
func TestSigning_A10_PageModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("the page's tests need node: apt-get install nodejs, or .ci/install nodejs")
	}
	raw, err := json.Marshal(newVectors(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob("test/*.test.js")
	if err != nil || len(tests) < 4 {
		t.Fatalf("found %d files of tests, %v", len(tests), err)
	}
	for _, name := range append(tests, "test/vectors.js", "test/dom.js", "test/screen.js", "test/hpke.json") {
		if _, err := os.ReadFile(name); err != nil { // so that Go knows what this test rests on
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, append([]string{"--test"}, tests...)...)
	cmd.Env = append(os.Environ(), "RAILKIT_VECTORS="+file)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# fail 0") && !strings.Contains(string(out), "ℹ fail 0") {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

type vector struct {
	Name    string     `json:"name,omitempty"`
	Body    string     `json:"body,omitempty"`
	Digest  string     `json:"digest,omitempty"`
	Seq     string     `json:"seq,omitempty"`
	Proof   wire.Proof `json:"proof"`
	Preview wire.Proof `json:"preview"`
	Result  wire.Proof `json:"result"`
}

func newVectors(t *testing.T) map[string]any {
	e := newSigner(t)
	transfer := e.vector(t, transferBody(payee))
	good := []vector{}
	for name, p := range map[string]wire.Proof{"preview": transfer.Preview, "result": transfer.Result} {
		st, err := p.Open(e.key())
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, vector{Name: name, Proof: p, Seq: st.Seq})
	}
	body := transfer.Body
	return map[string]any{
		"pin": e.pin(), "good": good, "bad": e.forgeries(t, transfer.Preview), "keys": someKeys(t),
		"noKeys": noKeys(e.key()), "codes": someCodes(t), "bundle": bundleVector(t), "recoveries": recoveryVectors(),
		"transfer": transfer, "wallet": e.vector(t, walletBody("Main")),
		"unicode": e.vector(t, walletBody("Größe ☃ \u202e <&>")),
		"twice":   e.vector(t, strings.Replace(body, `{"type"`, `{"environment":"production","type"`, 1)),
		"replacement": e.vector(t, strings.Replace(body, `"parameters":{`,
			`"parameters":{"replaces":{"fingerprint":"sha256:ab","nonce":"7"},`, 1)),
		"agent": e.agentVector(e.key()), "clearAgent": e.agentVector(""), "agents": e.agentVectors(t),
		"solana": newSolVectors(t, e), "tron": newTronVectors(t, e),
		"unknown": e.vector(t, strings.Replace(body, `{"type"`, `{"more":"","type"`, 1)),
	}
}

func (e *signer) vector(t *testing.T, body string) vector {
	v := vector{Body: body, Digest: wire.Digest(body), Preview: e.preview(body)}
	v.Result = e.result(body, wire.Result{Transaction: &wire.Transaction{TxHash: "0xab"}})
	return v
}

// agentVector is of an agent whose secret is sealed to a key, or to none.
func (e *signer) agentVector(recipient string) vector {
	body := newBody(wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: "a", Limits: buyerLimits, RecipientPublicKey: recipient,
	})
	made := wire.Agent{ID: "a", Name: "Buyer"}
	if recipient != "" {
		made.SealedSecret = &wire.SealedSecret{RecipientPublicKey: recipient, Sealed: "sealed"}
	}
	return vector{
		Body:    body,
		Digest:  wire.Digest(body),
		Preview: e.preview(body),
		Result:  e.result(body, wire.Result{Agent: &made}),
	}
}

// agentVectors are of the other acts about an agent.
func (e *signer) agentVectors(t *testing.T) map[string]vector {
	on := wire.SetKillSwitchParams{On: true}
	limits := wire.SetAgentLimitsParams{AgentID: "a", Limits: buyerLimits}
	status := wire.SetAgentStatusParams{AgentID: "a", Status: wire.AgentSuspended}
	return map[string]vector{
		"create":  e.vector(t, newBody(wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"})),
		"limits":  e.vector(t, newBody(wire.SetAgentLimits, limits)),
		"suspend": e.vector(t, newBody(wire.SetAgentStatus, status)),
		"rotate":  e.vector(t, newBody(wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: "a"})),
		"delete":  e.vector(t, newBody(wire.DeleteAgent, wire.DeleteAgentParams{AgentID: "a"})),
		"stop":    e.vector(t, newBody(wire.SetKillSwitch, on)),
		"go on":   e.vector(t, newBody(wire.SetKillSwitch, wire.SetKillSwitchParams{})),
	}
}

// forgeries are proofs that must not be opened.
func (e *signer) forgeries(t *testing.T, good wire.Proof) []vector {
	other := newSigner(t)
	change := func(f func(*wire.Proof)) wire.Proof { p := good; f(&p); return p }
	sig, raw := good.Signature, []byte(good.Payload)
	elsewhere := e.statement(good)
	elsewhere.Environment = "production"
	noPlace := e.statement(good)
	noPlace.Head = ""
	bad := map[string]wire.Proof{
		"another signer's": other.sign(e.statement(good)),
		"another signer's under the pinned key": change(func(p *wire.Proof) {
			p.Signature = other.sign(e.statement(good)).Signature
		}),
		"payload changed": change(func(p *wire.Proof) {
			p.Payload = strings.Replace(p.Payload, "25500000", "25500001", 1)
		}),
		"payload with a space": change(func(p *wire.Proof) { p.Payload += " " }),
		"no payload":           change(func(p *wire.Proof) { p.Payload = "" }),
		"no signature":         change(func(p *wire.Proof) { p.Signature = "" }),
		"signature cut":        change(func(p *wire.Proof) { p.Signature = sig[:84] }),
		"signature padded":     change(func(p *wire.Proof) { p.Signature = sig + "==" }),
		"signature in another spelling": change(func(p *wire.Proof) {
			p.Signature = sig[:85] + otherSpelling(sig[85])
		}),
		"r and s are zero":        change(func(p *wire.Proof) { p.Signature = strings.Repeat("A", 86) }),
		"without the domain":      change(func(p *wire.Proof) { p.Signature = e.rawSignature(t, raw) }),
		"no key":                  change(func(p *wire.Proof) { p.PublicKey = "" }),
		"another environment":     e.sign(elsewhere),
		"no place in the journal": e.sign(noPlace),
		"a name twice": e.signText(t,
			strings.Replace(good.Payload, `{"kind"`, `{"kind":"result","kind"`, 1)),
		"an unknown name": e.signText(t, strings.Replace(good.Payload, `{"kind"`, `{"more":1,"kind"`, 1)),
		"not an object":   e.signText(t, "[]"),
	}
	var all []vector
	for name, p := range bad {
		all = append(all, vector{Name: name, Proof: p})
	}
	return all
}

// otherSpelling is a base64 digit that differs in bits nobody reads.
func otherSpelling(digit byte) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(digits[strings.IndexByte(digits, digit)^1])
}

type keyPair struct {
	Compressed string `json:"compressed"`
	Point      string `json:"point"`
}

func someKeys(t *testing.T) []keyPair {
	t.Helper()
	var all []keyPair
	for range 40 {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		point, err := key.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, keyPair{wire.CompressP256(&key.PublicKey), hex.EncodeToString(point)})
	}
	return all
}

// noKeys are texts that Go's own reader refuses too.
func noKeys(good string) []string {
	all := []string{
		"", "04" + good[2:], good[:64], good + "00", strings.ToUpper(good) + " ",
		"02" + strings.Repeat("f", 64),                                       // beyond the field
		"02ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", // its modulus
		"02" + strings.Repeat("0", 63) + "1",                                 // x = 1 is on no point
	}
	var refused []string
	for _, k := range all {
		if _, err := wire.ParseP256(k); err != nil {
			refused = append(refused, k)
		}
	}
	return refused
}

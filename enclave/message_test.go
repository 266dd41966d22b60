package enclave

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// mail is the example of EIP-712, on the sandbox's base.
func mail(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../chain/evm/testdata/typed.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Messages []struct{ Data json.RawMessage }
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(file.Messages[0].Data), `"chainId": 1,`, `"chainId": 84532,`, 1)
}

// What was shown is signed, by the account, and the same for ever.
func TestSigning_MessageIsSignedAsPreviewed(t *testing.T) {
	w := newWorldWith(t, Options{every: 1 << 40})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	for kind, payload := range map[string]string{
		wire.MessageText: "Sign in to example.com", wire.MessageHex: "0x00ff", wire.MessageTypedData: mail(t),
	} {
		body := w.body(w.fresh(alice, wire.SignMessage, wire.SignMessageParams{
			SignWith: account.Address, Type: kind, Payload: payload,
		}))
		shown, err := w.preview(body)
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		if err != nil || out.State != wire.Done {
			t.Fatalf("%s: %s, %v", kind, out.State, err)
		}
		st := w.statement(out.Proof)
		got := st.Result.Signature
		if got == nil || got.Digest != shown.Message.Digest || got.SignWith != account.Address ||
			st.Result.Transaction != nil {
			t.Fatalf("%s: %+v, shown %+v", kind, st.Result, shown.Message)
		}
		if by := signerOf(t, got); by != account.Address {
			t.Errorf("%s: signed by %s", kind, by)
		}
		w.reopen()
		again, err := w.Outcome(wire.FingerprintRequest{Fingerprint: st.Fingerprint})
		if err != nil || !reflect.DeepEqual(w.statement(again.Proof), st) {
			t.Errorf("%s again: %v", kind, err)
		}
	}
}

func signerOf(t *testing.T, s *wire.Signature) string {
	t.Helper()
	raw, err := chain.ParseHex(s.Signature)
	digest, also := chain.ParseHex(s.Digest)
	if err != nil || also != nil || len(raw) != 65 || raw[64] != 27 && raw[64] != 28 {
		t.Fatalf("signature %s", s.Signature)
	}
	by, err := evm.RecoverAddress([32]byte(digest), evm.Signature{
		R: [32]byte(raw[:32]), S: [32]byte(raw[32:64]), V: raw[64] - 27,
	})
	if err != nil {
		t.Fatal(err)
	}
	return by.String()
}

func TestSigning_E12_RawDigestsAreDenied(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	digest := "0x" + strings.Repeat("ab", 32)
	ask := func() (wire.OutcomeState, *wire.Result) {
		body := w.body(w.fresh(alice, wire.SignMessage, wire.SignMessageParams{
			SignWith: account.Address, Type: wire.MessageRawDigest, Payload: digest,
		}))
		out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		if err != nil {
			t.Fatal(err)
		}
		return out.State, w.statement(out.Proof).Result
	}
	if state, r := ask(); state != wire.Denied || r.Denial.Rule != "rawDigest" || r.Signature != nil {
		t.Errorf("%s %+v", state, r)
	}
	w.must(alice, w.fresh(alice, wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: account.WalletID, Rules: wire.Rules{AllowRawDigests: true},
	}))
	if state, r := ask(); state != wire.Done || r.Signature.Digest != digest ||
		signerOf(t, r.Signature) != account.Address {
		t.Errorf("%s %+v", state, r)
	}
}

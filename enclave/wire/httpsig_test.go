package wire

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// The RFC's own example goes through the code that agents' signatures go through.
func TestAgents_VectorOfRFC9421(t *testing.T) {
	raw, err := os.ReadFile("testdata/rfc9421-b25.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Secret, Params, Input, Base, Signature string
		Covered                                []Covered
	}
	if err := json.Unmarshal(raw, &v); err != nil || len(v.Covered) != 3 {
		t.Fatalf("%+v, %v", v, err)
	}
	secret, err := base64.StdEncoding.DecodeString(v.Secret)
	if err != nil {
		t.Fatal(err)
	}
	base, input := SignatureBase(v.Covered, v.Params)
	if base != v.Base || input != v.Input {
		t.Errorf("base\n%s\ninput %s", base, input)
	}
	mac, err := hex.DecodeString(AgentMAC(string(secret), base))
	if got := base64.StdEncoding.EncodeToString(mac); err != nil || got != v.Signature {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAgents_BaseOfARequest(t *testing.T) {
	h := HTTPSignature{
		Authority: "api.example:8443", Query: "?a=b", Created: "1700000000", Expires: "1700000060",
		Nonce: "0123456789abcdef",
	}
	body := Digest(`{"hello": "world"}`)
	base, input := h.Base("7d1f0c7e-1111-4222-8333-944455556666", "POST", "/v1/agents/wallets", body)
	const params = `("@method" "@authority" "@path" "@query" "content-digest");created=1700000000;expires=1700000060;` +
		`nonce="0123456789abcdef";keyid="7d1f0c7e-1111-4222-8333-944455556666";alg="hmac-sha256";tag="railkit-agent"`
	const want = `"@method": POST
"@authority": api.example:8443
"@path": /v1/agents/wallets
"@query": ?a=b
"content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
"@signature-params": ` + params // the digest is that of RFC 9530, appendix D, of this body
	if base != want || input != params {
		t.Errorf("%s\n%s", base, input)
	}
}

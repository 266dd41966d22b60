package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"
)

func TestProof(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pinned := CompressP256(&key.PublicKey)
	p, err := SignStatement(key, Statement{Kind: KindState, Environment: "sandbox", Seq: "7", Head: "ab"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := SignStatement(key, Statement{Kind: KindState, Environment: "sandbox", Seq: "7", Head: "ab"})
	if err != nil || again != p {
		t.Fatalf("the same statement has two proofs: %v", err)
	}
	if st, err := p.Open(pinned); err != nil || st.Seq != "7" {
		t.Fatalf("Open = %+v, %v", st, err)
	}

	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := SignStatement(other, Statement{Kind: KindState, Environment: "sandbox", Seq: "7", Head: "ab"})
	if err != nil {
		t.Fatal(err)
	}
	claimed := foreign
	claimed.PublicKey = pinned
	changed := p
	changed.Payload = strings.Replace(p.Payload, `"7"`, `"8"`, 1)
	unsigned := p
	unsigned.Signature = ""
	for name, bad := range map[string]Proof{
		"another key": foreign, "another key's signature": claimed, "changed payload": changed,
		"no signature": unsigned,
	} {
		if _, err := bad.Open(pinned); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

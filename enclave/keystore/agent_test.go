package keystore

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

func TestAgents_MACOfASealedSecret(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	seen := map[string]bool{}
	for _, message := range []string{"", "GET/v1/agents", strings.Repeat("long", 1000)} {
		sealed, err := k.CreateSecret("org", "agent")
		if err != nil {
			t.Fatal(err)
		}
		var secret string
		if err := k.UseSecret("org", "agent", sealed, func(text []byte) error {
			secret = string(text)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(secret) != len(wire.AgentSecretPrefix)+43 || seen[secret] {
			t.Errorf("a secret of %d characters, or one made twice", len(secret))
		}
		seen[secret] = true
		mac, err := k.AgentMAC("org", "agent", sealed, message)
		if want := wire.AgentMAC(secret, message); err != nil || hex.EncodeToString(mac[:]) != want {
			t.Errorf("a message of %d bytes: %v", len(message), err)
		}
	}
}

// A sealed secret is of one agent, and of nothing else that is sealed.
func TestAgents_SealedSecretMoved(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	entropy := bytes.Repeat([]byte{5}, agentEntropy)
	own := secretOf("sandbox", "org", "agent")
	if err := k.CheckSecret("org", "agent", k.seal(own, entropy)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*record){
		"environment":  func(r *record) { r.environment = "production" },
		"organization": func(r *record) { r.organization = "org2" },
		"agent":        func(r *record) { r.owner = "agent2" },
		"type":         func(r *record) { r.kind = seedType },
		"version":      func(r *record) { r.version = 2 },
	} {
		other := own
		change(&other)
		if err := k.CheckSecret("org", "agent", k.seal(other, entropy)); !errors.Is(err, ErrSealed) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	sealed := k.seal(own, entropy)
	for i := range sealed {
		sealed[i] ^= 1
		if err := k.CheckSecret("org", "agent", sealed); !errors.Is(err, ErrSealed) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		sealed[i] ^= 1
	}
	if err := k.Load("org", "agent", sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("as a seed: %v", err)
	}
	if _, err := k.CreateSecret("", "agent"); !errors.Is(err, ErrUnnamed) {
		t.Errorf("without organization: %v", err)
	}
}

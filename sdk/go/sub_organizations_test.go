package railkit

import (
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// A statement from before a passkey was removed names it; one of now must not.
func TestSigning_S10_OwnersOverTime(t *testing.T) {
	lost, kept := Credential{ID: "lost", PublicKey: "l"}, Credential{ID: "kept", PublicKey: "k"}
	stated := func(key string, all ...Credential) *wire.Owners {
		o := &wire.Owners{RecoveryPublicKey: key}
		for _, c := range all {
			o.Credentials = append(o.Credentials, wire.Credential{CredentialID: c.ID, PublicKey: c.PublicKey})
		}
		return o
	}
	before := Owners{Credentials: []Credential{lost, kept}, RecoveryPublicKey: "02"}
	now := before.Without("lost")
	now.RecoveryPublicKey, now.FormerRecovery = "03", []string{"02"}
	for what, c := range map[string]struct {
		stated      *wire.Owners
		then, today bool
	}{
		"as it is":             {stated("03", kept), true, true},
		"as it was":            {stated("02", lost, kept), true, false},
		"the lost one again":   {stated("03", lost, kept), true, false},
		"a stranger":           {stated("03", kept, Credential{ID: "x", PublicKey: "y"}), false, false},
		"another key of his":   {stated("02", Credential{ID: "lost", PublicKey: "other"}), false, false},
		"another recovery key": {stated("04", kept), false, false},
		"none":                 {nil, false, false},
	} {
		if got := now.noStranger(c.stated) == nil; got != c.then {
			t.Errorf("%s: a stored statement passes: %v", what, got)
		}
		if got := now.match(c.stated) == nil; got != c.today {
			t.Errorf("%s: a statement of now passes: %v", what, got)
		}
	}
	if len(before.Former) != 0 || len(before.Credentials) != 2 {
		t.Errorf("Without changed what it was made of: %+v", before)
	}
}

package chain_test

import (
	"testing"

	"github.com/railkit/railkit/chain"
)

func TestAlike(t *testing.T) {
	const known = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
	for _, c := range []struct {
		name, other string
		alike       bool
	}{
		{"both ends, another middle", "0xab5b0000000000000000000000000000000aeC9b", true},
		{"three characters at each end", "0xAB5f1111111111111111111111111111111111c9b", true},
		{"only two at the end", "0xAb5801a7D398351b8bE11C439e05C5B3259aeC0B", false},
		{"only two at the beginning", "0xAb4801a7D398351b8bE11C439e05C5B3259aeC9B", false},
		{"the same", known, false},
		{"the same in lower case", "0xab5801a7d398351b8be11c439e05c5b3259aec9b", false},
		{"nothing", "", false},
		{"the prefix alone", "0x", false},
	} {
		if chain.Alike(known, c.other) != c.alike || chain.Alike(c.other, known) != c.alike {
			t.Errorf("%s: not %v", c.name, c.alike)
		}
	}
}

// In base58 another case is another address, and the hardest one to tell apart.
func TestAlike_Base58(t *testing.T) {
	const known = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	for other, alike := range map[string]bool{
		known: false, "9b5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g": true,
		"9B5abcdefghijk7uSQhPzdks5ZQSmWxrmzCSvtJ6nS6G": true, "8B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g": false,
	} {
		if chain.Alike(known, other) != alike || chain.Alike(other, known) != alike {
			t.Errorf("%s: not %v", other, alike)
		}
	}
}

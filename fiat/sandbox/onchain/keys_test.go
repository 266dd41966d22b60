package onchain

import (
	"encoding/hex"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
)

// The hardened chains of SLIP-0010's test vectors 1, with whose seed every step of both curves is in the document.
func TestKeys_SLIP10(t *testing.T) {
	seed, err := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		curve, secret, public string
		steps                 []uint32
	}{
		{"CURVE_SECP256K1", "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
			"0339a36013301597daef41fbe593a02cc513d0b55527ec2df1050e2e8ff49c85c2", nil},
		{"CURVE_SECP256K1", "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea",
			"035a784662a4a20a65bf6aab9ae98a6c068a81c52e4b032c0fb5400c706cfccc56", []uint32{0}},
		{"CURVE_ED25519", "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7",
			"a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed", nil},
		{"CURVE_ED25519", "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3",
			"8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c", []uint32{0}},
		{"CURVE_ED25519", "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793",
			"3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a", []uint32{0, 1, 2, 2, 1_000_000_000}},
	} {
		c := curves[v.curve]
		secret, err := c.walk(seed, v.steps...)
		if err != nil || hex.EncodeToString(secret) != v.secret || hex.EncodeToString(c.public(secret)) != v.public {
			t.Errorf("%s %v: %x, %x, %v", v.curve, v.steps, secret, c.public(secret), err)
		}
	}
}

// A folder of an older partner keeps its addresses: what is sent to one that nobody has the key of is lost.
func TestKeys_Stay(t *testing.T) {
	seed := Seed(make([]byte, 32))
	for kind, want := range map[chain.Kind][]string{
		chain.EVM: {
			"0x8669FB166244e43fF09496821bfE39Bb61a2aea5", "0x95C4A56Dcd3D8dbB5165131b572c44E4dd0Ea635",
			"0x3A9FA363E187E7c784726614F9BbEDE975a01eCF",
		},
		chain.Solana: {
			"3M7ZWcTRydoorwn8VsZ1MQsVhYsuANjcA4uncVKKtJPq", "HUmpzn51hH41K9gq2NfoLFZSVPFwyvoDdbRGwvwbBzPr",
			"C57xv3ULDUStVgmsZUiXYhWJEV9HGGxQ5AQWZRx7XE5P",
		},
	} {
		f, _ := families.Of(kind)
		for branch, address := range want {
			if k, err := seed.key(f, uint32(branch), 3); err != nil || k.address != address {
				t.Errorf("%s, branch %d: %s %v, want %s", kind, branch, k.address, err, address)
			}
		}
	}
}

// Each family has keys of its own, at a path that no other has: what a key of one signs is its own address's.
func TestKeys_OfEachFamily(t *testing.T) {
	seed, seen := Seed(make([]byte, 32)), map[string]bool{}
	for _, f := range families.All() {
		for _, at := range [][2]uint32{{Treasury, 0}, {Liquidation, 0}, {Liquidation, 1}, {Wallet, 0}} {
			k, err := seed.key(f, at[0], at[1])
			if err != nil || seen[k.address] || seen[string(k.secret)] {
				t.Fatalf("%s %v: %q twice, or %v", f.Kind(), at, k.address, err)
			}
			seen[k.address], seen[string(k.secret)] = true, true
			payload := make([]byte, 32)
			signature, err := k.sign(payload)
			if err != nil || f.Verify(k.address, payload, signature) != nil {
				t.Errorf("%s %v: %v", f.Kind(), at, err)
			}
		}
	}
}

package solana_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/solana"
)

var mainnet = chain.Network{
	Slug: "solana", Name: "Solana", Kind: chain.Solana, Cluster: "mainnet", Confirmations: 1,
	Native: chain.Token{Symbol: "SOL", Decimals: 9},
	Tokens: []chain.Token{{Symbol: "USDC", Address: usdc.String(), Decimals: 6}},
}

// recent are terms under which an intent of 100,000 units can be executed, changed.
func recent(change func(*chain.Recent)) chain.Terms {
	r := &chain.Recent{
		Blockhash: alice.String(), Version: "v0", Units: 100_000, LoadedBytes: 200_000, Priority: 1_000,
	}
	change(r)
	return chain.Terms{Recent: r}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	system, one := solana.SystemProgram.String(), usdc.String()
	chaintest.Run(t, chaintest.Case{
		Family: solana.Family{}, Network: mainnet,
		Spellings: [][]string{{one}, {system}, {stranger.String()}},
		Typos: []string{
			one[1:10], one + "1", "0" + one[1:], "l" + one[1:], system + "1", system[1:],
			"0x" + strings.Repeat("1", 32),
			"0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		},
		Nobody: []string{
			system, solana.TokenProgram.String(), solana.NativeMint.String(),
			"SysvarRent111111111111111111111111111111111",
		},
		NoToken:     []string{system, solana.TokenProgram.String(), solana.NativeMint.String()},
		NoSelectors: []string{"t", "0xa9059cbb", "02000000"},
		NoNetworks: map[string]func(*chain.Network){
			"chain id":      func(n *chain.Network) { n.ChainID = 1 },
			"no cluster":    func(n *chain.Network) { n.Cluster = "" },
			"other cluster": func(n *chain.Network) { n.Cluster = "Main net" },
			"decimals":      func(n *chain.Network) { n.Native.Decimals = 18 },
			"data fee":      func(n *chain.Network) { n.DataFee = true },
		},
		Messages:     map[string]string{chain.MessageText: "Hello, Solana"},
		OnlyPayments: true,
		Blockhashes:  []string{alice.String(), bob.String()},
		Terms: []chain.Terms{
			recent(func(*chain.Recent) {}),
			recent(func(r *chain.Recent) { r.Version = "v1" }),
			recent(func(r *chain.Recent) { r.Blockhash = bob.String() }),
			recent(func(r *chain.Recent) { r.LoadedBytes++ }),
			recent(func(r *chain.Recent) { r.Priority = 0 }),
			recent(func(r *chain.Recent) { r.Priority = 2_000 }),
			recent(func(r *chain.Recent) { r.Version, r.Priority = "v1", 1 }),
		},
		NoTerms: map[string]chain.Terms{
			"a nonce":          {Nonce: 1, Fee: chain.Fee{Max: big.NewInt(1), Priority: new(big.Int)}},
			"no version":       recent(func(r *chain.Recent) { r.Version = "" }),
			"legacy":           recent(func(r *chain.Recent) { r.Version = "legacy" }),
			"no blockhash":     recent(func(r *chain.Recent) { r.Blockhash = "" }),
			"a zero blockhash": recent(func(r *chain.Recent) { r.Blockhash = system }),
			"no units":         recent(func(r *chain.Recent) { r.Units = 0 }),
			"more units":       recent(func(r *chain.Recent) { r.Units = 100_001 }),
			"units over 32":    recent(func(r *chain.Recent) { r.Units = 1 << 32 }),
			"no loaded bytes":  recent(func(r *chain.Recent) { r.LoadedBytes = 0 }),
			"loaded over 32":   recent(func(r *chain.Recent) { r.LoadedBytes = 1<<32 + 1 }),
			"rent of a coin":   recent(func(r *chain.Recent) { r.Rent = 1 }),
			"too high a fee":   recent(func(r *chain.Recent) { r.Priority = 1 << 63 }),
		},
		MaxFee: func(_ chain.Intent, t chain.Terms) *big.Int {
			return new(big.Int).SetUint64(solana.FeePerSignature + t.Recent.Priority)
		},
	})
}

// Whatever the bytes are: no panic, what is read is written as the same bytes, and what is said to be a payment is what
// the signer makes of that payment.
func FuzzFamily(f *testing.F) {
	d := newDice(3)
	for range 30 {
		f.Add(mustEncode(f, d.transaction()))
	}
	for _, v := range []solana.Version{solana.V0, solana.V1} {
		for _, i := range []solana.Intent{{Source: alice, Destination: bob, Amount: 7, MaxFee: 1 << 20},
			{Source: alice, Destination: bob, Mint: carol, Decimals: 6, Amount: 7, MaxFee: 1 << 20, MaxRent: 9}} {
			m, err := i.Message(solana.Terms{
				Version: v, Blockhash: bob, Units: 9, LoadedBytes: 9, Priority: 9, Rent: i.MaxRent,
			})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(mustEncode(f, solana.Unsigned(m)))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		family := solana.Family{}
		if a, err := family.ParseAddress(string(raw)); err == nil && a != string(raw) {
			t.Fatalf("%q is spelt %q", raw, a)
		}
		family.Effects(chain.Network{}, alice.String(), chain.Call{To: bob.String(), Data: raw})
		if tx, signature, err := family.DecodeSigned(raw, ""); err == nil {
			again, err := family.Attach(tx, tx.Signers[0], signature)
			if err != nil || !bytes.Equal(again, raw) {
				t.Fatalf("%x is %x when it is signed again: %v", raw, again, err)
			}
		}
		if tx, err := family.DecodeUnsigned(raw); err == nil {
			readAgain(t, tx, raw)
		}
	})
}

func readAgain(t *testing.T, tx chain.Tx, raw []byte) {
	family := solana.Family{}
	family.Effects(chain.Network{}, tx.Signers[0], tx.Call)
	if !bytes.Equal(tx.Unsigned, raw) || len(tx.Signers) == 0 || tx.MaxFee == nil {
		t.Fatalf("%x is read as %+v", raw, tx)
	}
	if !tx.Plain {
		return
	}
	again, err := family.Assemble(chain.Network{}, chain.Intent{
		From: tx.Signers[0], Call: tx.Call, Gas: tx.Gas,
	}, chain.Terms{Recent: tx.Recent})
	if err != nil || !bytes.Equal(again.Unsigned, raw) {
		t.Fatalf("%x is %x as a payment: %v", raw, again.Unsigned, err)
	}
}

package tron_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/tron"
)

const nobody = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

// recent are terms under which an intent that may burn 1.1 TRX can be executed, changed.
func recent(change func(*chain.Recent)) chain.Terms {
	r := &chain.Recent{Blockhash: "7b3bb21ace8d6ac20e7e", Units: tron.Activation, Expires: 1_800_000_600_000}
	change(r)
	return chain.Terms{Recent: r}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	one := alice.String()
	chaintest.Run(t, chaintest.Case{
		Family: tron.Family{}, Network: mainnet,
		Spellings: [][]string{{one}, {nobody}, {usdt.String()}},
		Typos: []string{
			one[1:10], one + "1", one[:33] + "d", "0" + one[1:], strings.ToLower(one), strings.Repeat("1", 34),
			"415cd0fb0ab3ce40f3051414c604b27756e69e43db", "0x5cD0fB0Ab3Ce40F3051414c604b27756E69E43dB",
			"11111111111111111111111111111111",
		},
		Nobody:      []string{nobody, "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy"},
		NoToken:     []string{nobody, "1002000", "0x5cD0fB0Ab3Ce40F3051414c604b27756E69E43dB"},
		Selectors:   []string{"0xa9059cbb", "0x00000000"},
		NoSelectors: []string{"a9059cbb", "0xA9059CBB", "0xa9059cb", "transfer(address,uint256)"},
		NoNetworks: map[string]func(*chain.Network){
			"chain id":      func(n *chain.Network) { n.ChainID = 728126428 },
			"no cluster":    func(n *chain.Network) { n.Cluster = "" },
			"other cluster": func(n *chain.Network) { n.Cluster = "Main net" },
			"decimals":      func(n *chain.Network) { n.Native.Decimals = 18 },
			"free bytes":    func(n *chain.Network) { n.DataFee = false },
		},
		Messages: map[string]string{chain.MessageText: "Hello, Tron"},
		Gas:      tron.Activation,
		Terms: []chain.Terms{
			recent(func(*chain.Recent) {}),
			recent(func(r *chain.Recent) { r.Blockhash = "00000000000000000000" }),
			recent(func(r *chain.Recent) { r.Blockhash = "7b3cb21ace8d6ac20e7e" }),
			recent(func(r *chain.Recent) { r.Expires++ }),
			recent(func(r *chain.Recent) { r.Expires = 1<<42 - 1 }),
			recent(func(r *chain.Recent) { r.Expires = 600_001 }),
		},
		NoTerms: map[string]chain.Terms{
			"a nonce":           {Nonce: 1, Fee: chain.Fee{Max: big.NewInt(1), Priority: new(big.Int)}},
			"a version":         recent(func(r *chain.Recent) { r.Version = "v0" }),
			"loaded bytes":      recent(func(r *chain.Recent) { r.LoadedBytes = 1 }),
			"a priority":        recent(func(r *chain.Recent) { r.Priority = 1 }),
			"rent":              recent(func(r *chain.Recent) { r.Rent = 1 }),
			"no block":          recent(func(r *chain.Recent) { r.Blockhash = "" }),
			"a whole id":        recent(func(r *chain.Recent) { r.Blockhash = strings.Repeat("7b", 32) }),
			"upper case":        recent(func(r *chain.Recent) { r.Blockhash = "7B3BB21ACE8D6AC20E7E" }),
			"no hex":            recent(func(r *chain.Recent) { r.Blockhash = "7x3bb21ace8d6ac20e7e" }),
			"no units":          recent(func(r *chain.Recent) { r.Units = 0 }),
			"more units":        recent(func(r *chain.Recent) { r.Units = tron.Activation + 1 }),
			"no expiration":     recent(func(r *chain.Recent) { r.Expires = 0 }),
			"an early one":      recent(func(r *chain.Recent) { r.Expires = 600_000 }),
			"an endless one":    recent(func(r *chain.Recent) { r.Expires = 1 << 42 }),
			"one that is below": recent(func(r *chain.Recent) { r.Expires = -1 }),
		},
		MaxFee: func(i chain.Intent, t chain.Terms) *big.Int {
			if len(i.Data) == 0 {
				return big.NewInt(tron.Activation)
			}
			return new(big.Int).SetUint64(t.Recent.Units)
		},
	})
}

// The fee of a call is its fee_limit, of which the terms name less than the intent allows, and never more than nodes
// take. A transfer of TRX has none, and is counted as if it opened an account.
func TestFamily_Fees(t *testing.T) {
	t.Parallel()
	f := tron.Family{}
	token, err := f.Transfer(mainnet.Tokens[0], bob.String(), big.NewInt(5))
	coin, also := f.Transfer(mainnet.Native, bob.String(), big.NewInt(5))
	if err != nil || also != nil {
		t.Fatal(err, also)
	}
	terms := recent(func(r *chain.Recent) { r.Units = 27_000_000 })
	tx, err := f.Assemble(mainnet, chain.Intent{From: alice.String(), Call: token, Gas: 30_000_000}, terms)
	if err != nil || tx.Gas != 27_000_000 || tx.MaxFee.Int64() != 27_000_000 {
		t.Errorf("%+v %v", tx, err)
	}
	if raw, err := tron.Decode(tx.Unsigned); err != nil || raw.FeeLimit != 27_000_000 {
		t.Errorf("%+v %v", raw, err)
	}
	terms.Recent.Units = tron.MaxFeeLimit + 1
	free := chain.Intent{From: alice.String(), Call: token, Gas: 1 << 62}
	if tx, err := f.Assemble(mainnet, free, terms); err == nil {
		t.Errorf("%+v", tx)
	}
	tx, err = f.Assemble(mainnet, chain.Intent{From: alice.String(), Call: coin, Gas: 1}, terms)
	if err != nil || tx.MaxFee.Int64() != tron.Activation || !tx.Plain {
		t.Errorf("%+v %v", tx, err)
	}
	if raw, err := tron.Decode(tx.Unsigned); err != nil || raw.FeeLimit != 0 {
		t.Errorf("%+v %v", raw, err)
	}
}

// Intents that no terms make a transaction of are refused before anybody chose terms.
func TestFamily_CheckIntent(t *testing.T) {
	t.Parallel()
	f := tron.Family{}
	a, b, token := alice.String(), bob.String(), usdt.String()
	pay := func(to string) []byte {
		call, err := f.Transfer(mainnet.Tokens[0], to, big.NewInt(5))
		if err != nil {
			t.Fatal(err)
		}
		return call.Data
	}
	for name, c := range map[string]struct {
		call chain.Call
		gas  uint64
		ok   bool
	}{
		"TRX":                  {chain.Call{To: b, Value: big.NewInt(5)}, 1, true},
		"a token":              {chain.Call{To: token, Data: pay(b)}, 1, true},
		"another function":     {chain.Call{To: token, Data: []byte{1, 2, 3, 4}}, 1, true},
		"TRX to himself":       {chain.Call{To: a, Value: big.NewInt(5)}, 1, false},
		"no TRX":               {chain.Call{To: b}, 1, false},
		"TRX to nobody":        {chain.Call{To: nobody, Value: big.NewInt(5)}, 1, false},
		"a token to nobody":    {chain.Call{To: token, Data: pay(nobody)}, 1, false},
		"a call for nothing":   {chain.Call{To: token, Data: pay(b)}, 0, false},
		"more than there is":   {chain.Call{To: b, Value: new(big.Int).Lsh(big.NewInt(1), 63)}, 1, false},
		"rent":                 {chain.Call{To: b, Value: big.NewInt(5), Rent: 1}, 1, false},
		"to an address of EVM": {chain.Call{To: evm.Address(bob).String(), Value: big.NewInt(5)}, 1, false},
	} {
		if err := f.CheckIntent(mainnet, chain.Intent{From: a, Call: c.call, Gas: c.gas}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What others write that Assemble does not is read, and is not plain.
func TestFamily_NotPlain(t *testing.T) {
	t.Parallel()
	early, limited := transfer(), transfer()
	early.timestamp = number(14, 1_799_999_999_999)
	limited.fee = number(18, 1)
	for _, p := range []parts{early, limited} {
		tx, err := tron.Family{}.DecodeUnsigned(p.raw())
		if err != nil || tx.Plain || tx.MaxFee.Int64() != tron.Activation {
			t.Errorf("%+v %v", tx, err)
		}
	}
}

// One key signs for EVM and for Tron where both have its path. What it signs for the one is never what it signs for
// the other, and neither reads the bytes of the other.
func TestFamily_ApartFromEVM(t *testing.T) {
	t.Parallel()
	ours, theirs := tron.Family{}, evm.Family{}
	eth := evm.Address(alice).String()
	network := chain.Network{Kind: chain.EVM, ChainID: 1, Native: chain.Token{Symbol: "ETH", Decimals: 18}}
	call := chain.Call{To: evm.Address(bob).String(), Value: big.NewInt(5)}
	foreign, err := theirs.Assemble(network, chain.Intent{From: eth, Call: call, Gas: 21_000},
		chain.Terms{Fee: chain.Fee{Max: big.NewInt(1), Priority: new(big.Int)}})
	if err != nil {
		t.Fatal(err)
	}
	own, err := ours.DecodeUnsigned(transfer().raw())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ours.DecodeUnsigned(foreign.Unsigned); err == nil {
		t.Error("a transaction of EVM is read as one of Tron")
	}
	if _, err := theirs.DecodeUnsigned(own.Unsigned); err == nil {
		t.Error("a transaction of Tron is read as one of EVM")
	}
	id := sha256.Sum256(own.Unsigned)
	if !bytes.Equal(own.Payload, id[:]) || bytes.Equal(own.Payload, foreign.Payload) {
		t.Errorf("%x is signed", own.Payload)
	}
	for _, text := range []string{string(own.Unsigned), string(foreign.Unsigned), string(id[:]), "Hello"} {
		m, err := ours.ReadMessage(nil, alice.String(), chain.MessageText, text)
		other, also := theirs.ReadMessage(nil, eth, chain.MessageText, text)
		if err == nil && (also != nil || bytes.Equal(m.Payload, other.Payload) || bytes.Equal(m.Payload, id[:])) {
			t.Errorf("%q is signed alike: %x", text, m.Payload)
		}
	}
	for _, kind := range []string{chain.MessageRawDigest, chain.MessageHex, chain.MessageTypedData} {
		if m, err := ours.ReadMessage(nil, alice.String(), kind, chain.Hex(id[:])); err == nil {
			t.Errorf("%s: the id of a transaction is signed as a message: %+v", kind, m)
		}
	}
}

package localnet_test

import (
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
	"github.com/railkit/railkit/chain/solana/localnet"
)

// A program that another one calls does the same as one that the message calls, with no more rights.
func TestForwarder(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "dev_faucet", alice.String(), "native", "1")
	n.ask(nil, "dev_faucet", alice.String(), "USDC", "5")
	usdc, err := solana.ParseAddress(usdcMint)
	if err != nil {
		t.Fatal(err)
	}
	hash, _ := n.blockhash()
	pay := ledger.Forward(localnet.Forwarder, solana.TransferToken(alice, bob, usdc, 2_000_000, 6))
	text, _ := n.signed(solana.V0, hash, solana.CreateAssociated(alice, bob, usdc), pay)
	n.send(text)
	var held struct{ Value struct{ Amount string } }
	n.ask(&held, "getTokenAccountBalance", solana.AssociatedAddress(bob, usdc, solana.TokenProgram).String())
	if held.Value.Amount != "2000000" {
		t.Errorf("%+v", held)
	}
	for name, forwarded := range map[string]solana.Instruction{
		"who does not sign": solana.TransferToken(bob, alice, usdc, 1, 6),
		"a stranger":        {Program: solana.Address{5}},
		"itself":            {Program: localnet.Forwarder},
	} {
		i := ledger.Forward(localnet.Forwarder, forwarded)
		for at := range i.Accounts {
			i.Accounts[at].Signs = false
		}
		text, _ := n.signed(solana.V0, hash, i)
		if err := ask(n.url, "", nil, "sendTransaction", text, inBase64); err == nil {
			t.Errorf("%s: it is called", name)
		}
	}
}

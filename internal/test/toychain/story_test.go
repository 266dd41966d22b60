package toychain_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/toychain"
	railkit "github.com/railkit/railkit/sdk/go"
)

// story is an owner with an address on a toy network. Server, signer and SDK are those of every network.
type story struct {
	*testing.T
	app     *apptest.App
	client  *railkit.Client
	chain   *toychain.Chain
	network chain.Network
	token   chain.Token
	owner   apptest.Owner
	from    string
}

func newStory(t *testing.T) *story {
	t.Helper()
	network := toychain.Network()
	s := &story{T: t, chain: toychain.New(network), network: network, token: network.Tokens[0]}
	a := apptest.Rig(t, func(c *app.Config) {
		c.RPCURLs[network.Slug] = "http://toy.invalid"
		c.Dialers = map[chain.Kind]app.Dialer{
			toychain.Kind: func(context.Context, string, chain.Network) (node.Client, error) {
				return toychain.Node{Chain: s.chain}, nil
			},
		}
	})
	a.Prices(t, map[string]string{network.Native.Symbol: "2", s.token.Symbol: "1"})
	s.app, s.client = a, a.Client()
	s.owner = a.Register(s.client, "alice@example.com")
	var err error
	if s.owner.Wallet, err = s.client.Wallets.Create(t.Context(), s.owner.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Toys", SubOrganizationID: s.owner.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	if s.owner.Address, err = s.client.Addresses.Create(t.Context(), s.owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: s.owner.Wallet.WalletID, Chain: network.Slug,
	}); err != nil {
		t.Fatalf("%v\n%s", err, a.Log)
	}
	s.from = s.owner.Address.Address
	return s
}

// A wallet has an address on a network of another family, gets a deposit there, pays, signs a text, and is held to a
// policy; the SDK verifies each step.
func TestStory(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.derived()
	s.deposited()
	s.pays(s.network.Native, "0.25")
	s.app.StopEnclave()
	s.app.StartEnclave() // from its journal
	s.pays(s.token, "25.5")
	s.paysFromOutside()
	s.signs()
	s.allowsOne()
}

func (s *story) derived() {
	form := toychain.Family{}.Form()
	if a := s.owner.Address; a.AddressFormat != form.AddressFormat || a.Path != form.PathOf(0) || a.Chain != "toy" {
		s.Errorf("the address is %+v", a)
	}
}

// received are the arrivals in the wallet's history.
func (s *story) received() (all []railkit.WalletTransaction) {
	history, err := s.client.Wallets.ListTransactions(s.Context(), s.owner.Wallet.WalletID, railkit.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return slices.DeleteFunc(history.Items, func(t railkit.WalletTransaction) bool { return t.Type != "receive" })
}

func (s *story) arrives(status string) {
	s.Helper()
	apptest.Eventually(s, "the deposit is "+status, func() bool {
		all := s.received()
		return len(all) == 1 && all[0].Status == status && all[0].Amount == "500" && all[0].To == s.from &&
			all[0].TokenSymbol == s.token.Symbol && all[0].Network == s.network.Slug
	})
}

// A deposit is seen over slots without a block, is gone after a reorg, comes again, and is final at its depth.
func (s *story) deposited() {
	s.gives(s.network.Native, 1_000_000_000)
	s.chain.Mine(4)
	s.gives(s.token, 500_000_000)
	s.chain.Mine(7)
	s.arrives("pending")
	s.chain.Reorg(1)
	s.gives(s.network.Native, 1)
	s.chain.Mine(9)
	s.arrives("pending")
	s.chain.Mine(2)
	s.arrives("confirmed")
}

func (s *story) gives(t chain.Token, amount int64) {
	s.Helper()
	if _, err := s.chain.Pay(t, s.from, amount); err != nil {
		s.Fatal(err)
	}
}

func (s *story) payment(t chain.Token, to, amount string) railkit.PrepareTransactionRequest {
	r := railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, SignWith: s.from, Network: s.network.Slug, To: to, Amount: amount, PayAgain: true,
	}
	if t.Address != "" {
		r.Type, r.TokenAddress = railkit.TransferToken, t.Address
	}
	return r
}

// pays sends, mines after slots without a block, and waits for the depth.
func (s *story) pays(t chain.Token, amount string) {
	s.Helper()
	before := s.chain.Balance(t, one)
	sent, err := s.client.Transactions.Send(s.Context(), s.owner.Passkey, s.payment(t, one, amount))
	if err != nil {
		s.Fatal(err)
	}
	s.mined(sent)
	units, err := chain.ParseUnits(amount, t.Decimals)
	if got := s.chain.Balance(t, one) - before; err != nil || got != units.Uint64() {
		s.Errorf("%d of %s arrived: %v", got, t.Symbol, err)
	}
}

// mined waits until a transaction that was sent is confirmed, in a slot after some without a block.
func (s *story) mined(sent *railkit.Transaction) {
	s.Helper()
	if known, err := (toychain.Node{Chain: s.chain}).Known(s.Context(), sent.TxHash); !known || err != nil {
		s.Errorf("the node does not know %s, which is %s: %v", sent.TxHash, sent.Status, err)
	}
	for _, empty := range []int64{6, 0, 3} {
		s.chain.Mine(empty)
	}
	done, err := s.client.Transactions.WaitConfirmed(s.Context(), sent.TransactionID, 50*time.Millisecond)
	if err != nil || done.TxHash != sent.TxHash {
		s.Fatalf("%+v, %v", done, err)
	}
}

// A key that no wallet has signs what the server prepared.
func (s *story) paysFromOutside() {
	p, balance := newPayer(s.T), s.chain.Balance(s.token, one)
	for t, amount := range map[chain.Token]int64{s.network.Native: 1_000_000, s.token: 7} {
		if _, err := s.chain.Pay(t, p.address, amount); err != nil {
			s.Fatal(err)
		}
	}
	s.chain.Mine(1)
	req := s.payment(s.token, one, "0.000007")
	req.SignWith = p.address
	prepared, err := s.client.Transactions.PrepareExternal(s.Context(), req)
	if err != nil {
		s.Fatal(err)
	}
	raw, err := toychain.Family{}.Attach(prepared.Tx, p.address, ed25519.Sign(p.key, prepared.Tx.Payload))
	if err != nil {
		s.Fatal(err)
	}
	sent, err := s.client.Transactions.ConfirmSigned(s.Context(), railkit.ConfirmSignedRequest{
		TransactionID: prepared.TransactionID, SignedTransaction: chain.Hex(raw),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.mined(sent)
	if got := s.chain.Balance(s.token, one) - balance; got != 7 {
		s.Errorf("%d arrived", got)
	}
}

// A text is signed by the key that the address is.
func (s *story) signs() {
	req := railkit.SignMessageRequest{SignWith: s.from, Type: railkit.MessageText, Payload: "Hello, toys"}
	p, err := s.client.Messages.Prepare(s.Context(), req)
	if err != nil {
		s.Fatal(err)
	}
	stamped, err := p.Stamp(s.owner.Passkey)
	if err != nil {
		s.Fatal(err)
	}
	req.SignedActivity = &stamped
	signed, err := s.client.Messages.Sign(s.Context(), req)
	if err != nil {
		s.Fatal(err)
	}
	key, err := toychain.PublicKey(s.from)
	if err != nil {
		s.Fatal(err)
	}
	m, err := toychain.Family{}.ReadMessage(nil, s.from, req.Type, req.Payload)
	signature, also := toychain.ReadSignature(signed.Signature)
	if err != nil || also != nil || !ed25519.Verify(key, m.Payload, signature) {
		s.Errorf("%q is no signature of the text: %v %v", signed.Signature, err, also)
	}
}

// A policy that names one payee refuses another whose address differs in the case of one letter.
func (s *story) allowsOne() {
	other := toychain.OtherCase(one)
	policy, err := s.client.Policies.Create(s.Context(), railkit.PolicyRequest{
		Name: "One", WalletID: s.owner.Wallet.WalletID,
		Rules: railkit.PolicyRules{AllowedDestinations: []string{one}},
	})
	if err != nil || !slices.Equal(policy.Rules.AllowedDestinations, []string{one}) {
		s.Fatalf("%+v %v", policy, err)
	}
	for _, t := range []chain.Token{s.network.Native, s.token} {
		s.pays(t, "0.01")
		_, err := s.client.Transactions.Send(s.Context(), s.owner.Passkey, s.payment(t, other, "0.01"))
		var denied *railkit.Error
		if !errors.As(err, &denied) || denied.Code != "policy_denied" ||
			denied.Details["rule"] != "allowedDestinations" {
			s.Errorf("%s to %s, where %s is allowed: %v", t.Symbol, other, one, err)
		}
	}
	if s.chain.Balance(s.token, other) != 0 {
		s.Error("the other one was paid")
	}
}

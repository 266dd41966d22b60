package demo

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// What the story is about.
const (
	network  = "base"
	token    = "USDC"
	decimals = 6 // of the token
	amount   = "25.50"
	path     = "m/44'/60'/0'/0/0"
	email    = "ada@example.com"

	fundNative = "1"
	fundToken  = "300"
	feeLimit   = "10000000000000000" // 0.01 ETH in wei: more than any network asks for a transfer
)

// story is what the steps hand on to each other.
type story struct {
	Options
	recorder *recorder
	facts    Facts
	memory   *railkit.Memory
	client   *railkit.Client
	passkey  railkit.Passkey
	second   railkit.Passkey // of another user, who votes

	code     *ecdsa.PrivateKey // for when the passkey is lost
	owner    *railkit.Registration
	wallet   *railkit.CreatedWallet
	account  *railkit.Address
	receiver string
	fee      string // the most that the payment may cost, in wei
	sent     *railkit.Transaction
	done     *railkit.Broadcast
	received *big.Int
	trader   *trader
	again    repeated
	out      payouts
	in       payIns
	agent    *agent
	shopper  *shopper
}

// step is one line of the story. do tells what came of it.
type step struct {
	what string
	do   func(context.Context) (string, error)
}

func (s *story) steps() []step {
	solana, later := solanaSteps(s)
	return slices.Concat([]step{
		{"The server answers", s.health},
		{"The sandbox has a workspace and a key", s.workspace},
		{"A passkey registers, and is the owner", s.register},
		{"The passkey stamps a wallet", s.createWallet},
		{"The passkey stamps an address", s.createAccount},
		{"The faucet sends " + fundNative + " ETH, " + fundToken + " " + token, s.fund},
		{amount + " " + token + ": shown, stamped and sent", s.pay},
		{"It is confirmed; the node agrees", s.confirm},
		{"Tampered stamp, body, preview", s.tamper},
		{"A key outside signs and is confirmed", s.signOutside},
		{"One call, sent twice under one key", s.sendTwice},
	}, s.payoutSteps(), s.payInSteps(), []step{
		{"The statement adds up, in and out", s.balance},
	}, s.agentSteps(), s.shopperSteps(), s.tradeSteps(), solana, onTron(s).steps(), []step{
		{"A policy stops " + tooMuch + " " + token, s.limit},
		{dear + " " + token + " wait for a second passkey", s.agree},
	}, later, []step{
		{"A lost passkey is recovered", s.recover},
		{"The operator opens a workspace", s.operate},
		{"Killed (SIGKILL) and started again", s.restart},
		{"The record of who changed what", s.readRecord},
	})
}

func (s *story) health(ctx context.Context) (string, error) {
	h, err := s.client.Health(ctx)
	if err != nil {
		return "", err
	}
	if h.Status != "ok" || h.Environment != "sandbox" {
		return "", fmt.Errorf("the server says %q in environment %q", h.Status, h.Environment)
	}
	return h.Service + " " + h.Version + ", " + h.Environment, nil
}

func (s *story) workspace(ctx context.Context) (string, error) {
	if _, err := s.client.Wallets.List(ctx, railkit.WalletListOptions{}); err != nil {
		return "", fmt.Errorf("using the key: %w", err)
	}
	return "key " + maskKey(s.facts.APIKey), nil
}

func (s *story) register(ctx context.Context) (string, error) {
	s.passkey = railkit.FromAuthenticator(passkey.New(s.facts.CeremonyOrigin))
	code, err := s.newCode()
	if err != nil {
		return "", err
	}
	s.owner, err = s.client.SubOrganizations.Create(ctx, s.passkey, railkit.RegisterParams{
		Email: email, Name: "Ada", Label: "Demo passkey", RecoveryPublicKey: code,
	})
	if err != nil {
		return "", err
	}
	return "sub-org " + short(s.owner.SubOrganizationID), nil
}

func (s *story) createWallet(ctx context.Context) (string, error) {
	var err error
	s.wallet, err = s.client.Wallets.Create(ctx, s.passkey, railkit.PrepareWalletRequest{
		WalletName: "Ada's wallet", SubOrganizationID: s.owner.SubOrganizationID,
	})
	if err != nil {
		return "", err
	}
	return "wallet " + short(s.wallet.WalletID), nil
}

func (s *story) createAccount(ctx context.Context) (string, error) {
	var err error
	s.account, err = s.client.Addresses.Create(ctx, s.passkey, railkit.PrepareAccountRequest{
		WalletID: s.wallet.WalletID, Chain: network, Name: "Payments", Path: path,
	})
	if err != nil {
		return "", err
	}
	return short(s.account.Address) + " " + s.account.Path, nil
}

// fund asks for money and waits until the node, not the server, says it is there.
func (s *story) fund(ctx context.Context) (string, error) {
	to := s.account.Address
	if _, err := s.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: network, Address: to, Asset: "native", Amount: fundNative,
	}); err != nil {
		return "", err
	}
	drop, err := s.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: network, Address: to, Asset: token, Amount: fundToken,
	})
	if err != nil {
		return "", err
	}
	node := s.node()
	err = s.until(ctx, "the faucet's money to arrive", func() (bool, error) {
		coins, err := node.balance(ctx, to)
		if err != nil {
			return false, err
		}
		tokens, err := node.tokenBalance(ctx, s.facts.Tokens[token], to)
		return err == nil && coins.Sign() > 0 && tokens.Sign() > 0, err
	})
	if err != nil {
		return "", err
	}
	return "tx " + short(drop.TxHash), s.seeReceived(ctx, drop.TxHash)
}

// seeReceived waits until the wallet's history has what came in.
func (s *story) seeReceived(ctx context.Context, hash string) error {
	return s.until(ctx, "the faucet's money to be in the wallet's history", func() (bool, error) {
		history, err := s.client.Wallets.ListTransactions(ctx, s.account.WalletID, railkit.ListOptions{})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(history.Items, func(l railkit.WalletTransaction) bool {
			return l.Type == "receive" && l.TxHash == hash && l.Amount == fundToken && l.Status == "confirmed"
		}), nil
	})
}

func (s *story) node() node { return node{url: s.facts.EVMRPCURL, transport: s.recorder} }

func (s *story) until(ctx context.Context, what string, done func() (bool, error)) error {
	for {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(s.Poll):
		}
	}
}

// transfer is a wish of the story's payer.
func (s *story) transfer(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: s.account.Address, ChainID: s.facts.ChainID, To: s.receiver,
		Amount: amount, TokenAddress: s.facts.Tokens[token], FeeLimit: feeLimit,
	}
}

// pay takes the two steps one by one: between them, Prepared.Shown is what a
// person would be shown.
func (s *story) pay(ctx context.Context) (string, error) {
	to := make([]byte, 20)
	if _, err := rand.Read(to); err != nil {
		return "", err
	}
	s.receiver = "0x" + hex.EncodeToString(to)
	p, err := s.client.Transactions.Prepare(ctx, s.transfer(amount))
	if err != nil {
		return "", err
	}
	s.fee = p.Shown.MaxTotalFee
	signed, err := s.stamp(p.Prepared)
	if err != nil {
		return "", err
	}
	s.sent, err = s.client.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: signed,
	})
	if err != nil {
		return "", err
	}
	return "tx " + short(s.sent.TxHash), nil
}

func (s *story) stamp(p railkit.Prepared) (railkit.SignedActivity, error) {
	stamp, err := s.passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		return railkit.SignedActivity{}, fmt.Errorf("stamping: %w", err)
	}
	return p.Signed(stamp), nil
}

func (s *story) confirm(ctx context.Context) (string, error) {
	var err error
	if s.done, err = s.client.Transactions.WaitConfirmed(ctx, s.sent.TransactionID, s.Poll); err != nil {
		return "", err
	}
	if s.done.TxHash != s.sent.TxHash {
		return "", errors.New("another transaction was confirmed than the enclave signed")
	}
	if s.received, err = s.node().tokenBalance(ctx, s.facts.Tokens[token], s.receiver); err != nil {
		return "", err
	}
	if got := formatUnits(s.received, decimals); got != "25.5" {
		return "", fmt.Errorf("the node says that the receiver has %s %s, not 25.5", got, token)
	}
	return "the receiver has " + formatUnits(s.received, decimals) + " " + token, nil
}

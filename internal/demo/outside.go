package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	railkit "github.com/railkit/railkit/sdk/go"
)

// outsideAmount is what the key outside pays, in the chain's own coin.
const outsideAmount = "0.25"

// signOutside pays from a key that no wallet and no enclave has: the server
// writes the transaction, and the demo checks and signs it.
func (s *story) signOutside(ctx context.Context) (string, error) {
	secret, from, err := newKey()
	if err != nil {
		return "", err
	}
	if _, err := s.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: network, Address: from.String(), Asset: "native", Amount: fundNative,
	}); err != nil {
		return "", err
	}
	err = s.until(ctx, "the faucet's money to arrive", func() (bool, error) {
		coins, err := s.node().balance(ctx, from.String())
		return err == nil && coins.Sign() > 0, err
	})
	if err != nil {
		return "", err
	}
	p, err := s.client.Transactions.PrepareExternal(ctx, railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, SignWith: from.String(), ChainID: s.facts.ChainID, To: s.receiver,
		Amount: outsideAmount, FeeLimit: feeLimit,
	})
	if err != nil {
		return "", err
	}
	tx, err := evm.DecodeUnsigned(p.Tx.Unsigned)
	if err != nil {
		return "", fmt.Errorf("reading the bytes to sign: %w", err)
	}
	raw, err := evm.SignTx(tx, secret, from)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	sent, err := s.client.Transactions.ConfirmSigned(ctx, railkit.ConfirmSignedRequest{
		TransactionID: p.TransactionID, SignedTransaction: chain.Hex(raw),
	})
	if err != nil {
		return "", err
	}
	done, err := s.client.Transactions.WaitConfirmed(ctx, p.TransactionID, s.Poll)
	if err == nil && done.TxHash != sent.TxHash {
		err = errors.New("another transaction was confirmed than the key signed")
	}
	return "tx " + short(sent.TxHash), err
}

// newKey makes a key of the demo's own.
func newKey() ([]byte, evm.Address, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, evm.Address{}, err
	}
	from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed())
	return secret, from, err
}

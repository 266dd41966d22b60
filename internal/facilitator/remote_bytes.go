package facilitator

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	railkit "github.com/railkit/railkit/sdk/go"
)

// RemoteBytes signs by an account of the signer on Solana, as Remote does by one on EVM. Under the delegation the
// account pays the fee of what others have signed, and is in no other part of it.
type RemoteBytes struct {
	remote  Remote
	account solana.Address
	network string // slug
}

// NewRemoteBytes makes a signer for the network of a slug. The client checks what it is shown against the signer's
// identity key.
func NewRemoteBytes(c *railkit.Client, key *ecdsa.PrivateKey, account solana.Address, network string) *RemoteBytes {
	return &RemoteBytes{Remote{client: c, key: key}, account, network}
}

// Account is the one that pays for fees.
func (r *RemoteBytes) Account() solana.Address { return r.account }

// AskBytes has the server prepare the body, checks that it is for this transaction, and stamps it.
func (r *RemoteBytes) AskBytes(ctx context.Context, unsigned []byte) ([]byte, error) {
	return r.remote.ask(ctx, railkit.SignTransactionRequest{
		SignWith: r.account.String(), UnsignedTransaction: chain.Hex(unsigned),
		Type: railkit.TypeSolana, Network: r.network,
	}, 0)
}

// SignBytes has the stamped body signed. The signer signs a body once, and gives that to whoever asks again.
func (r *RemoteBytes) SignBytes(ctx context.Context, request []byte) ([]byte, error) {
	var ask railkit.SignTransactionRequest
	if err := json.Unmarshal(request, &ask); err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	unsigned, err := chain.ParseHex(ask.UnsignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	t, err := r.remote.client.Transactions.Sign(ctx, ask)
	if err != nil {
		return nil, meaning(err, 0)
	}
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a signed transaction: %w", err)
	}
	want, err := solana.DecodeTransaction(unsigned)
	got, err2 := solana.DecodeTransaction(raw)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("reading a signed transaction: %w", err)
	}
	message, err := got.Message.Encode()
	wanted, err2 := want.Message.Encode()
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(message, wanted) || got.Keys[0] != r.account ||
		len(got.Missing()) > 0 || got.Verify() != nil {
		return nil, errors.Join(errors.New("the server answers with another transaction"), err)
	}
	return raw, nil
}

// Cancel has the server cancel the body at the signer.
func (r *RemoteBytes) Cancel(ctx context.Context, request []byte) error {
	return r.remote.Cancel(ctx, request)
}

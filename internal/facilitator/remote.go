package facilitator

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Remote signs by an account of the signer, over the API. What it stamps with is the key of a delegation, which can
// have the account sign settlements and nothing else.
type Remote struct {
	client  *railkit.Client
	key     *ecdsa.PrivateKey
	account evm.Address
}

// NewRemote makes a signer. The client checks what it is shown against the signer's identity key.
func NewRemote(c *railkit.Client, key *ecdsa.PrivateKey, account evm.Address) *Remote {
	return &Remote{client: c, key: key, account: account}
}

// Address is the account that pays for gas.
func (r *Remote) Address() evm.Address { return r.account }

// Ask has the server prepare the body, checks that it is for this transaction, and stamps it.
func (r *Remote) Ask(ctx context.Context, tx evm.Tx) ([]byte, error) {
	ask := railkit.SignTransactionRequest{
		SignWith: r.account.String(), UnsignedTransaction: chain.Hex(tx.Unsigned()), Type: railkit.TypeEthereum,
		ChainID: tx.ChainID,
	}
	p, err := r.client.Transactions.PrepareSigning(ctx, ask)
	if err != nil {
		return nil, meaning(err, tx.Nonce)
	}
	stamp, err := r.stamp(p.UnsignedActivity.Body)
	if err != nil {
		return nil, err
	}
	signed := p.Signed(stamp)
	ask.SignedActivity = &signed
	return json.Marshal(ask)
}

// stamp is the key's signature over a body, in the form of an API key's.
func (r *Remote) stamp(body string) (railkit.Stamp, error) {
	sum := sha256.Sum256([]byte(body))
	der, err := ecdsa.SignASN1(rand.Reader, r.key, sum[:])
	if err != nil {
		return railkit.Stamp{}, err
	}
	text, err := json.Marshal(map[string]string{
		"publicKey": wire.CompressP256(&r.key.PublicKey), "scheme": "SIGNATURE_SCHEME_TK_API_P256",
		"signature": hex.EncodeToString(der),
	})
	return railkit.Stamp{HeaderName: "X-Stamp", HeaderValue: base64.RawURLEncoding.EncodeToString(text)}, err
}

// Sign has the stamped body signed. The signer signs a body once, and gives that to whoever asks again.
func (r *Remote) Sign(ctx context.Context, request []byte) ([]byte, error) {
	var ask railkit.SignTransactionRequest
	if err := json.Unmarshal(request, &ask); err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	unsigned, err := chain.ParseHex(ask.UnsignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	want, err := evm.DecodeUnsigned(unsigned)
	if err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	t, err := r.client.Transactions.Sign(ctx, ask)
	if err != nil {
		return nil, meaning(err, want.Nonce)
	}
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return nil, fmt.Errorf("reading a signed transaction: %w", err)
	}
	got, _, err := evm.DecodeSigned(raw)
	from, err2 := evm.Recover(raw)
	if err := errors.Join(err, err2); err != nil || got.Digest() != want.Digest() || from != r.account {
		return nil, errors.Join(errors.New("the server answers with another transaction"), err)
	}
	return raw, nil
}

// never are the refusals after which a body will not be signed any more.
var never = []string{
	"policy_denied", "activity_expired", "activity_cancelled", "activity_invalid", "request_expired",
	"validation_failed", "account_unknown", "passkey_signature_invalid", "stamped_body_differs",
}

// meaning tells what a refusal says of the request. Whatever waits for votes is signed under no nonce but its own, if
// that is still free when the votes are there.
func meaning(err error, nonce uint64) error {
	if _, waits := errors.AsType[*railkit.QueuedError](err); waits {
		return fmt.Errorf("%w: no delegation covers it, and it waits for votes: %w", ErrNotSigned, err)
	}
	e, ok := errors.AsType[*railkit.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case "nonce_taken":
		return NextNonce(nonce + 1)
	case "nonce_not_next":
		_, text, _ := strings.Cut(e.Message, "which is ") // docs/errors.md: the message names it
		if next, err := strconv.ParseUint(strings.TrimSuffix(text, "."), 10, 64); err == nil {
			return NextNonce(next)
		}
	}
	for _, code := range never {
		if e.Code == code {
			return fmt.Errorf("%w: %w", ErrNotSigned, err)
		}
	}
	return err
}

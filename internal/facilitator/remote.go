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
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
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
	return r.ask(ctx, ask, tx.Nonce)
}

// ask has the server prepare the body of a request, and stamps it.
func (r *Remote) ask(ctx context.Context, ask railkit.SignTransactionRequest, nonce uint64) ([]byte, error) {
	p, err := r.client.Transactions.PrepareSigning(ctx, ask)
	if err != nil {
		return nil, meaning(err, nonce)
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

// Cancel has the server cancel the body at the signer. Where it waits for votes it is rejected, which needs no passkey.
func (r *Remote) Cancel(ctx context.Context, request []byte) error {
	id, err := activityOf(request)
	if err != nil {
		return err
	}
	if _, err = r.client.Transactions.Cancel(ctx, id); err == nil {
		return nil
	}
	if e, ok := errors.AsType[*railkit.Error](err); !ok || e.Code != "not_awaiting_signature" {
		return fmt.Errorf("cancelling a request: %w", err)
	}
	t, err := r.client.Transactions.Get(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("cancelling a request: %w", err)
	case t.TxHash != "":
		return ErrSigned
	case t.Status == railkit.StatusAwaitingApproval:
		if _, err := r.client.Approvals.Reject(ctx, t.ApprovalID, "the facilitator takes it back"); err != nil {
			return fmt.Errorf("cancelling a request that waits for votes: %w", err)
		}
	case t.Status != railkit.StatusCancelled && t.Status != railkit.StatusExpired && t.Status != railkit.StatusFailed:
		return fmt.Errorf("cancelling a request: it is %s", t.Status)
	}
	return nil
}

// activityOf is the id of the transaction that a request is about, as the API has it.
func activityOf(request []byte) (string, error) {
	var ask railkit.SignTransactionRequest
	var body wire.Body
	err := json.Unmarshal(request, &ask)
	if err == nil && ask.SignedActivity == nil {
		err = errors.New("it is not stamped")
	}
	if err == nil {
		err = json.Unmarshal([]byte(ask.SignedActivity.Body), &body)
	}
	if err != nil {
		return "", fmt.Errorf("reading a request: %w", err)
	}
	return body.ActivityID, nil
}

// dead are the refusals after which nobody can have a body signed any more.
var dead = []string{
	"policy_denied", "activity_expired", "activity_cancelled", "transaction_expired", "transaction_cancelled",
}

// meaning tells what an answer says of the request. Any other refusal of the body leaves it alive: it may be signed
// when somebody asks again. What was not looked at, for its caller's sake or the server's, is no refusal.
func meaning(err error, nonce uint64) error {
	if _, waits := errors.AsType[*railkit.QueuedError](err); waits {
		return fmt.Errorf("%w: no delegation covers it, and it waits for votes: %w", ErrRefused, err)
	}
	e, ok := errors.AsType[*railkit.Error](err)
	if !ok {
		return err
	}
	switch {
	case slices.Contains(dead, e.Code):
		return fmt.Errorf("%w: %w", ErrNotSigned, err)
	case e.Code == "would_fail":
		return fmt.Errorf("%w: %w: %w", ErrRefused, node.ErrReverts, err)
	case e.Code == "nonce_taken":
		return errors.Join(ErrRefused, NextNonce(nonce+1))
	case e.Code == "nonce_not_next":
		_, text, _ := strings.Cut(e.Message, "which is ") // docs/errors.md: the message names it
		if next, err := strconv.ParseUint(strings.TrimSuffix(text, "."), 10, 64); err == nil {
			return errors.Join(ErrRefused, NextNonce(next))
		}
	}
	if slices.Contains([]int{400, 404, 409, 410, 422}, e.Status) && e.Code != "idempotency_key_in_flight" {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

package railkit

import (
	"context"
	"errors"
	"net/http"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// Who holds the key of a transaction's sender.
const (
	CustodyEnclave  = "enclave"  // a wallet: its owner stamps
	CustodyExternal = "external" // an address of no wallet: its owner signs
)

// ErrExternal says that there is nothing to stamp: the server knows SignWith as
// an address of no wallet. Whoever holds its key uses PrepareExternal.
var ErrExternal = errors.New("railkit: SignWith is an address of no wallet, so no passkey can stamp; use PrepareExternal and ConfirmSigned")

// ErrNotExternal says that SignWith is an address of a wallet.
var ErrNotExternal = errors.New("railkit: SignWith is an address of a wallet, whose passkey stamps; use PrepareTransaction")

// ExternalTransaction waits for a signature by a key that the caller holds. No
// policy and no approval applies to it.
type ExternalTransaction struct {
	PreparedTransaction
	// Tx is UnsignedTransaction, read and found to be what was asked for. Its
	// nonce is the server's proposal: an own counter knows better.
	Tx evm.Tx
}

// PrepareExternal asks for a transaction that the caller signs with a key of its
// own, and checks its very bytes: what it is, to whom, and that its fee is
// within the limit. No enclave vouches for them, so the data fee that some networks
// take beside it (base, optimism) is not checked: it depends on these bytes alone.
func (c *Client) PrepareExternal(ctx context.Context, req PrepareTransactionRequest) (*ExternalTransaction, error) {
	from, err := evm.ParseAddress(req.SignWith)
	if err != nil {
		return nil, errors.New("railkit: SignWith is not an address")
	}
	e := &expectation{PrepareTransactionRequest: req, from: from.String()}
	if e.limit, err = feeLimit(req); err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/prepare", body: req})
	if err != nil {
		return nil, err
	}
	if r.Data.Custody != CustodyExternal {
		return nil, ErrNotExternal
	}
	tx, err := e.matchBytes(from, &r.Data)
	if err != nil {
		return nil, err
	}
	if err := c.notePrepared(ctx, e, r.Data.TransactionID); err != nil {
		return nil, err
	}
	return &ExternalTransaction{PreparedTransaction: r.Data, Tx: tx}, nil
}

// matchBytes holds exact bytes against what was asked for, in the same words as
// an enclave's preview.
func (e *expectation) matchBytes(from evm.Address, answer *PreparedTransaction) (evm.Tx, error) {
	tx, err := readUnsigned(answer.UnsignedTransaction)
	if err != nil {
		return tx, tampered(ReasonBody, "unsignedTransaction: %v", err)
	}
	if tx.ChainID != e.ChainID || answer.ChainID != e.ChainID || !sameHex(answer.From, e.from) {
		return tx, tampered(ReasonResult, "the answer names another sender or chain than was asked for")
	}
	if e.limit != nil && tx.MaxFee().Cmp(e.limit) > 0 {
		return tx, tampered(ReasonFee, "the transaction may cost %s wei, the limit is %s", tx.MaxFee(), e.limit)
	}
	if e.Type == SignExact {
		asked, err := readUnsigned(e.UnsignedTransaction)
		if err != nil || asked.Digest() != tx.Digest() {
			return tx, tampered(ReasonBody, "the answer has other bytes than was asked for")
		}
		return tx, nil
	}
	if tx.Type != evm.DynamicFee || len(tx.AccessList) > 0 || tx.To == nil {
		return tx, tampered(ReasonBody, "the bytes are a transaction of another form than was asked for")
	}
	p, shown := intentOf(tx, from)
	return tx, e.matchIntent(&p, &shown)
}

// intentOf says what bytes do as a body and a preview would.
func intentOf(tx evm.Tx, from evm.Address) (wire.SignIntentParams, Preview) {
	network := networkOf(tx.ChainID)
	p := wire.SignIntentParams{
		SignWith: from.String(), Chain: network.Slug, ChainID: decimal(tx.ChainID), To: tx.To.String(), Value: tx.Value.String(),
		Data: evm.Hex(tx.Data), GasLimit: decimal(tx.GasLimit), MaxTotalFee: tx.MaxFee().String(),
	}
	return p, Preview{
		SignWith: p.SignWith, Chain: p.Chain, ChainID: p.ChainID, Effects: tx.Effects(from, network), MaxTotalFee: p.MaxTotalFee,
	}
}

// networkOf is the network of a chain id, of either environment.
func networkOf(chainID uint64) chain.Network {
	network, known := chain.ByChainID(chain.Sandbox, chainID)
	if !known {
		network, _ = chain.ByChainID(chain.Production, chainID)
	}
	return network
}

// readUnsigned reads a transaction in its one encoding.
func readUnsigned(text string) (evm.Tx, error) {
	raw, err := evm.ParseHex(text)
	if err != nil {
		return evm.Tx{}, err
	}
	return evm.DecodeUnsigned(raw)
}

// ConfirmSignedRequest hands in what the caller's own key signed.
type ConfirmSignedRequest struct {
	TransactionID     string `json:"transactionId"`
	SignedTransaction string `json:"signedTransaction"`   // hex: the prepared bytes and their signature
	Broadcast         *bool  `json:"broadcast,omitempty"` // default true
}

// ConfirmSigned hands in signed bytes and checks that the answer is about them.
func (c *Client) ConfirmSigned(ctx context.Context, req ConfirmSignedRequest) (*Transaction, error) {
	if err := c.notePaid(ctx, req.TransactionID); err != nil {
		return nil, err
	}
	r, err := send[Transaction](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/confirm", body: req})
	if err != nil {
		return nil, err
	}
	if r.Data.TransactionID != req.TransactionID || !sameHex(r.Data.SignedTransaction, req.SignedTransaction) {
		return nil, tampered(ReasonResult, "the answer is another transaction than was confirmed")
	}
	return checked(&r.Data, checkSigned(&r.Data))
}

// checkSigned holds a transaction that no enclave signed against its own bytes:
// they name chain and sender, and the sender's signature is in them.
func checkSigned(t *Transaction) error {
	raw, err := evm.ParseHex(t.SignedTransaction)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	tx, sig, err := evm.DecodeSigned(raw)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	from, err := evm.RecoverAddress(tx.Digest(), sig)
	if err != nil || !sameHex(from.String(), t.From) || tx.ChainID != t.ChainID {
		return tampered(ReasonResult, "the answer names another sender or chain than its bytes")
	}
	if id := evm.ID(raw); !sameHex(evm.Hex(id[:]), t.TxHash) {
		return tampered(ReasonResult, "txHash is not that of the signed bytes")
	}
	return nil
}

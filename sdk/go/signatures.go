package railkit

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// MessagesService signs messages.
type MessagesService struct{ c *Client }

// TypeEthereum is the type of exact bytes of every EVM network.
const TypeEthereum = "TRANSACTION_TYPE_ETHEREUM"

// SignTransactionRequest asks for a signature over exactly these bytes. Without
// SignedActivity it is signed within a delegation, or waits for votes (QueuedError).
type SignTransactionRequest struct {
	SignWith            string          `json:"signWith"` // address
	UnsignedTransaction string          `json:"unsignedTransaction"`
	Type                string          `json:"type"` // TypeEthereum
	ChainID             uint64          `json:"chainId"`
	Broadcast           bool            `json:"broadcast,omitempty"` // also send it
	SignedActivity      *SignedActivity `json:"signedActivity,omitempty"`

	FeeLimit string `json:"-"` // wei; as in PrepareTransactionRequest
}

const transactionsSign, messagesSign = "/v1/transactions/sign", "/v1/signing/messages/sign"

// PrepareSigning asks for the body to stamp, and checks that it is for these bytes.
func (s *TransactionsService) PrepareSigning(
	ctx context.Context, req SignTransactionRequest,
) (*PreparedTransaction, error) {
	expect, err := s.expectation(PrepareTransactionRequest{
		Type: SignExact, SignWith: req.SignWith, ChainID: req.ChainID, UnsignedTransaction: req.UnsignedTransaction,
		FeeLimit: req.FeeLimit,
	})
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, s.c, request{
		method: http.MethodPost, path: transactionsSign, query: preparing(), body: req,
	})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if s.c.verify == nil {
		return p, nil
	}
	body, shown, err := s.c.preview(ctx, &p.Prepared, wire.SignTransaction, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	p.Shown = shown
	return checked(p, expect.match(body, shown, p))
}

func preparing() url.Values { return url.Values{"prepare": {"true"}} }

// Sign signs exact bytes and checks that these were signed.
func (s *TransactionsService) Sign(ctx context.Context, req SignTransactionRequest) (*Transaction, error) {
	r, err := send[Transaction](ctx, s.c, request{method: http.MethodPost, path: transactionsSign, body: req})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	st, err := s.c.verify.made(r.Data.Proof, wire.SignTransaction, req.SignedActivity)
	if err != nil {
		return nil, err
	}
	if err := matchSigned(&r.Data, st); err != nil {
		return nil, err
	}
	return checked(&r.Data, matchBytes(req, r.Data.SignedTransaction))
}

// made checks the proof of what was done at once: of the very body where it was
// stamped, else of the activity.
func (v *verifier) made(p *Proof, activity wire.ActivityType, signed *SignedActivity) (*opened, error) {
	if signed != nil {
		return v.result(p, signed.Body, activity)
	}
	st, err := v.open(p, wire.KindResult)
	if err == nil && (st.Activity != activity || st.Result == nil || st.Outcome != "") {
		err = tampered(ReasonKind, "the result is of another activity")
	}
	return st, err
}

// matchBytes wants the bytes that were asked for, signed by whom it was asked of.
func matchBytes(req SignTransactionRequest, signed string) error {
	raw, err := chain.ParseHex(signed)
	if err != nil {
		return tampered(ReasonResult, "the signed transaction is not hex")
	}
	tx, _, err := evm.DecodeSigned(raw)
	if err != nil || !sameHex(chain.Hex(tx.Unsigned()), req.UnsignedTransaction) {
		return tampered(ReasonResult, "other bytes were signed than was asked for")
	}
	if from, err := evm.Recover(raw); err != nil ||
		addressForm.MatchString(req.SignWith) && !sameHex(from.String(), req.SignWith) {
		return tampered(ReasonResult, "the bytes are not signed by the address asked for")
	}
	return nil
}

// The types of a message.
const (
	MessageText      = wire.MessageText      // Payload is the text
	MessageHex       = wire.MessageHex       // Payload is 0x hex of the bytes
	MessageTypedData = wire.MessageTypedData // Payload is the JSON of eth_signTypedData_v4
	MessageRawDigest = wire.MessageRawDigest // Payload is 0x hex of 32 bytes; a policy has to allow it
)

// SignMessageRequest asks for a signature over a message. Without SignedActivity
// it is signed within a delegation, or waits for votes (QueuedError).
type SignMessageRequest struct {
	SignWith       string          `json:"signWith"` // address
	Type           string          `json:"type"`
	Payload        string          `json:"payload"`
	SignedActivity *SignedActivity `json:"signedActivity,omitempty"`
}

// SignedMessage is a signature over a message.
type SignedMessage struct {
	MessageID string `json:"messageId"`
	SignWith  string `json:"signWith"`
	Digest    string `json:"digest"`
	Signature string `json:"signature"`
	Proof     *Proof `json:"proof"`
}

// Prepare asks for the body to stamp, and checks that it is for this message.
func (s *MessagesService) Prepare(ctx context.Context, req SignMessageRequest) (*Prepared, error) {
	r, err := send[Prepared](ctx, s.c, request{
		method: http.MethodPost, path: messagesSign, query: preparing(), body: req,
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	body, shown, err := s.c.preview(ctx, &r.Data, wire.SignMessage, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	r.Data.Shown = shown
	return checked(&r.Data, req.match(body, shown))
}

func (req SignMessageRequest) match(body *wire.Body, shown *Preview) error {
	var p wire.SignMessageParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	if addressForm.MatchString(req.SignWith) && !sameHex(p.SignWith, req.SignWith) || p.Type != req.Type ||
		p.Payload != req.Payload {
		return tampered(ReasonBody, "the body is for another message or signer than was asked for")
	}
	if shown.Message == nil || shown.Message.Type != req.Type || !sameHex(shown.SignWith, p.SignWith) {
		return tampered(ReasonPreview, "the enclave shows another message or signer than was asked for")
	}
	return req.matchDigest(shown.Message.Digest)
}

// matchDigest holds a digest against the message, where its form allows it.
func (req SignMessageRequest) matchDigest(digest string) error {
	own := digest
	switch req.Type {
	case MessageText:
		sum := evm.MessageDigest([]byte(req.Payload))
		own = chain.Hex(sum[:])
	case MessageHex:
		raw, err := chain.ParseHex(req.Payload)
		if err != nil {
			return tampered(ReasonBody, "the payload is not hex")
		}
		sum := evm.MessageDigest(raw)
		own = chain.Hex(sum[:])
	case MessageTypedData:
		typed, err := evm.ParseTypedData([]byte(req.Payload))
		if err != nil {
			return tampered(ReasonBody, "the payload is not typed data")
		}
		sum := typed.Digest
		own = chain.Hex(sum[:])
	case MessageRawDigest:
		own = req.Payload
	}
	if !sameHex(own, digest) {
		return tampered(ReasonResult, "the digest is not of this message")
	}
	return nil
}

// Sign signs a message and checks the signature's digest and proof.
func (s *MessagesService) Sign(ctx context.Context, req SignMessageRequest) (*SignedMessage, error) {
	r, err := send[SignedMessage](ctx, s.c, request{method: http.MethodPost, path: messagesSign, body: req})
	if err != nil {
		return nil, err
	}
	m := &r.Data
	if s.c.verify == nil {
		return m, nil
	}
	st, err := s.c.verify.made(m.Proof, wire.SignMessage, req.SignedActivity)
	if err != nil {
		return nil, err
	}
	made := st.Result.Signature
	if made == nil || made.Signature != m.Signature || made.Digest != m.Digest || made.SignWith != m.SignWith {
		return nil, tampered(ReasonResult, "the answer has another signature than the enclave made")
	}
	if addressForm.MatchString(req.SignWith) && !sameHex(made.SignWith, req.SignWith) {
		return nil, tampered(ReasonResult, "the message is signed by another address than was asked for")
	}
	return checked(m, req.matchDigest(made.Digest))
}

// Who holds the key of a transaction's sender.
const (
	CustodyEnclave  = "enclave"  // a wallet: its owner stamps
	CustodyExternal = "external" // an address of no wallet: its owner signs
)

// ErrExternal says that there is nothing to stamp: the server knows SignWith as
// an address of no wallet. Whoever holds its key uses Transactions.PrepareExternal.
var ErrExternal = errors.New("railkit: SignWith is an address of no wallet, so no passkey can stamp; " +
	"use Transactions.PrepareExternal and Transactions.ConfirmSigned")

// ErrNotExternal says that SignWith is an address of a wallet.
var ErrNotExternal = errors.New(
	"railkit: SignWith is an address of a wallet, whose passkey stamps; use Transactions.Prepare",
)

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
func (s *TransactionsService) PrepareExternal(
	ctx context.Context, req PrepareTransactionRequest,
) (*ExternalTransaction, error) {
	from, err := evm.ParseAddress(req.SignWith)
	if err != nil {
		return nil, errors.New("railkit: SignWith is not an address")
	}
	e := &expectation{PrepareTransactionRequest: req, from: from.String()}
	if e.limit, err = feeLimit(req); err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/transactions/prepare", body: req,
	})
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
	if err := s.notePrepared(ctx, e, r.Data.TransactionID); err != nil {
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
		SignWith: from.String(), Chain: network.Slug, ChainID: decimal(tx.ChainID), To: tx.To.String(),
		Value: tx.Value.String(), Data: chain.Hex(tx.Data), GasLimit: decimal(tx.GasLimit),
		MaxTotalFee: tx.MaxFee().String(),
	}
	return p, Preview{
		SignWith: p.SignWith, Chain: p.Chain, ChainID: p.ChainID, Effects: tx.Effects(from, network),
		MaxTotalFee: p.MaxTotalFee,
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
	raw, err := chain.ParseHex(text)
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
func (s *TransactionsService) ConfirmSigned(ctx context.Context, req ConfirmSignedRequest) (*Transaction, error) {
	if err := s.notePaid(ctx, req.TransactionID); err != nil {
		return nil, err
	}
	r, err := send[Transaction](ctx, s.c, request{method: http.MethodPost, path: "/v1/transactions/confirm", body: req})
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
	raw, err := chain.ParseHex(t.SignedTransaction)
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
	if id := evm.ID(raw); !sameHex(chain.Hex(id[:]), t.TxHash) {
		return tampered(ReasonResult, "txHash is not that of the signed bytes")
	}
	return nil
}

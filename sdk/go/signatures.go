package railkit

import (
	"context"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

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
func (c *Client) PrepareSigning(ctx context.Context, req SignTransactionRequest) (*PreparedTransaction, error) {
	expect, err := c.expectation(PrepareTransactionRequest{
		Type: SignExact, SignWith: req.SignWith, ChainID: req.ChainID, UnsignedTransaction: req.UnsignedTransaction, FeeLimit: req.FeeLimit,
	})
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, c, request{method: http.MethodPost, path: transactionsSign, query: preparing(), body: req})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if c.verify == nil {
		return p, nil
	}
	body, shown, err := c.preview(ctx, &p.Prepared, wire.SignTransaction, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	p.Shown = shown
	return checked(p, expect.match(body, shown, p))
}

func preparing() url.Values { return url.Values{"prepare": {"true"}} }

// SignTransaction signs exact bytes and checks that these were signed.
func (c *Client) SignTransaction(ctx context.Context, req SignTransactionRequest) (*Transaction, error) {
	r, err := send[Transaction](ctx, c, request{method: http.MethodPost, path: transactionsSign, body: req})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	st, err := c.verify.made(r.Data.Proof, wire.SignTransaction, req.SignedActivity)
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
	raw, err := evm.ParseHex(signed)
	if err != nil {
		return tampered(ReasonResult, "the signed transaction is not hex")
	}
	tx, _, err := evm.DecodeSigned(raw)
	if err != nil || !sameHex(evm.Hex(tx.Unsigned()), req.UnsignedTransaction) {
		return tampered(ReasonResult, "other bytes were signed than was asked for")
	}
	if from, err := evm.Recover(raw); err != nil || addressForm.MatchString(req.SignWith) && !sameHex(from.String(), req.SignWith) {
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

// PrepareMessage asks for the body to stamp, and checks that it is for this message.
func (c *Client) PrepareMessage(ctx context.Context, req SignMessageRequest) (*Prepared, error) {
	r, err := send[Prepared](ctx, c, request{method: http.MethodPost, path: messagesSign, query: preparing(), body: req})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	body, shown, err := c.preview(ctx, &r.Data, wire.SignMessage, r.Floor, r.Replayed)
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
	if addressForm.MatchString(req.SignWith) && !sameHex(p.SignWith, req.SignWith) || p.Type != req.Type || p.Payload != req.Payload {
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
		own = evm.Hex(sum[:])
	case MessageHex:
		raw, err := evm.ParseHex(req.Payload)
		if err != nil {
			return tampered(ReasonBody, "the payload is not hex")
		}
		sum := evm.MessageDigest(raw)
		own = evm.Hex(sum[:])
	case MessageTypedData:
		typed, err := evm.ParseTypedData([]byte(req.Payload))
		if err != nil {
			return tampered(ReasonBody, "the payload is not typed data")
		}
		sum := typed.Digest
		own = evm.Hex(sum[:])
	case MessageRawDigest:
		own = req.Payload
	}
	if !sameHex(own, digest) {
		return tampered(ReasonResult, "the digest is not of this message")
	}
	return nil
}

// SignMessage signs a message and checks the signature's digest and proof.
func (c *Client) SignMessage(ctx context.Context, req SignMessageRequest) (*SignedMessage, error) {
	r, err := send[SignedMessage](ctx, c, request{method: http.MethodPost, path: messagesSign, body: req})
	if err != nil {
		return nil, err
	}
	m := &r.Data
	if c.verify == nil {
		return m, nil
	}
	st, err := c.verify.made(m.Proof, wire.SignMessage, req.SignedActivity)
	if err != nil {
		return nil, err
	}
	s := st.Result.Signature
	if s == nil || s.Signature != m.Signature || s.Digest != m.Digest || s.SignWith != m.SignWith {
		return nil, tampered(ReasonResult, "the answer has another signature than the enclave made")
	}
	if addressForm.MatchString(req.SignWith) && !sameHex(s.SignWith, req.SignWith) {
		return nil, tampered(ReasonResult, "the message is signed by another address than was asked for")
	}
	return checked(m, req.matchDigest(s.Digest))
}

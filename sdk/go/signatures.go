package railkit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
)

// MessagesService signs messages.
type MessagesService struct{ c *Client }

// The types of exact bytes: of every EVM network, and of Solana.
const (
	TypeEthereum = "TRANSACTION_TYPE_ETHEREUM"
	TypeSolana   = "TRANSACTION_TYPE_SOLANA"
)

// SignTransactionRequest asks for a signature over exactly these bytes. Without
// SignedActivity it is signed within a delegation, or waits for votes (QueuedError).
type SignTransactionRequest struct {
	SignWith            string          `json:"signWith"` // address
	UnsignedTransaction string          `json:"unsignedTransaction"`
	Type                string          `json:"type"` // TypeEthereum, TypeSolana
	ChainID             uint64          `json:"chainId,omitempty"`
	Broadcast           bool            `json:"broadcast,omitempty"` // also send it
	SignedActivity      *SignedActivity `json:"signedActivity,omitempty"`

	// What the answer is held against; never sent.
	Network  string `json:"-"` // slug; of a network without a chain id
	FeeLimit string `json:"-"` // wei; as in PrepareTransactionRequest
	ReturnTo
}

const transactionsSign, messagesSign = "/v1/transactions/sign", "/v1/signing/messages/sign"

// PrepareSigning asks for the body to stamp, and checks that it is for these bytes.
func (s *TransactionsService) PrepareSigning(
	ctx context.Context, req SignTransactionRequest,
) (*PreparedTransaction, error) {
	expect, err := s.expectation(PrepareTransactionRequest{
		Type: SignExact, SignWith: req.SignWith, ChainID: req.ChainID, Network: req.Network,
		UnsignedTransaction: req.UnsignedTransaction, FeeLimit: req.FeeLimit,
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
	return expect.verified(ctx, s.c, r)
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
	if uuid.Validate(req.SignWith) == nil { // of an account, whose address matchSigned has from the enclave
		req.SignWith = r.Data.From
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
	from, family, ok := families.ParseAddress(req.SignWith)
	if !ok {
		return tampered(ReasonResult, "nobody can tell who had to sign the bytes: SignWith is not an address")
	}
	tx, signature, err := family.DecodeSigned(raw, from)
	if err != nil || !sameBytes(chain.Hex(tx.Unsigned), req.UnsignedTransaction) {
		return tampered(ReasonResult, "other bytes were signed than was asked for")
	}
	if err := family.Verify(from, tx.Payload, signature); err != nil {
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
	ReturnTo
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
	ask := request{method: http.MethodPost, path: messagesSign, query: preparing(), body: req}
	return prepare[Prepared](ctx, s.c, ask, wire.SignMessage, func(body *wire.Body, shown *Preview) error {
		return req.match(s.c.networks, body, shown)
	})
}

func (req SignMessageRequest) match(all []chain.Network, body *wire.Body, shown *Preview) error {
	var p wire.SignMessageParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	if isOther(req.SignWith, p.SignWith) || p.Type != req.Type || p.Payload != req.Payload {
		return tampered(ReasonBody, "the body is for another message or signer than was asked for")
	}
	if shown.Message == nil || shown.Message.Type != req.Type || !sameAddress(shown.SignWith, p.SignWith) {
		return tampered(ReasonPreview, "the enclave shows another message or signer than was asked for")
	}
	return req.matchDigest(all, shown.SignWith, shown.Message.Digest)
}

// matchDigest holds what the signer signs, or has signed, against the message.
func (req SignMessageRequest) matchDigest(all []chain.Network, signer, digest string) error {
	from, family, ok := families.ParseAddress(signer)
	if !ok {
		return tampered(ReasonResult, "the enclave names a signer that is no address")
	}
	m, err := family.ReadMessage(all, from, req.Type, req.Payload)
	var unlisted chain.UnlistedError
	if errors.As(err, &unlisted) { // here: the signer, which lists it or signs nothing, says what the message does
		m, err = family.ReadMessage([]chain.Network{unlisted.Network}, from, req.Type, req.Payload)
	}
	if err != nil {
		return tampered(ReasonBody, "%v", err)
	}
	if !sameBytes(chain.Hex(m.Payload), digest) {
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
	if isOther(req.SignWith, made.SignWith) {
		return nil, tampered(ReasonResult, "the message is signed by another address than was asked for")
	}
	return checked(m, req.matchDigest(s.c.networks, made.SignWith, made.Digest))
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
	Tx chain.Tx
}

// PrepareExternal asks for a transaction that the caller signs with a key of its
// own, and checks its very bytes: what it is, to whom, and that its fee is
// within the limit. No enclave vouches for them, so the data fee that some networks
// take beside it (base, optimism) is not checked: it depends on these bytes alone.
func (s *TransactionsService) PrepareExternal(
	ctx context.Context, req PrepareTransactionRequest,
) (*ExternalTransaction, error) {
	if req.ExpectPayee != "" {
		return nil, errNoBook
	}
	from, err := s.c.sender(req.ChainID, req.Network, req.SignWith)
	if err != nil {
		return nil, err
	}
	e := &expectation{PrepareTransactionRequest: req, sender: from}
	if err := e.bound(); err != nil {
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
	tx, err := e.matchBytes(&r.Data)
	if err != nil {
		return nil, err
	}
	if err := s.notePrepared(ctx, e, &r.Data); err != nil {
		return nil, err
	}
	return &ExternalTransaction{PreparedTransaction: r.Data, Tx: tx}, nil
}

// matchBytes holds exact bytes against what was asked for, in the same words as
// an enclave's preview.
func (e *expectation) matchBytes(answer *PreparedTransaction) (chain.Tx, error) {
	tx, err := e.readUnsigned(answer.UnsignedTransaction)
	if err != nil {
		return tx, tampered(ReasonBody, "unsignedTransaction: %v", err)
	}
	if !e.named(tx.NetworkID) || !e.answered(answer.ChainID, answer.Network) ||
		!sameAddress(answer.From, e.from) {
		return tx, tampered(ReasonResult, "the answer names another sender or chain than was asked for")
	}
	if e.limit != nil && tx.MaxFee.Cmp(e.limit) > 0 {
		return tx, tampered(ReasonFee, "the transaction may cost %s %s, the limit is %s",
			tx.MaxFee, e.smallest(), e.limit)
	}
	if e.Type == SignExact {
		asked, err := e.readUnsigned(e.UnsignedTransaction)
		if err != nil || !bytes.Equal(asked.Unsigned, tx.Unsigned) {
			return tx, tampered(ReasonBody, "the answer has other bytes than was asked for")
		}
		return tx, nil
	}
	if !tx.Plain {
		return tx, tampered(ReasonBody, "the bytes are a transaction of another form than was asked for")
	}
	p, shown := e.intentOf(tx)
	return tx, e.matchIntent(&p, &shown)
}

// intentOf says what bytes do as a body and a preview would.
func (e *expectation) intentOf(tx chain.Tx) (wire.SignIntentParams, Preview) {
	p := wire.SignIntentParams{
		SignWith: e.from, Chain: e.network.Slug, ChainID: e.network.ID(), To: tx.To,
		Value: tx.Value.String(), Data: chain.Hex(tx.Data), GasLimit: decimal(tx.Gas),
		MaxTotalFee: tx.MaxFee.String(),
	}
	if tx.Rent > 0 {
		p.MaxRent = decimal(tx.Rent)
	}
	return p, Preview{
		SignWith: p.SignWith, Chain: p.Chain, ChainID: p.ChainID, MaxTotalFee: p.MaxTotalFee, MaxRent: p.MaxRent,
		Effects: e.family.Effects(e.network, e.from, tx.Call),
	}
}

// readUnsigned reads a transaction in its one encoding.
func (s sender) readUnsigned(text string) (chain.Tx, error) {
	raw, err := chain.ParseHex(text)
	if err != nil {
		return chain.Tx{}, err
	}
	return s.family.DecodeUnsigned(raw)
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
	if r.Data.TransactionID != req.TransactionID || !sameBytes(r.Data.SignedTransaction, req.SignedTransaction) {
		return nil, tampered(ReasonResult, "the answer is another transaction than was confirmed")
	}
	return checked(&r.Data, s.checkSigned(&r.Data))
}

// checkSigned holds a transaction that no enclave signed against its own bytes:
// they name its network, and the sender's signature is in them.
func (s *TransactionsService) checkSigned(t *Transaction) error {
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	by, err := s.c.sender(t.ChainID, t.Network, t.From)
	if err != nil {
		return tampered(ReasonResult, "the answer names no sender and network that can be: %v", err)
	}
	tx, signature, err := by.family.DecodeSigned(raw, by.from)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	if !by.named(tx.NetworkID) || !by.answered(t.ChainID, t.Network) ||
		by.family.Verify(by.from, tx.Payload, signature) != nil {
		return tampered(ReasonResult, "the answer names another sender or chain than its bytes")
	}
	if by.family.ID(raw) != t.TxHash {
		return tampered(ReasonResult, "txHash is not that of the signed bytes")
	}
	return nil
}

// once says that the network takes the very same bytes once, and numbers no transactions.
func (s sender) once() bool { return s.family != nil && !s.family.Form().Nonces }

// named says that bytes are for this network, or name none, as those of Solana do.
func (s sender) named(id string) bool { return id == s.network.ID() || id == "" && s.once() }

// smallest is what the smallest unit of the coin is called.
func (s sender) smallest() string {
	return map[chain.Kind]string{chain.EVM: "wei", chain.Solana: "lamports", chain.Tron: "sun"}[s.network.Kind]
}

var errNoCall = errors.New("railkit: on Solana and Tron a Type is TransferNative, TransferToken or SignExact")

// withoutRent is what is shown of a body beside the rent for an account of who is paid in a token. The rent is what
// the body says, is paid to him, and counts into the limit of the fee.
func (e *expectation) withoutRent(p *wire.SignIntentParams, shown *Preview) (*Preview, error) {
	if p.MaxRent == "" {
		return shown, e.matchCharges(shown)
	}
	rent, ok := new(big.Int).SetString(p.MaxRent, 10)
	if !ok || !e.once() || e.Type != TransferToken || len(shown.Effects) == 0 {
		return nil, tampered(ReasonBody, "the body pays for an account where none is needed")
	}
	f := shown.Effects[0]
	if f.Kind != chain.Transfer || f.Asset != nativeAsset || !sameAddress(f.From, e.from) ||
		!sameAddress(f.To, e.To) || f.Amount != p.MaxRent {
		return nil, tampered(ReasonPreview, "the enclave shows another rent than the body says")
	}
	fee, ok := new(big.Int).SetString(shown.MaxTotalFee, 10)
	if e.limit != nil && (!ok || fee.Add(fee, rent).Cmp(e.limit) > 0) {
		return nil, tampered(ReasonFee, "fee and rent may cost %s %s, the limit is %s", fee, e.smallest(), e.limit)
	}
	if err := e.matchCharges(shown, rent); err != nil {
		return nil, err
	}
	paid := *shown
	paid.Effects = shown.Effects[1:]
	return &paid, nil
}

func (e *expectation) matchExact(body *wire.Body, shown *Preview) error {
	var p wire.SignTransactionParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	if !sameAddress(p.SignWith, e.from) || !e.named(p.ChainID) ||
		!sameBytes(p.UnsignedTransaction, e.UnsignedTransaction) {
		return tampered(ReasonBody, "the body is for other bytes than was asked for")
	}
	if !e.once() {
		return e.matchCharges(shown)
	}
	return e.matchReading(shown)
}

// matchReading holds what the enclave shows of exact bytes against the client's own reading of them. The enclave may
// show one unknown call in place of what it reads, as where two of its keys have to sign: that loosens nothing.
func (e *expectation) matchReading(shown *Preview) error {
	tx, err := e.readUnsigned(e.UnsignedTransaction)
	if err != nil {
		return fmt.Errorf("railkit: UnsignedTransaction: %w", err)
	}
	if shown.MaxTotalFee != tx.FeeOf(e.from).String() {
		return tampered(ReasonPreview, "the enclave shows another fee than the bytes have")
	}
	unknown := len(shown.Effects) == 1 && shown.Effects[0].Kind == chain.UnknownCall
	own := e.family.Effects(e.network, e.from, tx.Call)
	if err := e.matchCharges(shown, rentsOf(own, unknown)...); err != nil {
		return err
	}
	if !unknown && !slices.EqualFunc(shown.Effects, own, sameEffect) {
		return tampered(ReasonPreview, "the enclave shows other effects than the bytes have")
	}
	for _, name := range append(slices.Clone(tx.Signers), tx.Durable) {
		if name != "" && name != e.from && !slices.ContainsFunc(shown.Warnings, func(w string) bool {
			return strings.Contains(w, name)
		}) {
			return tampered(ReasonPreview,
				"the enclave does not say who else signs the bytes, or that they can be sent at any later time")
		}
	}
	return nil
}

// rentsOf are what the accounts cost that bytes open, where the enclave shows that they do.
func rentsOf(own []chain.Effect, unknown bool) (rents []*big.Int) {
	for _, f := range own {
		if n, ok := new(big.Int).SetString(f.Amount, 10); ok && f.Rent && !unknown {
			rents = append(rents, n)
		}
	}
	return rents
}

// intent reads what was stamped, and the most that its fee may be.
func (s sender) intent(p *wire.SignIntentParams) (i chain.Intent, most *big.Int, err error) {
	i.From = s.from
	if i.To, err = s.family.ParseAddress(p.To); err != nil {
		return i, nil, err
	}
	if i.Data, err = chain.ParseHex(p.Data); err != nil {
		return i, nil, err
	}
	if i.Value, err = number("value", p.Value); err != nil {
		return i, nil, err
	}
	if i.Gas, err = strconv.ParseUint(p.GasLimit, 10, 64); err != nil {
		return i, nil, fmt.Errorf("railkit: gasLimit: %w", err)
	}
	if i.Rent, err = strconv.ParseUint(cmp.Or(p.MaxRent, "0"), 10, 64); err != nil {
		return i, nil, fmt.Errorf("railkit: maxRent: %w", err)
	}
	most, err = number("maxTotalFee", p.MaxTotalFee)
	return i, most, err
}

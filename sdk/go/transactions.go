package railkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// TransactionsService prepares, signs, sends and reads transactions.
type TransactionsService struct {
	c        *Client
	payments *payBook
}

// TransactionType says what a transaction is meant to be.
type TransactionType string

// The types of transactions.
const (
	TransferNative TransactionType = "transfer_native" // Amount of the chain's own coin to To
	TransferToken  TransactionType = "transfer_token"  // Amount of TokenAddress to To
	Call           TransactionType = "call"            // Data, and Value, to the contract To
	SignExact      TransactionType = "sign"            // exactly UnsignedTransaction
)

// PrepareTransactionRequest asks for a transaction.
type PrepareTransactionRequest struct {
	Type                TransactionType `json:"type"`
	SignWith            string          `json:"signWith"` // address; an account id only with ExpectFrom
	ChainID             uint64          `json:"chainId,omitempty"`
	Network             string          `json:"network,omitempty"` // slug; of a network without a chain id
	To                  string          `json:"to,omitempty"`
	Amount              string          `json:"amount,omitempty"` // decimal, in units of the asset: "25.50"
	TokenAddress        string          `json:"tokenAddress,omitempty"`
	Data                string          `json:"data,omitempty"`  // 0x hex
	Value               string          `json:"value,omitempty"` // wei
	GasLimit            string          `json:"gasLimit,omitempty"`
	MaxFeePerGas        string          `json:"maxFeePerGas,omitempty"` // wei
	UnsignedTransaction string          `json:"unsignedTransaction,omitempty"`
	// AllowContract sends also where money gives nothing back: to a token's contract, a router, nobody, the sender.
	AllowContract bool `json:"allowContract,omitempty"`
	// Broadcast of Prepare is what Confirm will say; Send says it to both. Default true.
	Broadcast *bool `json:"broadcast,omitempty"`

	// What the answer is held against; never sent.
	ExpectFrom string `json:"-"` // the address behind SignWith, where that is an account id
	// ExpectPayee is the name that the book of payees has to have for the receiver of a transfer, on that network. The
	// enclave's preview has to say so, else the client refuses.
	ExpectPayee   string `json:"-"`
	TokenDecimals *int   `json:"-"` // of a token that the network does not list
	// A second payment of the same sender, receiver, asset and amount is meant: see UnminedPaymentError.
	PayAgain bool `json:"-"`
	// A swap that may bring back so many percent less than it sells, in the enclave's signed prices, is refused with a
	// SlippageError. "": DefaultMaxSlippage.
	MaxSlippagePercent json.Number `json:"-"`
	// UnpricedSwap lets a swap pass whose loss the enclave cannot tell, as one side has no price.
	UnpricedSwap bool `json:"-"`
	// FeeLimit, in the coin's smallest unit (wei, lamports), refuses a body whose gas and data fee, or on Solana fee
	// and rent, may cost more, or whose data fee nobody knows. Where it is empty the limit is DefaultFeeLimit.
	FeeLimit string `json:"-"`
	ReturnTo
}

// What the calls send and answer: see package rest for the fields.
type (
	Fee            = rest.NetworkFee
	Broadcast      = rest.Broadcast
	RawTransaction = rest.RawTransactionRequest
	RawBroadcast   = rest.RawBroadcast
)

// PreparedTransaction waits for its stamp. UnsignedTransaction is only an
// illustration: nonce and fee are settled when the enclave executes.
type PreparedTransaction struct {
	TransactionID       string `json:"transactionId"`
	UnsignedTransaction string `json:"unsignedTransaction"`
	From                string `json:"from"`
	To                  string `json:"to"`
	Amount              string `json:"amount"`
	ChainID             uint64 `json:"chainId"`
	TokenAddress        string `json:"tokenAddress,omitempty"`
	Network             string `json:"network"`
	Status              string `json:"status"`
	Custody             string `json:"custody"`          // enclave | external
	Notice              string `json:"notice,omitempty"` // of external: what does not apply
	Replaces            string `json:"replaces,omitempty"`
	Fee                 Fee    `json:"fee"`
	CreatedAt           string `json:"createdAt"`
	Prepared
}

// ConfirmTransactionRequest hands in the stamp.
type ConfirmTransactionRequest struct {
	TransactionID  string         `json:"transactionId"`
	SignedActivity SignedActivity `json:"signedActivity"`
	Broadcast      *bool          `json:"broadcast,omitempty"` // default true
}

// Transaction is a transaction at any point of its life.
type Transaction struct {
	TransactionID       string `json:"transactionId"`
	Type                string `json:"type"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty"`
	SignedTransaction   string `json:"signedTransaction,omitempty"`
	Signature           string `json:"signature,omitempty"` // of an agent's payment: signedTransaction
	Status              string `json:"status"`
	Custody             string `json:"custody"` // enclave | external
	Reason              string `json:"reason,omitempty"`
	ApprovalID          string `json:"approvalId,omitempty"` // of awaiting_approval: see Approvals.Get
	// It pays less than the network asks: Transactions.SpeedUp helps.
	Stuck bool `json:"stuck,omitempty"`
	// Of a confirmed swap of tokens: what its receiver got, in the smallest unit, as the server's node tells it.
	Received     string `json:"received,omitempty"`
	ReceivedLess bool   `json:"receivedLess,omitempty"` // than was stamped: the token keeps a part of what is sent
	Replaces     string `json:"replaces,omitempty"`     // the transaction whose nonce it takes
	ReplacedBy   string `json:"replacedBy,omitempty"`   // the one that was signed for its nonce since
	// WaitsFor names the transactions of the address that have to be sent before this one can be mined.
	WaitsFor     []string `json:"waitsFor,omitempty"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	Amount       string   `json:"amount"`
	ChainID      uint64   `json:"chainId"`
	TokenAddress string   `json:"tokenAddress,omitempty"`
	rest.OnChain
	Network   string `json:"network"`
	Fee       Fee    `json:"fee"`
	ExpiresAt string `json:"expiresAt"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
	Proof     *Proof `json:"proof,omitempty"`
}

// Send prepares, verifies, stamps and confirms a transaction.
func (s *TransactionsService) Send(
	ctx context.Context, pk Passkey, req PrepareTransactionRequest,
) (*Transaction, error) {
	p, err := s.Prepare(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a transaction: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.Confirm(withoutKey(ctx), ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: signed, Broadcast: req.Broadcast,
	})
}

// Prepare asks for the body of a transaction and checks that it does
// what was asked for and nothing else, in the words of the enclave.
func (s *TransactionsService) Prepare(
	ctx context.Context, req PrepareTransactionRequest,
) (*PreparedTransaction, error) {
	expect, err := s.expectation(req)
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/transactions/prepare", body: req,
	})
	if err != nil {
		return nil, err
	}
	if r.Data.Custody == CustodyExternal {
		return nil, ErrExternal
	}
	p, err := expect.verified(ctx, s.c, r)
	if err != nil {
		return nil, err
	}
	return checked(p, s.notePrepared(ctx, expect, p))
}

// Confirm hands in the stamp and checks that the signed transaction
// is the one the enclave made of the stamped body.
func (s *TransactionsService) Confirm(ctx context.Context, req ConfirmTransactionRequest) (*Transaction, error) {
	if err := s.notePaid(ctx, req.TransactionID); err != nil {
		return nil, err
	}
	r, err := send[Transaction](ctx, s.c, request{method: http.MethodPost, path: "/v1/transactions/confirm", body: req})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.confirmed(&r.Data, req))
}

// confirmed holds a signed transaction against the body that was stamped.
func (s *TransactionsService) confirmed(t *Transaction, req ConfirmTransactionRequest) error {
	if s.c.verify == nil {
		return nil
	}
	if t.TransactionID != req.TransactionID {
		return tampered(ReasonResult, "the answer is another transaction than was confirmed")
	}
	body, err := readBody(req.SignedActivity.Body)
	if err != nil {
		return err
	}
	st, err := s.c.verify.result(t.Proof, req.SignedActivity.Body, body.Type)
	if err != nil {
		return err
	}
	if err := matchSigned(t, st); err != nil {
		return err
	}
	if err := s.c.matchMade(body, st.Result.Transaction, t); err != nil {
		return err
	}
	return s.c.memory.signedOnce(st.Fingerprint, st.Result.Transaction)
}

// matchSigned holds a signed transaction against the enclave's. Where there are no nonces, its id is missing as long as
// another key, which pays, has not signed.
func matchSigned(t *Transaction, st *opened) error {
	made := st.Result.Transaction
	if made == nil || made.TxHash == "" && made.Nonce != "" || made.SignedTransaction == "" {
		return tampered(ReasonResult, "the enclave's statement has no transaction")
	}
	raw, err := chain.ParseHex(made.SignedTransaction)
	if _, f, ok := families.ParseAddress(made.SignWith); err != nil || ok && f.ID(raw) != made.TxHash {
		return tampered(ReasonResult, "the enclave's txHash is not that of its signed bytes")
	}
	if made.TxHash != t.TxHash || !sameBytes(made.SignedTransaction, t.SignedTransaction) {
		return tampered(ReasonResult, "the answer has another signed transaction than the enclave made")
	}
	if !sameAddress(made.SignWith, t.From) || !agree(made.ChainID, made.Chain, t.ChainID, t.Network) {
		return tampered(ReasonResult, "the answer names another sender or chain than the enclave signed for")
	}
	return nil
}

// matchMade reads the bytes that the enclave signed for a stamped body: they have its account's signature, and are
// what was stamped and nothing else.
func (c *Client) matchMade(body *wire.Body, made *wire.Transaction, t *Transaction) error {
	by, err := c.sender(t.ChainID, t.Network, made.SignWith)
	if err != nil {
		return tampered(ReasonResult, "the answer names no sender and network that can be: %v", err)
	}
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	tx, signature, err := by.family.DecodeSigned(raw, by.from)
	if err != nil {
		return tampered(ReasonResult, "signedTransaction: %v", err)
	}
	if by.family.Verify(by.from, tx.Payload, signature) != nil {
		return tampered(ReasonResult, "the signed bytes have no signature of the account")
	}
	does := by.doesIntent
	if body.Type == wire.SignTransaction {
		does = by.doesBytes
	}
	same, err := does(body, tx)
	if err == nil && !same {
		err = tampered(ReasonResult, "the enclave signed another transaction than was stamped")
	}
	return err
}

// doesBytes says that a transaction is the one of a body of exact bytes.
func (s sender) doesBytes(body *wire.Body, tx chain.Tx) (bool, error) {
	var p wire.SignTransactionParams
	if err := readParams(body, &p); err != nil {
		return false, err
	}
	return sameAddress(p.SignWith, s.from) && sameBytes(p.UnsignedTransaction, chain.Hex(tx.Unsigned)), nil
}

// doesIntent makes the transaction of a stamped intent once more, under the terms that the bytes name.
func (s sender) doesIntent(body *wire.Body, tx chain.Tx) (bool, error) {
	var p wire.SignIntentParams
	if err := readParams(body, &p); err != nil {
		return false, err
	}
	intent, most, err := s.intent(&p)
	if err != nil {
		return false, tampered(ReasonBody, "%v", err)
	}
	terms := tx.Terms
	if terms.Recent != nil { // its bytes say whether an account is made, and not what it costs
		recent := *terms.Recent
		recent.Rent = min(recent.Rent, intent.Rent)
		terms.Recent = &recent
	}
	again, err := s.family.Assemble(s.network, intent, terms)
	return err == nil && tx.Plain && sameAddress(p.SignWith, s.from) && tx.NetworkID == again.NetworkID &&
		bytes.Equal(again.Payload, tx.Payload) && again.MaxFee.Cmp(most) <= 0, nil
}

// Get reads one transaction.
func (s *TransactionsService) Get(ctx context.Context, id string) (*Transaction, error) {
	r, err := send[Transaction](ctx, s.c, request{method: http.MethodGet, path: signPath(id)})
	if err != nil {
		return nil, err
	}
	if s.c.verify != nil && r.Data.TransactionID != id {
		return nil, tampered(ReasonResult, "the answer is another transaction than was asked for")
	}
	return checked(&r.Data, s.check(&r.Data))
}

// check holds a transaction that was signed against its proof.
func (s *TransactionsService) check(t *Transaction) error {
	if s.c.verify == nil || (t.Proof == nil && t.TxHash == "" && t.SignedTransaction == "") {
		return nil // nothing that the enclave made
	}
	if t.Custody == CustodyExternal && t.Proof == nil {
		return s.checkSigned(t)
	}
	st, err := s.c.verify.open(t.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Result == nil {
		return tampered(ReasonResult, "the enclave's statement has no result")
	}
	if st.Outcome != "" && t.TxHash == "" && t.SignedTransaction == "" {
		return nil // waits for approval, or was denied
	}
	if err := matchSigned(t, st); err != nil {
		return err
	}
	return s.c.memory.signedOnce(st.Fingerprint, st.Result.Transaction)
}

// Cancel withdraws a transaction that waits for its stamp. After it
// the enclave never signs that body.
func (s *TransactionsService) Cancel(ctx context.Context, id string) (*Transaction, error) {
	return data[Transaction](ctx, s.c, http.MethodDelete, signPath(id), nil)
}

func signPath(id string) string { return "/v1/transactions/sign/" + url.PathEscape(id) }

// TransactionListOptions select transactions.
type TransactionListOptions struct {
	ListOptions
	Status string
}

// List reads one page of the transactions that are signed, or of those in the states that Status names, newest first.
func (s *TransactionsService) List(ctx context.Context, o TransactionListOptions) (*Page[Transaction], error) {
	q := o.query()
	if o.Status != "" {
		q.Set("status", o.Status)
	}
	return list(ctx, s.c, "/v1/transactions/sign", q, s.check)
}

// All walks all pages.
func (s *TransactionsService) All(ctx context.Context, o TransactionListOptions) iter.Seq2[Transaction, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[Transaction], error) {
		o.ListOptions = page
		return s.List(ctx, o)
	})
}

// EveryStatus is a Status that lists what has no signature, too.
const EveryStatus = "awaiting_signature,awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"

// ListPendingSignature reads one page of the transactions that wait for a stamp.
func (s *TransactionsService) ListPendingSignature(ctx context.Context, o ListOptions) (*Page[Transaction], error) {
	return list(ctx, s.c, "/v1/transactions/pending-signature", o.query(), s.check)
}

// ReasonBlockhashExpired is the reason of a transaction that failed since no block took it in time. It is the server's
// word: it asked every node that it has.
const ReasonBlockhashExpired = "blockhash_expired"

// The states of a transaction.
const (
	StatusAwaitingSignature = "awaiting_signature"
	StatusPending           = "pending" // signed, not sent
	StatusBroadcast         = "broadcast"
	StatusConfirmed         = "confirmed"
	StatusFailed            = "failed"
	StatusCancelled         = "cancelled"
	StatusExpired           = "expired"
	StatusAwaitingApproval  = "awaiting_approval" // stamped; the enclave holds it for votes
)

// Broadcast sends a signed transaction that was not sent yet.
func (s *TransactionsService) Broadcast(ctx context.Context, id string) (*Broadcast, error) {
	return s.broadcast(ctx, http.MethodPost, id)
}

// RetryBroadcast sends a transaction again that could not be sent: the same bytes.
func (s *TransactionsService) RetryBroadcast(ctx context.Context, id string) (*Broadcast, error) {
	return data[Broadcast](ctx, s.c, http.MethodPost, "/v1/transactions/broadcast/"+url.PathEscape(id)+"/retry", nil)
}

// BroadcastRaw sends a transaction that was signed elsewhere.
func (s *TransactionsService) BroadcastRaw(ctx context.Context, req RawTransaction) (*RawBroadcast, error) {
	return data[RawBroadcast](ctx, s.c, http.MethodPost, "/v1/transactions/broadcast/raw", req)
}

// GetBroadcast reads how far a transaction is.
func (s *TransactionsService) GetBroadcast(ctx context.Context, id string) (*Broadcast, error) {
	return s.broadcast(ctx, http.MethodGet, id)
}

func (s *TransactionsService) broadcast(ctx context.Context, method, id string) (*Broadcast, error) {
	return data[Broadcast](ctx, s.c, method, "/v1/transactions/broadcast/"+url.PathEscape(id), nil)
}

// WaitConfirmed polls until the transaction is confirmed. A transaction that
// ends in another way is an error. The server's word for it is all there is:
// whoever must be sure asks a node of their own.
func (s *TransactionsService) WaitConfirmed(ctx context.Context, id string, every time.Duration) (*Broadcast, error) {
	for {
		b, err := s.GetBroadcast(ctx, id)
		if err != nil {
			return nil, err
		}
		switch b.Status {
		case StatusConfirmed:
			return b, nil
		case StatusFailed, StatusCancelled, StatusExpired:
			return b, fmt.Errorf("railkit: the transaction is %s", b.Status)
		}
		if err := s.c.retry.Sleep(ctx, every); err != nil {
			return b, fmt.Errorf("railkit: waiting for a transaction that is %s: %w", b.Status, err)
		}
	}
}

// Bodies of the API: see package rest for their fields.
type (
	TokenBalance    = rest.TokenBalance
	TokenMovement   = rest.TokenMovement
	WalletBalances  = rest.WalletBalances
	NetworkBalances = rest.NetworkBalances
	WalletBalance   = rest.WalletBalance
)

// BalancesService tells what any address has, and what went to and from it, as the networks' nodes say.
type BalancesService struct{ c *Client }

// Token reads what an address has of USDC or USDT on a network.
func (s *BalancesService) Token(ctx context.Context, network, address, symbol string) (*TokenBalance, error) {
	q := url.Values{"chain": {network}, "address": {address}, "symbol": {symbol}}
	return data[TokenBalance](ctx, s.c, http.MethodGet, "/v1/balance/token?"+q.Encode(), nil)
}

// Wallet reads what a wallet has on every network: its own coin and each listed stablecoin. A network whose node does
// not answer has an Error, and no balances. With an address it is about that one of the wallet's alone.
func (s *BalancesService) Wallet(ctx context.Context, walletID, address string) (*WalletBalances, error) {
	path := "/v1/signing/wallets/" + url.PathEscape(walletID) + "/balances"
	if address != "" {
		path += "?" + url.Values{"address": {address}}.Encode()
	}
	return data[WalletBalances](ctx, s.c, http.MethodGet, path, nil)
}

// Activity lists an address's transfers of USDC, newest first: those of the last days, which is 7 where it is 0, and of
// the network's last 10,000 blocks, but no more than limit, which is 50 where it is 0.
func (s *BalancesService) Activity(
	ctx context.Context, network, address string, days, limit int,
) ([]TokenMovement, error) {
	q := url.Values{"chain": {network}, "address": {address}}
	if days != 0 {
		q.Set("days", strconv.Itoa(days))
	}
	if limit != 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	all, err := data[[]TokenMovement](ctx, s.c, http.MethodGet, "/v1/balance/activity?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

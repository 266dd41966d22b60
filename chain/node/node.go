// Package node is what the server asks the node of a network and what the node answers, in one form for every family
// of networks. Addresses, hashes and ids are texts, in the spelling of the family; in an answer the spelling is the one
// under which the server looks them up, which for an EVM address is lower case. The client of each family is in a
// package of its own, such as chain/evm/rpc.
package node

import (
	"context"
	"errors"
	"math/big"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
)

// Client asks one node of one network. It is safe for concurrent use, and bounds every answer in time and size.
//
// A node may be down, behind, on another chain, or lying. What it says decides when the server tries again and what the
// server shows, never what may be signed: the enclave signs its own reading of the bytes, with bounds of its own.
type Client interface {
	Network() chain.Network
	// CheckNetwork asks which network the node is on. The client also does that by itself, before its first
	// question and from time to time. ErrWrongNetwork: another one.
	CheckNetwork(context.Context) error
	// Version is the program that the node says it is, on whatever network.
	Version(context.Context) (string, error)
	Close()

	// Balances are what each address has of the network's own coin and of each token, asked in one request: at most
	// MostBalances addresses. They are not trusted: a transaction that nobody can pay for fails on chain.
	Balances(ctx context.Context, addresses, tokens []string) ([]Balance, error)

	// Send hands signed bytes to the node; nil where the node has these bytes already. ErrRefused, ErrNonceUsed,
	// ErrUnderpriced, ErrNoFunds. The node's own id for them is not trusted: it is computed from the bytes.
	Send(ctx context.Context, signed []byte) error
	// Receipt is what became of a transaction; not found: it is in no block of this node. It is not trusted alone:
	// BlockHash has to name the same block, and a failure has to be told twice.
	Receipt(ctx context.Context, id string) (r Receipt, found bool, err error)
	// Head is the number of the newest block.
	Head(context.Context) (int64, error)
	// BlockHash is that of the block that has the number now.
	BlockHash(ctx context.Context, number int64) (hash string, found bool, err error)
	Latest(context.Context) (Header, error)
	// Headers are those of the blocks that have the numbers now, in that order. Where one is missing it answers
	// ErrNoBlock. They are trusted only as far as each fits the one below it and what was seen before.
	Headers(ctx context.Context, numbers []int64) ([]Header, error)
	// Transfers lists the transfers of a range in the order of the chain. That none is left out is not trusted:
	// a transfer that was told once has to be told again as long as its block is there.
	Transfers(context.Context, Query) ([]Transfer, error)
}

// Observer is told of each question that a client put to its node: how long the answer took, or why there was none.
type Observer func(ctx context.Context, n chain.Network, method string, took time.Duration, err error)

// MostBalances is of how many addresses a node is asked at once. One that takes no batches is asked for each coin and
// token of each address on its own, all at one time.
const MostBalances = 10

// Balance is what an address has.
type Balance struct {
	Coin   *big.Int   // in its smallest unit
	Tokens []*big.Int // in the order in which they were asked for
}

// Numbered is a Client of a family whose transactions are numbered (chain.AccountForm.Nonces).
type Numbered interface {
	// Preflight is not trusted: too low a fee or nonce makes a transaction that nobody mines, and the maximum
	// that is paid is stamped before.
	Preflight(context.Context, Flight) (Preflight, error)
	// NextNonce is the lowest nonce that no mined transaction of the address has. It is not trusted: the enclave
	// counts the nonces of its own keys, and "used by another" is believed only after several looks.
	NextNonce(ctx context.Context, address string) (uint64, error)
	// PendingNonce also counts what waits in the node's pool. Each node has a pool of its own.
	PendingNonce(ctx context.Context, address string) (uint64, error)
	Fee(context.Context) (Fee, error)
	// Known tells whether the node has the transaction, mined or waiting.
	Known(ctx context.Context, id string) (bool, error)
}

// Expiring is a Client of a family whose transactions name a recent block instead of a number, and expire with it. It
// asks all nodes of the network, which may disagree.
type Expiring interface {
	// Recent is the newest blockhash that a transaction may name, and between which blocks one with it is, or never. It
	// is for a wallet that signs by itself: a node that lies has it sign what no block takes.
	Recent(context.Context) (blockhash string, w Window, err error)
	// Offer is not trusted either: the enclave holds the terms to what is stamped, and signs one message for a body.
	// Nodes that lie have it sign a message that no block takes, which is counted all the same.
	Offer(context.Context, Wish) (Offer, error)
	// Try tells whether exact bytes that are not signed yet would do what they say, and between which blocks they are
	// in one, or never. ErrReverts, ErrNoFunds, ErrBlockhash.
	Try(ctx context.Context, unsigned []byte) (Window, error)
	// Outcome tells what became of signed bytes. That they expired takes every node; that they are in a block takes
	// one, and no other that says the contrary. Bytes that who pays the fee has still to sign have no id yet: what he
	// made of them is looked for among the transactions of an account that has signed them.
	Outcome(context.Context, Sent) (Outcome, error)
	// Finalized is the height of the newest final block, by the node that says the least.
	Finalized(context.Context) (int64, error)
	// LookFor tells what became of a transaction by its id alone, and a height up to which every node has looked for
	// it, each in its own blocks. 0: one of them does not say, or has looked less far than it said before.
	LookFor(ctx context.Context, id string) (r Receipt, found bool, height int64, err error)
}

// Wish is an intent about which nodes are asked before it is signed.
type Wish struct {
	chain.Intent
	MaxFee *big.Int // nil: it is not stamped yet
}

// Window is from when to when a transaction can be in a block. It ends by the height of blocks or, in a family whose
// bytes say so (chain.AccountForm.Lifetime), by their time.
type Window struct {
	Since      int64 // number of a block before it
	LastHeight int64 // highest of a block that can have it, by the node that says the most; 0: no height ends it
	Ends       int64 // millisecond since 1970 from which on no block takes it; 0: not known yet, or no time ends it
	Left       int64 // of bytes that others made: for how many blocks more they count at least; 0: nobody knows
}

// Offer has the terms under which an intent would be executed now.
type Offer struct {
	chain.Recent // with the units that are free to be used
	Window
	Used          uint64   // units, as the nodes tried it
	SignatureFee  *big.Int // of its signatures, or of its bytes, beside the priority and the units
	Balance, Held *big.Int // of the coin and of the token that leaves; Held is nil where none does
	// Failure is why it would fail: ErrReverts, ErrNoFunds, ErrPayee. It is an answer too: the balances may say why.
	Failure error
}

// Sent is a signed transaction that is looked for.
type Sent struct {
	Signed []byte
	Window
}

// Outcome is what became of it. Neither landed nor expired: it may still come into a block, and Open says why.
type Outcome struct {
	Landed  bool
	ID      string   // of one that landed
	Receipt          // likewise
	Failed  string   // why it did nothing, in words
	Paid    *big.Int // what it cost in the network's coin, also where it failed; nil: not known
	Expired bool
	Open    string
	Denied  bool // by one node it landed, and another one that looked as far does not know it
}

// Sponsoring is an Expiring Client of a family in which somebody else can pay the fee of a payment (chain.Sponsored).
type Sponsoring interface {
	// OfferSponsored has the nodes try a payment, under a blockhash of now: that of t means nothing. It is not trusted
	// more than Offer is.
	OfferSponsored(ctx context.Context, t chain.SponsoredTransfer) (SponsoredOffer, error)
}

// SponsoredOffer has what is to be added to a sponsored payment so that it can be executed now.
type SponsoredOffer struct {
	Blockhash string
	Window
	Failure error // why it would fail: ErrReverts, ErrNoFunds, ErrPayee
}

// Historian is a Client that tells the latest transfers of an address better than by reading blocks.
type Historian interface {
	// History lists the transfers of a token to and from an address, newest first, with the second of each one's block:
	// at most limit, none from before since. That none is left out is not trusted.
	History(ctx context.Context, address, token string, since int64, limit int) ([]Moved, error)
}

// Moved is a transfer with the second of its block.
type Moved struct {
	Transfer
	Time    int64
	Account string // of the receiver's, where it is not the one that payments go to: nobody is credited with it
}

// Scattered is a Client of a family where somebody can have several accounts of one token. Payments go to one of them,
// which the family derives; the others anybody can make for anybody.
type Scattered interface {
	// OtherAccounts lists those that payments do not go to, the fullest first: at most MostAccounts.
	OtherAccounts(ctx context.Context, owner, token string) ([]TokenAccount, error)
}

// MostAccounts bounds a list of accounts that strangers can make longer.
const MostAccounts = 20

// TokenAccount is an account of a token, and what is in it.
type TokenAccount struct {
	Address string
	Amount  *big.Int
}

// BlockLister is a Client of a family that leaves block numbers out, such as Solana. The number of a Query's first or
// last block may be one of those.
type BlockLister interface {
	// Blocks are the numbers from the first to the last that have a block now, the lowest first. That a number is
	// left out is trusted only where the block above names a parent below.
	Blocks(ctx context.Context, from, to int64) ([]int64, error)
}

// What a node may say of a question or of a transaction. Any other error is an outage, and the call is tried again.
var (
	ErrWrongNetwork = errors.New("the node is on another chain")
	ErrNoBlock      = errors.New("the node has no such block") // its chain does not reach so far, now
	ErrReverts      = errors.New("the call would fail")        // by a contract, or a program

	// ErrRefused is for good: these bytes will never be mined.
	ErrRefused = errors.New("the node refuses the transaction")
	// ErrNonceUsed says that a transaction with this nonce was mined, perhaps this very one: its receipt tells.
	ErrNonceUsed = errors.New("the nonce is already used")
	// These may pass: fees fall, what has the place may go, and money may come.
	ErrUnderpriced = errors.New("the fee is too low for the node")
	ErrNoFunds     = errors.New("the account cannot pay for the transaction")
	// ErrBlockhash: the block that the transaction names is too old for the node, or too new.
	ErrBlockhash = errors.New("the node does not know the blockhash of the transaction")
	// ErrPayee says that what is at the address is nobody's wallet.
	ErrPayee = errors.New("the payee is not somebody who can be paid")
)

// Refusal is an answer of a node that is an error, of a class above. Its words are the node's own: they may be shown to
// whoever sent the transaction, and nothing is decided by them.
type Refusal struct {
	Class error
	Code  int // of JSON-RPC
	Words string
}

func (r *Refusal) Error() string {
	return r.Class.Error() + ": " + strconv.Itoa(r.Code) + " " + r.Words
}

// Unwrap gives the class.
func (r *Refusal) Unwrap() error { return r.Class }

// Flight is a transaction about which a node is asked before it is signed.
type Flight struct {
	From, To string // no To: a contract is made
	Value    *big.Int
	Data     []byte
	Token    string // contract of a token that leaves; may be empty
	Estimate bool   // the gas that it needs
}

// Preflight is what a node says of it, all at one time.
type Preflight struct {
	Block        string // hash of the newest block, which is asked for before the rest; "": the node does not say
	NextNonce    uint64
	Fee          Fee
	Balance      *big.Int // of the network's own coin
	TokenBalance *big.Int // of Token; nil where it was not asked for
	Gas          uint64   // where it was to be estimated
	GasError     error    // ErrReverts, ErrNoFunds: it would fail. It is an answer too: the balances may say why
}

// Fee is what a node proposes for a place in the next block.
type Fee struct {
	chain.Fee
	Base *big.Int // what the last block took of each unit of gas, without a tip
}

// Receipt is a mined transaction, as the node sees the chain now.
type Receipt struct {
	Succeeded   bool // else it was mined and paid for, without effect
	BlockNumber int64
	BlockHash   string
}

// Header ties a block to the one below it.
type Header struct {
	Number       int64
	Hash, Parent string
	ParentNumber int64 // Number-1, but where the family leaves numbers out
	Time         int64 // seconds since 1970
}

// SignedTransfers is a Client of a family whose tokens are moved by signatures of their owners.
type SignedTransfers interface {
	// NonceAt tells whether the nonce of a signed transfer is used up in the state after a block: the money was moved,
	// or its owner has made the signature worthless. Time is that of the block, in seconds since 1970: after the end of
	// the transfer no later block moves the money. A node that lies has the server call a payment settled, or unused,
	// that is not; what may be signed does not depend on it.
	NonceAt(ctx context.Context, t chain.SignedTransfer, block int64) (used bool, time int64, err error)
	// Carries tells whether a mined transaction hands the transfer in: its data has the nonce.
	Carries(ctx context.Context, tx string, t chain.SignedTransfer) (bool, error)
}

// Reader is a Client that reads what a transaction says.
type Reader interface {
	// Transaction is one that was mined or waits, as it was signed. It is not trusted alone: whether it was mined, and
	// whether it succeeded, its receipt tells.
	Transaction(ctx context.Context, id string) (t Transaction, found bool, err error)
}

// Transaction is what a transaction says.
type Transaction struct {
	From, To string // no To: a contract is made
	Value    *big.Int
	Data     []byte
}

// Caller is what the client of a network with contracts can do beside.
type Caller interface {
	// Call runs a call in the state of the newest block, and changes nothing. ErrReverts: the contract refuses it.
	// What it answers is not trusted: a price is stamped as a minimum that the chain holds the trade to.
	Call(context.Context, ContractCall) ([]byte, error)
	// Gain tries a call, and tells what an address would have more of a token after it, or of the network's coin
	// where no token is named. A node may not be able to; what it answers only stops what is not signed yet.
	Gain(ctx context.Context, c ContractCall, token, owner string) (*big.Int, error)
}

// ContractCall is a call of a contract; no From is an address that owns nothing.
type ContractCall struct {
	From, To string
	Value    *big.Int // nil is nothing
	Data     []byte
}

// Coin is the network's own coin among the tokens of a Query.
const Coin = ""

// CoinTeller is a Client whose Transfers also tell what comes of the network's own coin.
type CoinTeller interface {
	TellsCoins()
}

// Corroborating is a Client of several nodes, which it holds against each other.
type Corroborating interface {
	// Corroborate asks every node about transfers that one of them told. ErrDisagree where one that has read as far
	// says otherwise of one. A node that is away, behind, or has thrown the block away says nothing.
	Corroborate(ctx context.Context, told []Transfer) error
}

// Query selects transfers of some tokens.
type Query struct {
	From, To  int64  // first and last block
	Hash      string // of the one block; "": whichever the blocks are now
	Tokens    []string
	Senders   []string // empty: everybody, also of Receivers
	Receivers []string
}

// Transfer is one movement of a token.
type Transfer struct {
	Block     int64
	BlockHash string
	Tx        string
	Index     int64 // among all events of the block: another one after a reorg
	Token     string
	From, To  string   // no From: it is not one alone
	Senders   []string // without a From: all who paid for it together; none: it was made
	Amount    *big.Int // in the token's smallest unit
}

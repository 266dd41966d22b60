package rpc

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

// Blockhash is one that a transaction may name.
type Blockhash struct {
	Hash      [32]byte
	LastValid int64 // the height of the last block that may have the transaction
	Slot      int64 // of the block
}

// Blockhash is that of the newest final block.
func (c *Client) Blockhash(ctx context.Context) (b Blockhash, err error) {
	var a struct {
		Context struct{ Slot int64 }
		Value   struct {
			Blockhash            string
			LastValidBlockHeight int64
		}
	}
	if err := c.call(ctx, &a, "getLatestBlockhash", final); err != nil {
		return b, err
	}
	hash, err := solana.ParseAddress(a.Value.Blockhash)
	if err != nil || a.Value.LastValidBlockHeight <= 0 {
		return b, fmt.Errorf("%w: no blockhash", ErrLyingNode)
	}
	return Blockhash{hash, a.Value.LastValidBlockHeight, a.Context.Slot}, nil
}

// Rent is what an account of so many bytes has to have, in lamports, today.
func (c *Client) Rent(ctx context.Context, size int) (lamports uint64, err error) {
	err = c.call(ctx, &lamports, "getMinimumBalanceForRentExemption", size)
	if err == nil && lamports == 0 {
		err = fmt.Errorf("%w: accounts cost nothing", ErrLyingNode)
	}
	return lamports, err
}

// Sizes of accounts in bytes.
const (
	CoinAccount  = 0 // of people
	TokenAccount = 165
	mintAccount  = 82
)

// The states in which a node is asked. What is ours is tried as of the newest final block. What others have signed is
// tried as of the newest confirmed one: their blockhash, or the account that they pay from, may be seconds old.
const (
	finalized = "finalized"
	confirmed = "confirmed"
)

// Simulate tries a message that nobody has signed yet, and gives the compute units that it used. ErrFails, ErrNoFunds:
// it would fail; the error says why, in words.
func (c *Client) Simulate(ctx context.Context, m solana.Message) (units uint64, err error) {
	return c.simulate(ctx, m, finalized)
}

func (c *Client) simulate(ctx context.Context, m solana.Message, commitment string) (units uint64, err error) {
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	var a struct {
		Value struct {
			Err           json.RawMessage
			UnitsConsumed uint64
		}
	}
	err = c.call(ctx, &a, "simulateTransaction", base64.StdEncoding.EncodeToString(raw), options{
		"encoding": "base64", "commitment": commitment, "sigVerify": false,
	})
	if err != nil {
		return 0, err
	}
	if why := a.Value.Err; isSaid(why) {
		return 0, &node.Refusal{Class: classOf(why), Code: codeSimulation, Words: Sentence(why, &m)}
	}
	if m.Version == solana.V1 {
		c.v1.Store(true)
	}
	return a.Value.UnitsConsumed, nil
}

// TakesV1 tells whether the node has simulated a v1 transaction since the client was made. Until then v0 is used: a
// page that says that a network has v1 is no proof.
func (c *Client) TakesV1() bool { return c.v1.Load() }

// Holder is what lies at an address.
type Holder struct {
	Lamports uint64
	Kind     Kind
	Mint     solana.Address // of a token account or a mint's own
	Owner    solana.Address // of a token account, or the program of what is neither
	Tokens   uint64         // in a token account, in the smallest unit
	Frozen   bool
}

// Kind is what an account is.
type Kind int

// The kinds. Only Nothing and Person may be paid.
const (
	Nothing Kind = iota
	Person       // SOL and nothing else
	Token        // a token account
	Mint
	Program
	Other // data of a program
)

// What says why a payee of the kind is refused; "" where it is not.
func (k Kind) What() string {
	return map[Kind]string{
		Token: "is a token account: name its owner", Mint: "is the mint of a token", Program: "is a program",
		Other: "belongs to a program",
	}[k]
}

type wireAccount struct {
	Lamports   *uint64  `json:"lamports"`
	Owner      string   `json:"owner"`
	Data       []string `json:"data"`
	Executable bool     `json:"executable"`
}

// Accounts tells what lies at some addresses, in their order and all at one time.
func (c *Client) Accounts(ctx context.Context, at ...solana.Address) ([]Holder, error) {
	texts := make([]string, len(at))
	for i, a := range at {
		texts[i] = a.String()
	}
	var a struct{ Value []*wireAccount }
	err := c.call(ctx, &a, "getMultipleAccounts", texts, options{"commitment": "finalized", "encoding": "base64"})
	if err != nil {
		return nil, err
	}
	if len(a.Value) != len(at) {
		return nil, fmt.Errorf("%w: %d accounts for %d", ErrLyingNode, len(a.Value), len(at))
	}
	all := make([]Holder, len(at))
	for i, w := range a.Value {
		if all[i], err = w.holder(); err != nil {
			return nil, err
		}
		if all[i].Kind == Mint {
			all[i].Mint = at[i]
		}
	}
	return all, nil
}

func (w *wireAccount) holder() (h Holder, err error) {
	if w == nil {
		return Holder{}, nil
	}
	owner, data, err := w.read()
	if err != nil {
		return h, err
	}
	h = Holder{Lamports: *w.Lamports, Owner: owner, Kind: Other}
	switch {
	case w.Executable:
		h.Kind = Program
	case owner == solana.SystemProgram && len(data) == 0:
		h.Kind = Person
	case owner == solana.TokenProgram && len(data) == mintAccount:
		h.Kind = Mint
	case owner == solana.TokenProgram && len(data) == TokenAccount && data[108] != 0:
		h.Kind, h.Mint, h.Owner = Token, solana.Address(data[:32]), solana.Address(data[32:64])
		h.Tokens, h.Frozen = binary.LittleEndian.Uint64(data[64:72]), data[108] == 2
	}
	return h, nil
}

// The ways in which a payment of SOL would leave an account that the network does not let be.
var (
	ErrLeavesLittle = errors.New("the payment would leave less SOL than an account has to have")
	ErrBringsLittle = errors.New("the payment is less SOL than a new account has to have")
)

// CheckCoins refuses, before anybody signs, what the network would refuse afterwards: who pays keeps nothing or the
// minimum, and so has the payee. Out is all that leaves the source: the amount, and the highest fee and rent.
//
//	minimum 650,240: of 1,000,000 lamports 1,000,000 may leave, or 349,760, and nothing between
func CheckCoins(source, out, payee, amount, minimum uint64) error {
	switch {
	case out > source:
		return fmt.Errorf("%w: %d lamports are needed, and %d are there", node.ErrNoFunds, out, source)
	case source > out && source-out < minimum:
		return fmt.Errorf("%w: %d lamports, and the minimum is %d", ErrLeavesLittle, source-out, minimum)
	case amount > 0 && payee == 0 && amount < minimum:
		return fmt.Errorf("%w: %d lamports, and the minimum is %d", ErrBringsLittle, amount, minimum)
	}
	return nil
}

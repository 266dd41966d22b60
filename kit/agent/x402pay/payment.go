package x402pay

import (
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
)

// State is where a payment stands.
type State string

// The states of a payment.
const (
	Prepared State = "prepared" // not signed yet, or waits for votes
	Signed   State = "signed"   // whoever has the signature can take the money until ValidBefore, or LastHeight
	Settled  State = "settled"  // the chain says that the money moved
	Unused   State = "unused"   // the chain says that it did not, and it can no more
	Void     State = "void"     // it is used up, and no money moved
)

// Delivery is what is known of the goods.
type Delivery string

// What is known of the goods. Only Delivered is for good: who goes on with a payment may get them later.
const (
	Pending     Delivery = "pending"     // the seller has not answered, and may: until ValidBefore it is asked again
	Delivered   Delivery = "delivered"   // the seller answered with what was paid for
	Undelivered Delivery = "undelivered" // the seller answered otherwise, or did not until the end
	Unseen      Delivery = "unseen"      // the agent asks the seller by itself, and the server does not see the answer
)

// Payment is a transfer that an agent's wallet signs for a seller.
type Payment struct {
	WorkspaceID, ID, AgentID string
	State                    State
	Resource                 string // URL
	Request                  string // what the seller is asked, sealed; "": the agent asks by itself
	Answer                   string // JSON of the seller's answer 402
	Network, Transfer        string // slug; chain.EIP3009, chain.Permit2 or chain.Sponsored
	From, PayTo, Facilitator string // Facilitator of a sponsored one pays the fee
	Memo                     string // of a sponsored one
	Micro                    int64  // of USDC
	Counted                  int64  // under its nonce, by the signer: more than Micro where it was signed for before
	Nonce                    string // "": it has none
	Reuses                   string // id of the payment that had its nonce before
	Since                    int64  // it is in no block below
	ValidBefore              int64  // second since 1970; 0: not signed; of a sponsored one the seller's time to deliver
	LastHeight               int64  // of a sponsored one: of the last block that can have it
	Signature                string // hex; of a sponsored one the transaction, in which the sponsor's is missing
	Tx                       string
	Moved                    int64 // micro-USDC
	HTTPStatus               int
	Delivery                 Delivery
	Reason                   string
	CreatedAt, UpdatedAt     time.Time
}

// Cursor is the payment's place in a list.
func (p Payment) Cursor() page.Cursor { return page.Cursor{CreatedAt: p.CreatedAt, ID: p.ID} }

func (p Payment) place() vault.Place {
	return vault.Place{WorkspaceID: p.WorkspaceID, Kind: "x402_payments", ID: p.ID, Field: "request"}
}

// Tx is what payments need of a transaction of the database.
type Tx interface {
	activity.Tx
	call.Tx
	record.Queue
	InsertX402Payment(context.Context, Payment) error
	// SignX402Payment writes signature and end of a prepared payment; record.ErrStale where it is not prepared.
	SignX402Payment(context.Context, Payment) error
	// EndX402Payment writes what the chain says of a signed payment: state, transaction and amount, and the reason
	// where no money moved. It answers the whole row as it then is; record.ErrStale where it is not signed.
	EndX402Payment(context.Context, Payment) (Payment, error)
	// NoteX402Answer writes what the seller answered: status, delivery and reason. It answers the whole row as it then
	// is; record.ErrStale where its delivery is not what it was.
	NoteX402Answer(ctx context.Context, p Payment, was Delivery) (Payment, error)
	DeleteX402Payment(ctx context.Context, workspaceID, id string) error // a prepared one; else record.ErrStale
	// TakeX402Nonce gives the nonce of an unused payment to another one; record.ErrStale where it was taken.
	TakeX402Nonce(ctx context.Context, workspaceID, id, by string) error
	FreeX402Nonce(ctx context.Context, workspaceID, id, by string) error
}

// Filter selects payments of an agent.
type Filter struct {
	WorkspaceID, AgentID string
	State                State // "": any
	Page                 page.Page
}

// Store is what payments need of a database.
type Store interface {
	call.Store[Tx]
	X402Payment(ctx context.Context, workspaceID, id string) (Payment, error)
	X402Payments(ctx context.Context, f Filter) ([]Payment, int, error) // newest first
	// UnusedX402Payments lists those since an instant whose nonce nobody has taken.
	UnusedX402Payments(ctx context.Context, workspaceID, agentID string, since time.Time, most int) ([]Payment, error)
	// OpenX402Payments lists those that have not ended, or whose delivery is not known, and that nobody has looked at
	// since an instant.
	OpenX402Payments(ctx context.Context, before time.Time, most int) ([]Payment, error)
}

// asked is what a seller is asked for.
type asked struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    []byte            `json:"body,omitempty"`
}

// answer402 is the seller's answer, as far as its offers are in it.
type answer402 struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
	Older  bool        `json:"older,omitempty"` // made of a paymentRequirement, in the older dialect
}

func (a answer402) offers() (x402.Offers, error) {
	var also []x402.Dialect
	if a.Older {
		also = append(also, x402.Old)
	}
	return x402.ReadOffers(a.Status, a.Header, a.Body, also...)
}

// transfer is what is signed, as the node is asked about it.
func (p Payment) transfer(t chain.Token) (chain.SignedTransfer, error) {
	nonce, err := chain.ParseHex(p.Nonce)
	if err != nil || len(nonce) != 32 {
		return chain.SignedTransfer{}, errRow
	}
	return chain.SignedTransfer{
		Method: p.Transfer, From: p.From, To: p.PayTo, Token: t, Amount: big.NewInt(p.Micro), Nonce: [32]byte(nonce),
		Ends: p.ValidBefore, Facilitator: p.Facilitator,
	}, nil
}

// choice finds the offer again that a payment is for: of those to its payee, on its network and by its transfer the
// cheapest is the one that was chosen among all.
func (p Payment) choice(n chain.Network) (x402.Choice, error) {
	var a answer402
	if err := json.Unmarshal([]byte(p.Answer), &a); err != nil {
		return x402.Choice{}, errRow
	}
	offers, err := a.offers()
	if err != nil {
		return x402.Choice{}, err
	}
	offers.List = slices.DeleteFunc(offers.List, func(o x402.Offer) bool {
		return !p.isFor(o) || !p.costs(o)
	})
	c, _, ok := x402.Choose(offers, x402.Wants{
		Networks: []chain.Network{n}, Tokens: []string{paysIn}, Methods: []x402.Method{x402.Method(p.Transfer)},
		Upto: p.Facilitator != "", Max: big.NewInt(p.Micro), Now: p.CreatedAt,
	})
	if !ok || c.Amount.Int64() != p.Micro {
		return x402.Choice{}, errRow
	}
	return c, nil
}

// isFor reports whether the payment is to an offer's payee and, where it is sponsored, has the sponsor and the memo
// that the offer asks for.
func (p Payment) isFor(o x402.Offer) bool {
	if p.sponsored() {
		return o.PayTo == p.PayTo && o.Extra.FeePayer == p.Facilitator && (o.Extra.Memo == "" || o.Extra.Memo == p.Memo)
	}
	return strings.EqualFold(o.PayTo, p.PayTo)
}

const usdcDecimals = 6 // of paysIn, on every network

// costs reports whether an offer asks for what was signed: a seller may have two that differ in their price alone.
func (p Payment) costs(o x402.Offer) bool {
	decimals := 0
	if o.Dialect == x402.Old {
		decimals = usdcDecimals
	}
	n, err := chain.ParseUnits(o.Amount, decimals)
	return err == nil && n.IsInt64() && n.Int64() == p.Micro
}

// header is the header that pays. It is made of the signature each time, and checked against the offer.
func (p Payment) header(n chain.Network) (name, value string, err error) {
	c, err := p.choice(n)
	if err != nil {
		return "", "", err
	}
	if p.sponsored() {
		return p.sponsoredHeader(c)
	}
	t, err := p.transfer(c.Token)
	if err != nil {
		return "", "", err
	}
	sig, err := chain.ParseHex(p.Signature)
	if err != nil {
		return "", "", errRow
	}
	return x402.Payment{Choice: c, From: p.From, Nonce: t.Nonce, ValidBefore: p.ValidBefore}.Header(sig)
}

// job looks at the chain for the payment.
func (p Payment) job(at time.Time) job.Job {
	return job.Job{Kind: Job, WorkspaceID: p.WorkspaceID, ID: p.ID, RunAt: at}
}

// View is the payment as the API shows it.
func (p Payment) View() rest.X402Payment {
	v := rest.X402Payment{
		ID: p.ID, AgentID: p.AgentID, State: string(p.State), Amount: micro(p.Micro), Asset: paysIn,
		Network: p.Network, PayTo: p.PayTo, Resource: p.Resource, Delivery: string(p.Delivery),
		Delivered: p.Delivery == Delivered, HTTPStatus: p.HTTPStatus, Tx: p.Tx, Reason: p.Reason,
		CreatedAt: clock.ISO(p.CreatedAt), UpdatedAt: clock.ISO(p.UpdatedAt),
	}
	if p.State == Settled {
		v.Amount = micro(p.Moved)
	}
	switch {
	case p.sponsored() && p.LastHeight > 0:
		v.LastHeight = &p.LastHeight
	case p.ValidBefore > 0 && !p.sponsored():
		ends := clock.ISO(time.Unix(p.ValidBefore, 0))
		v.ValidBefore = &ends
	}
	return v
}

func micro(n int64) rest.SmallestUnits { return rest.SmallestUnits(strconv.FormatInt(n, 10)) }

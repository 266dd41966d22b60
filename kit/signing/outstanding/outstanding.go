// Package outstanding lists what was signed without a passkey and may still have an effect on a chain: under a
// policy's delegation, or for an agent. Taking the delegation away or killing the agent does not undo it, so that each
// entry says how it is made worthless.
//
// Read outstanding.go for the list, then void.go.
package outstanding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/rest"
)

// maxPages bounds one answer to 2,000 signings. Older ones are listed once newer ones are mined, expired or void.
const maxPages = 20

const usdcDecimals = 6

// List is what was signed and may still have an effect on a chain. The enclave's journal is its source; the server adds
// the ids of its rows, and how many transactions its nodes have mined.
type List struct {
	Transactions   []rest.OutstandingTransaction `json:"transactions" doc:"Signed, and not mined as far as the server's nodes say; newest first"`
	Authorizations []Authorization               `json:"authorizations" doc:"Signed typed data that has not ended; newest first. Whether it was handed in already, the token's contract knows"`
	Mined          []rest.MinedNonce             `json:"mined" doc:"What the server's nodes say is mined. Transactions below are left out: who does not trust the server asks another node"`
	Finalized      []rest.FinalizedHeight        `json:"finalized" doc:"Where transactions have no nonces: the newest final block as the server's nodes say. Transactions that only a block up to there could have are left out"`
	Complete       bool                          `json:"complete" doc:"false: there are more than 2,000, and these are the newest"`
	Proofs         []wire.Proof                  `json:"proofs" doc:"Of the enclave, one for each 100 signings: it names them all"`

	usdc *big.Int
}

// USDC is the sum of amountUsdc of all that is listed.
func (l List) USDC() string { return chain.FormatUnits(l.usdc, usdcDecimals) }

// Authorization is signed typed data that its holder can still submit to a contract.
type Authorization struct {
	Type        string         `json:"type" doc:"primaryType of EIP-712; unknown where it was signed before the enclave wrote it down"`
	Network     string         `json:"network,omitempty"`
	From        string         `json:"from,omitempty"`
	Contract    string         `json:"contract,omitempty" doc:"That takes it: the token's own, or Permit2"`
	Nonces      []string       `json:"nonces" doc:"That the contract takes once; in a batch of Permit2's allowances one for each token"`
	EndsAt      *string        `json:"endsAt" format:"date-time" doc:"The last moment at which the contract takes it; it is listed for 15 minutes more. null: not known"`
	Effects     []chain.Effect `json:"effects" doc:"What it lets others do"`
	AmountUSDC  string         `json:"amountUsdc" doc:"How much of it is USDC"`
	Digest      string         `json:"digest"`
	Fingerprint string         `json:"fingerprint" doc:"Of the body under which it was signed"`
	SignedAt    string         `json:"signedAt" format:"date-time"`
	Void        rest.Voiding   `json:"void"`
}

// Store is what the list needs of a database.
type Store interface {
	// TransactionSigned finds the row of a body that was signed for a nonce of a wallet's address.
	TransactionSigned(ctx context.Context, workspaceID, chain, from string, nonce int64,
		fingerprint string) (transaction.Transaction, error)
	// TransactionSignedOnce finds it on a network without nonces.
	TransactionSignedOnce(ctx context.Context, workspaceID, chain, fingerprint string) (transaction.Transaction, error)
}

// Service lists what is outstanding.
type Service struct {
	store   Store
	enclave signer.Enclave
	nodes   *nodes.Set
	log     *slog.Logger
}

// New makes a Service.
func New(s Store, e signer.Enclave, n *nodes.Set, log *slog.Logger) *Service {
	return &Service{s, e, n, log}
}

// Of lists what was signed under the delegation of a policy, or for an agent, that the request names.
func (s *Service) Of(ctx context.Context, o activity.Owner, q wire.LentRequest) (List, error) {
	out := List{
		Transactions: []rest.OutstandingTransaction{}, Authorizations: []Authorization{},
		Mined: []rest.MinedNonce{}, Finalized: []rest.FinalizedHeight{}, Proofs: []wire.Proof{}, usdc: new(big.Int),
	}
	first, _, err := s.signed(ctx, o, q)
	if err != nil {
		return out, err
	}
	out.Mined, out.Finalized = s.minedNonces(ctx, first.Senders), s.finalized(ctx, first.Senders)
	for _, f := range out.Finalized {
		height := strconv.FormatInt(f.Height, 10)
		q.Finalized = append(q.Finalized, wire.FinalizedHeight{Chain: f.Network, Height: height})
	}
	for _, m := range out.Mined {
		q.Mined = append(q.Mined, wire.MinedNonce{Chain: m.Network, Address: m.Address,
			Nonce: strconv.FormatUint(m.Nonce, 10)})
	}
	for range maxPages {
		page, proof, err := s.signed(ctx, o, q)
		if err != nil {
			return out, err
		}
		out.Proofs = append(out.Proofs, proof)
		for _, x := range page.Signed {
			if err := s.add(ctx, &out, o, x); err != nil {
				return out, err
			}
		}
		if q.Before = page.More; q.Before == "" {
			out.Complete = true
			break
		}
	}
	return out, nil
}

// signed asks the enclave for a page.
func (s *Service) signed(ctx context.Context, o activity.Owner, q wire.LentRequest) (*wire.Lent, wire.Proof, error) {
	proof, err := s.enclave.State(ctx, wire.StateRequest{OrganizationID: o.ID, Lent: &q})
	if err != nil {
		return nil, proof, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
		return nil, proof, fmt.Errorf("reading a statement: %w", err)
	}
	if st.State == nil || st.State.Lent == nil ||
		st.State.Lent.PolicyID != q.PolicyID || st.State.Lent.AgentID != q.AgentID {
		return nil, proof, errors.New("the enclave's statement about what it signed is about something else")
	}
	return st.State.Lent, proof, nil
}

// minedNonces asks the nodes for the mined nonces of senders. If a node does not answer, all transactions of its
// network stay listed.
func (s *Service) minedNonces(ctx context.Context, senders []wire.Sender) []rest.MinedNonce {
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	all := []rest.MinedNonce{}
	for _, at := range senders {
		node, err := s.nodes.Numbered(at.Chain)
		if err != nil {
			continue // of another family, or there is none
		}
		nonce, err := node.NextNonce(ctx, at.Address)
		if err != nil {
			s.log.WarnContext(ctx, "asking what is mined of an address", "network", at.Chain, "error", err)
			continue
		}
		all = append(all, rest.MinedNonce{Network: at.Chain, Address: at.Address, Nonce: nonce})
	}
	return all
}

// finalized asks for the height of the newest final block where transactions have no nonces. The enclave leaves out
// what only a block up to there could have.
func (s *Service) finalized(ctx context.Context, senders []wire.Sender) []rest.FinalizedHeight {
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	all := []rest.FinalizedHeight{}
	for _, at := range senders {
		node, ok := s.nodes.Expiring(at.Chain)
		if !ok || slices.ContainsFunc(all, func(f rest.FinalizedHeight) bool { return f.Network == at.Chain }) {
			continue
		}
		height, err := node.Finalized(ctx)
		if err != nil {
			s.log.WarnContext(ctx, "asking which blocks are final", "network", at.Chain, "error", err)
			continue
		}
		all = append(all, rest.FinalizedHeight{Network: at.Chain, Height: height})
	}
	return all
}

func (s *Service) add(ctx context.Context, out *List, o activity.Owner, x wire.LentSigning) error {
	out.usdc.Add(out.usdc, x.USDC())
	if x.Transaction == nil {
		out.Authorizations = append(out.Authorizations, s.authorization(x))
		return nil
	}
	t, err := s.transaction(ctx, o, x)
	out.Transactions = append(out.Transactions, t)
	return err
}

func (s *Service) transaction(
	ctx context.Context, o activity.Owner, x wire.LentSigning,
) (rest.OutstandingTransaction, error) {
	t := rest.OutstandingTransaction{
		Network: x.Transaction.Chain, From: x.Transaction.SignWith, TxHash: x.Transaction.TxHash,
		AmountUSDC: chain.FormatUnits(x.USDC(), usdcDecimals), Fingerprint: x.Fingerprint, SignedAt: x.SignedAt,
	}
	row, err := s.row(ctx, o, &t, x)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		err = nil
	case err == nil:
		t.TransactionID, t.Status, t.ReplacedBy = row.ID, string(row.State), row.ReplacedBy
	}
	t.Void = howToVoidTransaction(t, x)
	return t, err
}

// row finds the server's row of a signing, and fills in what its network has in the place of the others'.
func (s *Service) row(
	ctx context.Context, o activity.Owner, t *rest.OutstandingTransaction, x wire.LentSigning,
) (transaction.Transaction, error) {
	if x.Transaction.Nonce == "" {
		t.Standing = x.Standing
		if height, err := strconv.ParseInt(x.Transaction.LastHeight, 10, 64); err == nil {
			t.LastHeight = &height
		}
		if ms, err := strconv.ParseInt(x.Transaction.Expires, 10, 64); err == nil {
			t.EndsAt = clock.ISOOrNil(time.UnixMilli(ms))
		}
		return s.store.TransactionSignedOnce(ctx, o.WorkspaceID, t.Network, t.Fingerprint)
	}
	nonce, err := strconv.ParseUint(x.Transaction.Nonce, 10, 63)
	if err != nil {
		return transaction.Transaction{}, fmt.Errorf("reading the nonce of a statement: %w", err)
	}
	t.Nonce = &nonce
	return s.store.TransactionSigned(ctx, o.WorkspaceID, t.Network, t.From, int64(nonce), t.Fingerprint)
}

func (s *Service) authorization(x wire.LentSigning) Authorization {
	v := Authorization{
		Type: "unknown", Nonces: []string{}, Effects: []chain.Effect{}, Digest: x.Digest, Fingerprint: x.Fingerprint,
		AmountUSDC: chain.FormatUnits(x.USDC(), usdcDecimals), SignedAt: x.SignedAt,
	}
	if a := x.Authorization; a != nil {
		v.Type, v.Network, v.From, v.Contract, v.Nonces, v.Effects = a.Type, a.Chain, a.SignWith, a.Contract, a.Nonces,
			a.Effects
		if a.EndsAt != "" {
			v.EndsAt = &a.EndsAt
		}
	}
	network, _ := s.nodes.BySlug(v.Network)
	v.Void = howToVoidAuthorization(v, network)
	return v
}

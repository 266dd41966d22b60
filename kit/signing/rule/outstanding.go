package rule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// maxOutstandingPages bounds one answer to 2,000 signings. Older ones are listed once newer ones are mined, expired or
// void.
const maxOutstandingPages = 10

// Outstanding is what was signed under a policy's delegation and may still have an
// effect on a chain. The enclave's journal is its source; the server adds the ids
// of its rows, and how many transactions its nodes have mined.
type Outstanding struct {
	PolicyID       string                        `json:"policyId"`
	Transactions   []rest.OutstandingTransaction `json:"transactions" doc:"Signed, and not mined as far as the server's nodes say; newest first"`
	Authorizations []OutstandingAuthorization    `json:"authorizations" doc:"Signed typed data that has not ended; newest first. Whether it was handed in already, the token's contract knows"`
	Mined          []rest.MinedNonce             `json:"mined" doc:"What the server's nodes say is mined. Transactions below are left out: who does not trust the server asks another node"`
	Complete       bool                          `json:"complete" doc:"false: there are more than 2,000, and these are the newest"`
	Proofs         []wire.Proof                  `json:"proofs" doc:"Of the enclave, one for each 200 signings: it names them all"`
}

// OutstandingAuthorization is signed typed data that its holder can still submit to a contract.
type OutstandingAuthorization struct {
	Type        string         `json:"type" doc:"primaryType of EIP-712; unknown where it was signed before the enclave wrote it down"`
	Network     string         `json:"network,omitempty"`
	From        string         `json:"from,omitempty"`
	Contract    string         `json:"contract,omitempty" doc:"That takes it: the token's own, or Permit2"`
	Nonces      []string       `json:"nonces" doc:"That the contract takes once; in a batch of Permit2's allowances one for each token"`
	EndsAt      *string        `json:"endsAt" format:"date-time" doc:"The last moment at which the contract takes it; it is listed for 15 minutes more. null: not known"`
	Effects     []chain.Effect `json:"effects" doc:"What it lets others do"`
	Digest      string         `json:"digest"`
	Fingerprint string         `json:"fingerprint" doc:"Of the body under which it was signed"`
	SignedAt    string         `json:"signedAt" format:"date-time"`
	Void        rest.Voiding   `json:"void"`
}

// Outstanding lists what was signed under the delegation that a policy has, or had.
func (s *Service) Outstanding(ctx context.Context, p auth.Principal, policyID string) (Outstanding, error) {
	policy, err := s.store.Policy(ctx, p.WorkspaceID, policyID)
	if err != nil {
		return Outstanding{}, err
	}
	return s.outstandingOf(ctx, policy)
}

func (s *Service) outstandingOf(ctx context.Context, p Policy) (Outstanding, error) {
	out := Outstanding{
		PolicyID: p.ID, Transactions: []rest.OutstandingTransaction{}, Authorizations: []OutstandingAuthorization{},
		Mined: []rest.MinedNonce{}, Proofs: []wire.Proof{},
	}
	q := wire.LentRequest{PolicyID: p.ID}
	first, _, err := s.signedUnder(ctx, p, q)
	if err != nil {
		return out, err
	}
	out.Mined = s.minedNonces(ctx, first.Senders)
	for _, m := range out.Mined {
		q.Mined = append(q.Mined, wire.MinedNonce{Chain: m.Network, Address: m.Address,
			Nonce: strconv.FormatUint(m.Nonce, 10)})
	}
	for range maxOutstandingPages {
		page, proof, err := s.signedUnder(ctx, p, q)
		if err != nil {
			return out, err
		}
		out.Proofs = append(out.Proofs, proof)
		for _, x := range page.Signed {
			if err := s.addOutstanding(ctx, &out, p, x); err != nil {
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

// signedUnder asks the enclave for a page.
func (s *Service) signedUnder(ctx context.Context, p Policy, q wire.LentRequest) (*wire.Lent, wire.Proof, error) {
	proof, err := s.enclave.State(ctx, wire.StateRequest{OrganizationID: p.SubOrganizationID, Lent: &q})
	if err != nil {
		return nil, proof, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
		return nil, proof, fmt.Errorf("reading a statement: %w", err)
	}
	if st.State == nil || st.State.Lent == nil || st.State.Lent.PolicyID != p.ID {
		return nil, proof, errors.New("the enclave's statement about a delegation is about something else")
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
		node, err := s.nodes.Node(at.Chain)
		if err != nil {
			continue
		}
		nonce, err := node.NextNonce(ctx, at.Address)
		if err != nil {
			s.log.Warn("asking what is mined of an address", "network", at.Chain, "error", err)
			continue
		}
		all = append(all, rest.MinedNonce{Network: at.Chain, Address: at.Address, Nonce: nonce})
	}
	return all
}

func (s *Service) addOutstanding(ctx context.Context, out *Outstanding, p Policy, x wire.LentSigning) error {
	if x.Transaction == nil {
		out.Authorizations = append(out.Authorizations, s.outstandingAuthorization(x))
		return nil
	}
	t, err := s.outstandingTransaction(ctx, p, x)
	out.Transactions = append(out.Transactions, t)
	return err
}

func (s *Service) outstandingTransaction(ctx context.Context, p Policy,
	x wire.LentSigning,
) (rest.OutstandingTransaction, error) {
	nonce, err := strconv.ParseUint(x.Transaction.Nonce, 10, 63)
	if err != nil {
		return rest.OutstandingTransaction{}, fmt.Errorf("reading the nonce of a statement: %w", err)
	}
	t := rest.OutstandingTransaction{
		Network: x.Transaction.Chain, From: x.Transaction.SignWith, Nonce: nonce, TxHash: x.Transaction.TxHash,
		Fingerprint: x.Fingerprint, SignedAt: x.SignedAt,
	}
	row, err := s.store.TransactionSigned(ctx, p.WorkspaceID, t.Network, t.From, int64(nonce), t.Fingerprint)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		err = nil
	case err == nil:
		t.TransactionID, t.Status, t.ReplacedBy = row.ID, string(row.State), row.ReplacedBy
	}
	t.Void = howToVoidTransaction(t)
	return t, err
}

func (s *Service) outstandingAuthorization(x wire.LentSigning) OutstandingAuthorization {
	v := OutstandingAuthorization{
		Type: "unknown", Nonces: []string{}, Effects: []chain.Effect{}, Digest: x.Digest, Fingerprint: x.Fingerprint,
		SignedAt: x.SignedAt,
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

// outstandingIfRevoked lists what was signed under a delegation that a change of its policy removed or replaced. The
// change is made by then: if the list cannot be read, the answer omits it, and the caller can GET it later.
func (s *Service) outstandingIfRevoked(ctx context.Context, a activity.Activity, out client.Outcome,
	p, known Policy,
) *Outstanding {
	kind := wire.ActivityType(a.Kind)
	now, was := p.Policy.Rules.Delegation, known.Policy.Rules.Delegation
	revoked := kind == wire.DeletePolicy && now != nil || kind == wire.UpdatePolicy && was != nil &&
		!reflect.DeepEqual(now, was)
	if !revoked || out.State != wire.Done {
		return nil
	}
	left, err := s.outstandingOf(ctx, p)
	if err != nil {
		s.log.Warn("listing what was signed under a delegation that was taken away", "policy", p.ID, "error", err)
		return nil
	}
	return &left
}

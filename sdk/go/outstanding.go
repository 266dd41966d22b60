package railkit

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Outstanding is what was signed under a policy's delegation and may still have an
// effect on a chain.
type Outstanding struct {
	PolicyID       string                     `json:"policyId"`
	Transactions   []OutstandingTransaction   `json:"transactions"`   // signed, and not mined as far as the server's nodes say
	Authorizations []OutstandingAuthorization `json:"authorizations"` // typed data that has not ended
	Mined          []MinedNonce               `json:"mined"`          // the server's word; ask a node of your own
	Complete       bool                       `json:"complete"`       // false: these are the newest 2,000
	Proofs         []Proof                    `json:"proofs"`
}

// MinedNonce is the first nonce of an address that is not mined.
type MinedNonce struct {
	Network string `json:"network"`
	Address string `json:"address"`
	Nonce   uint64 `json:"nonce"`
}

// OutstandingTransaction is a signed transaction.
type OutstandingTransaction struct {
	TransactionID string  `json:"transactionId,omitempty"`
	Status        string  `json:"status,omitempty"`
	Network       string  `json:"network"`
	From          string  `json:"from"`
	Nonce         uint64  `json:"nonce"`
	TxHash        string  `json:"txHash"`
	ReplacedBy    string  `json:"replacedBy,omitempty"`
	Fingerprint   string  `json:"fingerprint"`
	SignedAt      string  `json:"signedAt"`
	Void          Voiding `json:"void"`
}

// OutstandingAuthorization is typed data that others may hand in.
type OutstandingAuthorization struct {
	Type        string         `json:"type"`
	Network     string         `json:"network,omitempty"`
	From        string         `json:"from,omitempty"`
	Contract    string         `json:"contract,omitempty"`
	Nonces      []string       `json:"nonces"`
	EndsAt      *string        `json:"endsAt"` // nil: not known
	Effects     []chain.Effect `json:"effects"`
	Digest      string         `json:"digest"`
	Fingerprint string         `json:"fingerprint"`
	SignedAt    string         `json:"signedAt"`
	Void        Voiding        `json:"void"`
}

// Voiding is how something that is signed is made worthless.
type Voiding struct {
	How     string        `json:"how"`
	Prepare []VoidRequest `json:"prepare"` // empty where it takes another way
}

// VoidRequest is what makes something worthless: type void for PrepareReplacement,
// type call for PrepareTransaction.
type VoidRequest struct {
	Type     string `json:"type"`
	Replaces string `json:"replaces,omitempty"`
	SignWith string `json:"signWith,omitempty"`
	ChainID  uint64 `json:"chainId,omitempty"`
	To       string `json:"to,omitempty"`
	Data     string `json:"data,omitempty"`
}

// OutstandingUnder lists what was signed under the delegation that a policy has or
// had, also when the policy is deleted. The enclave's proofs name all of it: the
// server can hide none, but for what it says is mined (Mined).
func (c *Client) OutstandingUnder(ctx context.Context, policyID string) (*Outstanding, error) {
	r, err := send[Outstanding](ctx, c, request{method: http.MethodGet, path: policiesPath + "/" + url.PathEscape(policyID) + "/outstanding"})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	for i := range r.Data.Proofs {
		if _, err := c.verify.fresh(&r.Data.Proofs[i], r.Floor); err != nil {
			return nil, err
		}
	}
	if len(r.Data.Proofs) == 0 {
		return nil, tampered(ReasonProof, "there is no proof of what was signed under the delegation")
	}
	return checked(&r.Data, c.verify.outstanding(&r.Data, policyID))
}

// outstanding holds a list against the enclave's own: each entry is in both, and no
// page of the enclave's is left out.
func (v *verifier) outstanding(o *Outstanding, policyID string) error {
	if o == nil {
		return nil
	}
	before, signed := "", map[string]wire.LentSigning{}
	for i := range o.Proofs {
		st, err := v.open(&o.Proofs[i], wire.KindState)
		if err != nil {
			return err
		}
		if st.State == nil || st.State.Lent == nil || st.State.Lent.PolicyID != policyID || st.State.Lent.Before != before || i > 0 && before == "" {
			return tampered(ReasonResult, "the enclave's statement is not the next page of what was signed under the delegation")
		}
		if !sameMined(st.State.Lent.Mined, o.Mined) {
			return tampered(ReasonResult, "the enclave left out more as mined than the answer says")
		}
		for _, x := range st.State.Lent.Signed {
			signed[x.Fingerprint] = x
		}
		before = st.State.Lent.More
	}
	if o.Complete != (before == "") || o.PolicyID != policyID {
		return tampered(ReasonResult, "the list says that it is whole and is not, or is of another policy")
	}
	return o.match(signed)
}

func (o *Outstanding) match(signed map[string]wire.LentSigning) error {
	differs := tampered(ReasonResult, "the list has other signings than the enclave's")
	if len(o.Transactions)+len(o.Authorizations) != len(signed) {
		return differs
	}
	for _, t := range o.Transactions {
		w := signed[t.Fingerprint].Transaction
		delete(signed, t.Fingerprint)
		if w == nil || w.TxHash != t.TxHash || w.Chain != t.Network || w.SignWith != t.From || w.Nonce != decimal(t.Nonce) {
			return differs
		}
	}
	for _, a := range o.Authorizations {
		x, ok := signed[a.Fingerprint]
		delete(signed, a.Fingerprint)
		if !ok || x.Transaction != nil || x.Digest != a.Digest || !a.says(x.Authorization) {
			return differs
		}
	}
	return nil
}

func (a OutstandingAuthorization) says(w *wire.Authorization) bool {
	ends := ""
	if a.EndsAt != nil {
		ends = *a.EndsAt
	}
	if w == nil {
		return a.Contract == "" && ends == ""
	}
	return a.Type == w.Type && a.Network == w.Chain && a.From == w.SignWith && a.Contract == w.Contract && slices.Equal(a.Nonces, w.Nonces) &&
		ends == w.EndsAt && slices.Equal(a.Effects, w.Effects)
}

func sameMined(w []wire.MinedNonce, all []MinedNonce) bool {
	return slices.EqualFunc(w, all, func(w wire.MinedNonce, m MinedNonce) bool {
		return w.Chain == m.Network && w.Address == m.Address && w.Nonce == decimal(m.Nonce)
	})
}

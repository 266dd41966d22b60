package wire

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// LentRequest asks what was signed without a passkey and may still land: under a policy's delegation, or for an agent.
// Policy and agent may be gone; it names one of the two.
type LentRequest struct {
	PolicyID string       `json:"policyId,omitempty"`
	AgentID  string       `json:"agentId,omitempty"`
	Mined    []MinedNonce `json:"mined,omitempty"`  // transactions below are left out
	Before   string       `json:"before,omitempty"` // the More of the page before

	// Where there are no nonces: transactions that only a block up to here could have are left out.
	Finalized []FinalizedHeight `json:"finalized,omitempty"`
}

// FinalizedHeight is the height of a network's latest finalized block, as the host says.
type FinalizedHeight struct {
	Chain  string `json:"chain"` // slug
	Height string `json:"height"`
}

// MinedNonce is how many transactions of an address the host says are mined.
type MinedNonce struct {
	Chain   string `json:"chain"` // slug
	Address string `json:"address"`
	Nonce   string `json:"nonce"`
}

// Sender is an address on a network.
type Sender struct {
	Chain   string `json:"chain"`
	Address string `json:"address"`
}

// Lent is the answer, newest first.
type Lent struct {
	PolicyID string        `json:"policyId,omitempty"`
	AgentID  string        `json:"agentId,omitempty"`
	Mined    []MinedNonce  `json:"mined,omitempty"`  // as the host said it; ask a node of your own
	Before   string        `json:"before,omitempty"` // as it was asked for
	Senders  []Sender      `json:"senders,omitempty"`
	Signed   []LentSigning `json:"signed,omitempty"`
	More     string        `json:"more,omitempty"` // there are older ones: ask with it as before

	Finalized []FinalizedHeight `json:"finalized,omitempty"` // as the host said it
}

// LentSigning is one signing. It has a transaction, or the digest of a message and,
// where that is understood, what it allows.
type LentSigning struct {
	Seq           string         `json:"seq"` // of its entry in the journal
	Fingerprint   string         `json:"fingerprint"`
	SignedAt      string         `json:"signedAt"`
	Transaction   *Transaction   `json:"transaction,omitempty"` // without its bytes
	Effects       []chain.Effect `json:"effects,omitempty"`     // of the transaction
	Digest        string         `json:"digest,omitempty"`
	Authorization *Authorization `json:"authorization,omitempty"`
	// Where there are no nonces: it lets somebody take tokens, and is listed whatever height is finalized.
	Standing bool `json:"standing,omitempty"`
}

// USDC is how much a signing moves, or lets somebody take, of a token that the network lists as USDC, in its smallest
// unit.
func (x LentSigning) USDC() *big.Int {
	effects := x.Effects
	if x.Authorization != nil {
		effects = x.Authorization.Effects
	}
	sum := new(big.Int)
	for _, e := range effects {
		if amount, ok := new(big.Int).SetString(e.Amount, 10); ok && e.Symbol == "USDC" {
			sum.Add(sum, amount)
		}
	}
	return sum
}

package wire

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strings"
)

// AgentX402Params is a call whose request is an X402Request, and the offer of the seller that the host chose for it.
// The signer writes the transfer out of both, and its end: Seconds after it signs, or what a blockhash ends.
type AgentX402Params struct {
	AgentCall
	Chain    string `json:"chain"`    // slug
	Transfer string `json:"transfer"` // eip3009, permit2 or sponsored
	To       string `json:"to"`
	Amount   string `json:"amount"`            // smallest unit of USDC
	Nonce    string `json:"nonce,omitempty"`   // 0x hex of 32 bytes; not with sponsored
	Seconds  string `json:"seconds,omitempty"` // for which it can be handed in: at most 120; not with sponsored
	// With permit2: who alone hands it in, and may move less than Amount. With sponsored: who pays the fee.
	Facilitator string `json:"facilitator,omitempty"`
	// With sponsored: of the transaction, whose blockhash the host adds when it is signed.
	Memo string `json:"memo,omitempty"`
}

// X402Request is the body of POST /v1/agents/{id}/x402-pay. It has one of three forms: a URL that the server fetches
// and pays for, a recipient that the agent has read from an offer, or a requirement, as older agents send it.
type X402Request struct {
	URL       string            `json:"url,omitempty"`
	Method    string            `json:"method,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      json.RawMessage   `json:"body,omitempty"`
	MaxAmount string            `json:"maxAmount,omitempty"` // smallest unit of USDC

	ResourceURL string `json:"resource_url,omitempty"`
	Amount      string `json:"amount,omitempty"` // smallest unit of USDC
	Recipient   string `json:"recipient,omitempty"`
	Memo        string `json:"memo,omitempty"`    // on Solana: what the transaction has to say
	Cluster     string `json:"cluster,omitempty"` // slug; beside a requirement it is that of its network

	Requirement *X402Requirement `json:"paymentRequirement,omitempty"`
}

// X402Requirement is what older agents send of an offer.
type X402Requirement struct {
	Amount      string `json:"amount"` // USDC, with at most 6 decimals
	Currency    string `json:"currency"`
	Network     string `json:"network"` // slug
	Recipient   string `json:"recipient"`
	Description string `json:"description,omitempty"`
	Resource    string `json:"resource,omitempty"` // URL
	FeePayer    string `json:"feePayer,omitempty"` // on Solana: who pays the fee
	Memo        string `json:"memo,omitempty"`     // on Solana: what the transaction has to say
}

// X402Terms are what an X402Request allows to be paid.
type X402Terms struct {
	URL       string // "": the agent names a recipient only
	Recipient string // "": whoever sells at URL
	Chain     string // "": any that the agent's limits name
	Cluster   string // of a requirement, whose network is Chain: what the agent also says of it; "": nothing
	Sponsor   string // who pays the fee of a sponsored transfer; "": anybody
	Memo      string // of one; "": any
	Micro     int64  // of USDC, at most
}

// TermsError says what is wrong with a member of an X402Request.
type TermsError struct{ Member, Problem string }

func (e *TermsError) Error() string { return e.Member + " " + e.Problem }

// Terms reads a request. The error is a TermsError.
func (q X402Request) Terms() (X402Terms, error) {
	byURL, byRecipient := q.URL != "", q.ResourceURL != "" || q.Recipient != "" || q.Amount != ""
	switch r := q.Requirement; {
	case byURL && !byRecipient && r == nil:
		return termsOf(X402Terms{URL: q.URL, Chain: q.Cluster}, "maxAmount", q.MaxAmount, 0)
	case byRecipient && !byURL && r == nil:
		if q.ResourceURL == "" || q.Recipient == "" {
			return X402Terms{}, &TermsError{"resource_url", "and recipient go together"}
		}
		t := X402Terms{URL: q.ResourceURL, Recipient: q.Recipient, Chain: q.Cluster, Memo: q.Memo}
		return termsOf(t, "amount", q.Amount, 0)
	case r != nil && !byURL && !byRecipient:
		if r.Currency != "USDC" || r.Network == "" || r.Recipient == "" {
			return X402Terms{}, &TermsError{"paymentRequirement", "must have recipient, network and the currency USDC"}
		}
		if q.Memo != "" && r.Memo != "" && q.Memo != r.Memo {
			return X402Terms{}, &TermsError{"memo", "must be paymentRequirement.memo, or be left out"}
		}
		t := X402Terms{
			URL: r.Resource, Recipient: r.Recipient, Chain: r.Network, Cluster: q.Cluster, Sponsor: r.FeePayer,
			Memo: cmp.Or(r.Memo, q.Memo),
		}
		return termsOf(t, "paymentRequirement.amount", r.Amount, usdcDecimals)
	}
	return X402Terms{}, &TermsError{"url", "or resource_url or paymentRequirement must say what is paid, and only one of them"}
}

const usdcDecimals = 6

// mostMicro is far above any payment, and is exact in every JSON reader.
var mostMicro = big.NewInt(1 << 53)

// termsOf adds an amount, written with at most so many decimals.
func termsOf(t X402Terms, member, amount string, decimals int) (X402Terms, error) {
	whole, part, dotted := strings.Cut(amount, ".")
	if len(part) > decimals || dotted == (part == "") {
		whole = "" // refused below
	}
	n, ok := new(big.Int).SetString(whole+part+strings.Repeat("0", max(decimals-len(part), 0)), 10)
	if !ok || whole == "" || strings.Trim(whole+part, "0123456789") != "" || whole != "0" && whole[0] == '0' ||
		n.Sign() <= 0 || n.Cmp(mostMicro) > 0 {
		if decimals > 0 {
			return t, &TermsError{member, "must be an amount of USDC above 0 with at most 6 decimals: 0.01"}
		}
		return t, &TermsError{member, "must be a whole number of USDC's smallest unit, above 0: 10000 are 0.01 USDC"}
	}
	t.Micro = n.Int64()
	return t, nil
}

package x402

import (
	"math/big"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/solana"
)

// Wants is what a buyer is ready for. What is not named is not taken.
type Wants struct {
	Networks   []chain.Network // from the registry; the only source of what a token is
	Tokens     []string        // symbols: "USDC"
	Methods    []Method
	Upto       bool      // also offers that say only afterwards what they took, up to their amount
	Own        []string  // the buyer's wallets, which are no sellers; canonical
	Max        *big.Int  // smallest units of the token; nil is nothing
	MinSeconds int64     // what the buyer needs to deliver a payment; 0 is 10
	Now        time.Time // for offers that end
}

// MaxLife is the longest that a payment of ours can move money after it was signed, however long the seller allows.
const MaxLife = 120 * time.Second

const minSeconds = 10

// Choice is an offer that fits, read into what the registry knows.
type Choice struct {
	Offer       Offer
	Resource    *Resource      // of version 2; the payment sends it back
	Extensions  jsontext.Value // of version 2, which are sent back as well: the seller finds its own again
	Network     chain.Network
	Token       chain.Token
	Method      Method
	PayTo       string // canonical
	Amount      *big.Int
	Facilitator string // canonical; of the scheme upto, else ""
	FeePayer    string // canonical; of the method Sponsored, else ""
	Memo        string // that the seller wants to find in a payment of the method Sponsored; "": any
	Seconds     int64  // how long a payment may take, at most MaxLife
}

// Why says why an offer was skipped.
type Why string

// The reasons, in the order in which an offer is looked at.
const (
	WhyUnreadable Why = "unreadable"
	WhyScheme     Why = "scheme_unknown"
	WhyNetwork    Why = "network_unknown"
	WhyAsset      Why = "asset_unknown"
	WhyMethod     Why = "method_unknown"
	WhyDomain     Why = "token_domain_differs"
	WhyFlow       Why = "payment_flow_unknown"
	WhyExtra      Why = "extra_unknown"
	WhyFeePayer   Why = "fee_payer_invalid"
	WhyPayTo      Why = "pay_to_invalid"
	WhyOwn        Why = "pay_to_own_wallet"
	WhyAmount     Why = "amount_invalid"
	WhyZero       Why = "amount_zero"
	WhyTooMuch    Why = "amount_over_limit"
	WhyTooShort   Why = "timeout_too_short"
	WhyExpired    Why = "expired"
)

// Sentence is the reason for people. It holds nothing that the seller wrote.
func (w Why) Sentence() string { return sentences[w] }

var sentences = map[Why]string{
	WhyUnreadable: "the offer is not an object of the expected types",
	WhyScheme:     "the scheme is not known, or not wanted",
	WhyNetwork:    "the network is not known, or not wanted",
	WhyAsset:      "the asset is no token that is listed for the network, or not one that is wanted",
	WhyMethod:     "the way of moving the token is not known, not wanted, or not one that the token has",
	WhyDomain:     "extra names another EIP-712 domain than the token has",
	WhyFlow:       "extra.paymentFlow is not known",
	WhyExtra:      "extra is not understood",
	WhyFeePayer:   "extra.feePayer, who pays the fee on Solana, is missing, has no key, or is a wallet of the buyer",
	WhyPayTo:      "payTo is no address, or that of a contract or of nobody, which gives nothing back",
	WhyOwn:        "payTo is a wallet of the buyer",
	WhyAmount:     "the amount is not a whole number of smallest units below 2^256, in plain digits",
	WhyZero:       "the amount is zero",
	WhyTooMuch:    "the amount is over the buyer's limit",
	WhyTooShort:   "maxTimeoutSeconds is too short to deliver a payment",
	WhyExpired:    "the offer has ended",
}

// Skipped is an offer that was not taken.
type Skipped struct {
	Number int // in the list, from 0
	Offer  Offer
	Why    Why
}

// Choose takes the cheapest offer that fits, of equally cheap ones the first. It skips what it does not understand
// and never guesses; skipped says why, of each. ok is false where nothing fits.
func Choose(all Offers, w Wants) (best Choice, skipped []Skipped, ok bool) {
	for i, o := range all.List {
		c, why := w.read(o)
		if why != "" {
			skipped = append(skipped, Skipped{i, o, why})
			continue
		}
		c.Resource, c.Extensions = all.Resource, all.Extensions
		if !ok || c.cheaper(best) {
			best, ok = c, true
		}
	}
	return best, skipped, ok
}

// cheaper compares amounts of tokens with different decimals.
func (c Choice) cheaper(than Choice) bool {
	scaled := func(n *big.Int, decimals int) *big.Int {
		return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	}
	return scaled(c.Amount, than.Token.Decimals).Cmp(scaled(than.Amount, c.Token.Decimals)) < 0
}

func (w Wants) read(o Offer) (Choice, Why) {
	c := Choice{Offer: o, Method: o.Method()}
	for _, check := range []func(*Choice) Why{w.scheme, w.token, w.method, w.extra, w.payee, w.amount, w.time} {
		if why := check(&c); why != "" {
			return Choice{}, why
		}
	}
	return c, ""
}

func (w Wants) scheme(c *Choice) Why {
	o := c.Offer
	switch {
	case o.unreadable != "":
		return WhyUnreadable
	case o.Scheme == Exact && o.Dialect != MPP, o.Scheme == "charge" && o.Dialect == MPP,
		o.Scheme == Upto && o.Dialect == V2 && w.Upto:
		return ""
	}
	return WhyScheme
}

// token finds network and token in the registry. What an offer calls itself says nothing.
func (w Wants) token(c *Choice) Why {
	var ok bool
	if c.Network, ok = w.network(c.Offer); !ok {
		return WhyNetwork
	}
	family, ok := families.Of(c.Network.Kind)
	if !ok {
		return WhyNetwork
	}
	if c.Offer.Dialect == Old {
		c.Token, ok = c.Network.TokenBySymbol(c.Offer.Asset)
	} else if _, err := family.ParseAddress(c.Offer.Asset); err == nil {
		c.Token, ok = c.Network.TokenByAddress(c.Offer.Asset)
	} else {
		ok = false
	}
	if !ok || !slices.Contains(w.Tokens, c.Token.Symbol) {
		return WhyAsset
	}
	return ""
}

func (w Wants) network(o Offer) (n chain.Network, ok bool) {
	if o.Dialect == Old { // it is paid as version 1, which has a name for few networks
		if n, ok = chain.WithSlug(w.Networks, o.Network); ok {
			_, ok = NameV1(n)
		}
		return n, ok
	}
	if n, ok = ReadNetwork(o.Dialect, o.Network); ok {
		n, ok = chain.WithID(w.Networks, n.Kind, n.ID())
	}
	return n, ok
}

func (w Wants) method(c *Choice) Why {
	known := c.Method == EIP3009 && c.Token.DomainName != "" || c.Method == Permit2 && c.Offer.Dialect == V2
	if c.Network.Kind == chain.Solana {
		known = c.Method == Sponsored
	}
	if !known || !slices.Contains(w.Methods, c.Method) {
		return WhyMethod
	}
	if c.Method == Sponsored {
		return ""
	}
	if declared := c.Offer.Extra.AssetTransferMethod; declared != "" && declared != c.Method {
		return WhyMethod
	}
	named := c.Offer.Extra.Name != "" || c.Offer.Extra.Version != ""
	must := c.Method == EIP3009 && (c.Offer.Dialect == V1 || c.Offer.Dialect == V2) // Permit2 has a domain of its own
	if (must || named) && (c.Offer.Extra.Name != c.Token.DomainName || c.Offer.Extra.Version != c.Token.DomainVersion) {
		return WhyDomain
	}
	return ""
}

func (w Wants) extra(c *Choice) Why {
	extra := c.Offer.Extra
	if flow := extra.PaymentFlow; flow != "" && flow != FlowAuthorization && flow != FlowUpfront {
		return WhyFlow
	}
	if len(extra.Unknown) > 0 || c.Method != Sponsored && extra.sponsored() {
		return WhyExtra
	}
	if c.Method == Sponsored {
		return w.sponsor(c)
	}
	if c.Offer.Scheme != Upto {
		return ""
	}
	a, err := evm.ParseAddress(extra.FacilitatorAddress)
	if err != nil || a == (evm.Address{}) {
		return WhyExtra
	}
	c.Facilitator = a.String()
	return ""
}

// sponsor reads who pays the fee of a payment on Solana. A blockhash that the seller hints at is not taken: whoever
// chooses it chooses how long the payment lives.
func (w Wants) sponsor(c *Choice) Why {
	a, err := solana.ParseAddress(c.Offer.Extra.FeePayer)
	if err != nil || !a.OnCurve() || slices.Contains(w.Own, a.String()) {
		return WhyFeePayer
	}
	if len(c.Offer.Extra.Memo) > solana.MaxMemo {
		return WhyExtra
	}
	c.FeePayer, c.Memo = a.String(), c.Offer.Extra.Memo
	return ""
}

// payee refuses addresses that give nothing back, as rules do.
func (w Wants) payee(c *Choice) Why {
	to, ok := CanBePaid(c.Network, c.Token.Address, c.Offer.PayTo)
	switch {
	case !ok:
		return WhyPayTo
	case slices.Contains(w.Own, to):
		return WhyOwn
	}
	c.PayTo = to
	return ""
}

func (w Wants) amount(c *Choice) Why {
	decimals := 0
	if c.Offer.Dialect == Old {
		decimals = c.Token.Decimals
	}
	n, err := chain.ParseUnits(c.Offer.Amount, decimals)
	switch {
	case err != nil || c.Method == Sponsored && !n.IsUint64():
		return WhyAmount
	case n.Sign() == 0:
		return WhyZero
	case w.Max == nil || n.Cmp(w.Max) > 0:
		return WhyTooMuch
	}
	c.Amount = n
	return ""
}

func (w Wants) time(c *Choice) Why {
	c.Seconds = c.Offer.MaxTimeoutSeconds
	if c.Offer.Dialect == MPP {
		c.Seconds = int64(MaxLife / time.Second)
		if end := c.Offer.Expires; !end.IsZero() {
			if !end.After(w.Now) {
				return WhyExpired
			}
			c.Seconds = end.Unix() - w.Now.Unix()
		}
	}
	least := w.MinSeconds
	if least == 0 {
		least = minSeconds
	}
	if c.Seconds < least {
		return WhyTooShort
	}
	c.Seconds = min(c.Seconds, int64(MaxLife/time.Second))
	return ""
}

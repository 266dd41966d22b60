package x402

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Offer is one way to pay, as a seller asks for it ("payment requirements"). Nothing of it was checked but that it
// is JSON of the right types: Choose does.
type Offer struct {
	Dialect           Dialect
	Scheme            string
	Network           string // as the dialect names it
	Amount            string // smallest units, decimal; of the older dialect units, with decimals
	Asset             string // contract; of the older dialect a symbol
	PayTo             string
	MaxTimeoutSeconds int64 // how long the seller lets a payment take
	Extra             Extra

	// Of version 1, which describes the resource in each offer.
	Resource, Description, MimeType string

	// Expires is when an offer of MPP ends, the zero time for never.
	Expires time.Time
	// Challenge is what an offer of MPP came in.
	Challenge *Challenge

	raw        jsontext.Value // what it was read from; a payment of version 2 sends it back
	unreadable string         // why it could not be read; "" where it could
}

// Extra is what a scheme adds to an offer.
type Extra struct {
	Name                string         `json:"name,omitempty"`    // of the token's EIP-712 domain
	Version             string         `json:"version,omitempty"` // of the token's EIP-712 domain
	AssetTransferMethod Method         `json:"assetTransferMethod,omitempty"`
	PaymentFlow         string         `json:"paymentFlow,omitempty"`        // see Flow…
	FacilitatorAddress  string         `json:"facilitatorAddress,omitempty"` // upto: who may move the money
	FeePayer            string         `json:"feePayer,omitempty"`           // Solana: who pays the fee
	Memo                string         `json:"memo,omitempty"`               // Solana: what has to be in the payment
	RecentBlockhash     jsontext.Value `json:"recentBlockhash,omitempty"`    // Solana: a hint
	LastValidHeight     jsontext.Value `json:"lastValidBlockHeight,omitempty"`
	Features            jsontext.Value `json:"features,omitempty"`        // Solana: of who pays the fee
	Decimals            jsontext.Value `json:"decimals,omitempty"`        // for display
	Symbol              jsontext.Value `json:"symbol,omitempty"`          // for display
	SupportsEIP2612     jsontext.Value `json:"supportsEip2612,omitempty"` // how the first approval may be made

	// Unknown are the members that nobody here understands.
	Unknown map[string]jsontext.Value `json:",embed"`
}

// sponsored reports whether there is a member that only a payment on Solana has a use for.
func (e Extra) sponsored() bool {
	return e.FeePayer != "" || e.Memo != "" || len(e.RecentBlockhash)+len(e.LastValidHeight)+len(e.Features) > 0
}

// The orders of handler and settlement that an offer may ask for in Extra.PaymentFlow.
const (
	FlowAuthorization = "authorization" // verify, serve, settle; the default
	FlowUpfront       = "upfront"       // settle, serve
)

// errUnreadable is an offer of which nothing can be said.
var errUnreadable = errors.New("offer is not an object of the expected types")

type offerV1 struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"`
	Amount            string         `json:"maxAmountRequired"`
	Resource          string         `json:"resource"`
	Description       string         `json:"description"`
	MimeType          string         `json:"mimeType"`
	OutputSchema      jsontext.Value `json:"outputSchema,omitempty"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int64          `json:"maxTimeoutSeconds"`
	Asset             string         `json:"asset"`
	Extra             Extra          `json:"extra"`
}

type offerV2 struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"`
	Amount            string `json:"amount"`
	Asset             string `json:"asset"`
	PayTo             string `json:"payTo"`
	MaxTimeoutSeconds int64  `json:"maxTimeoutSeconds"`
	Extra             Extra  `json:"extra"`
}

// ParseOffer reads an offer of version 1 or 2.
func ParseOffer(d Dialect, raw []byte) (Offer, error) {
	v, err := object(raw)
	if err != nil {
		return Offer{}, errUnreadable
	}
	o := Offer{Dialect: d, raw: v}
	if d == V1 {
		var in offerV1
		if json.Unmarshal(v, &in) != nil {
			return Offer{}, errUnreadable
		}
		o.Scheme, o.Network, o.Amount, o.Asset, o.PayTo = in.Scheme, in.Network, in.Amount, in.Asset, in.PayTo
		o.MaxTimeoutSeconds, o.Extra = in.MaxTimeoutSeconds, in.Extra
		o.Resource, o.Description, o.MimeType = in.Resource, in.Description, in.MimeType
		return o, nil
	}
	var in offerV2
	if json.Unmarshal(v, &in) != nil {
		return Offer{}, errUnreadable
	}
	o.Scheme, o.Network, o.Amount, o.Asset, o.PayTo = in.Scheme, in.Network, in.Amount, in.Asset, in.PayTo
	o.MaxTimeoutSeconds, o.Extra = in.MaxTimeoutSeconds, in.Extra
	return o, nil
}

// MarshalJSON writes an offer of version 1 or 2. One that was read is written as it came, with all that is not
// understood here, since a shop compares the whole.
func (o Offer) MarshalJSON() ([]byte, error) {
	if o.raw != nil {
		return o.raw, nil
	}
	switch o.Dialect {
	case V1:
		return json.Marshal(offerV1{
			Scheme: o.Scheme, Network: o.Network, Amount: o.Amount, Resource: o.Resource, Description: o.Description,
			MimeType: o.MimeType, PayTo: o.PayTo, MaxTimeoutSeconds: o.MaxTimeoutSeconds, Asset: o.Asset,
			Extra: o.Extra,
		})
	case V2:
		return json.Marshal(offerV2{o.Scheme, o.Network, o.Amount, o.Asset, o.PayTo, o.MaxTimeoutSeconds, o.Extra})
	}
	return nil, errors.New("only offers of x402 are written")
}

// Method is how the offer wants its token moved: Sponsored on Solana, elsewhere EIP-3009 where it does not say, and
// Permit2 for the scheme upto.
func (o Offer) Method() Method {
	switch {
	case o.Scheme == Upto:
		return Permit2
	case o.Extra.AssetTransferMethod != "":
		return o.Extra.AssetTransferMethod
	case isSolana(o.Network):
		return Sponsored
	}
	return EIP3009
}

// Accepts reports whether a buyer's copy of an offer is this one: the same in all but Extra, of which the copy may
// have more.
func (o Offer) Accepts(copied Offer) bool {
	want, err := members(o)
	got, err2 := members(copied)
	if err != nil || err2 != nil || !contains(got["extra"], want["extra"]) {
		return false
	}
	delete(want, "extra")
	delete(got, "extra")
	if len(want) != len(got) {
		return false
	}
	for name, value := range want {
		if !same(value, got[name]) {
			return false
		}
	}
	return true
}

func members(o Offer) (map[string]jsontext.Value, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var all map[string]jsontext.Value
	err = json.Unmarshal(raw, &all)
	return all, err
}

// contains reports whether every member of want is in got.
func contains(got, want jsontext.Value) bool {
	var gotten, wanted map[string]jsontext.Value
	if len(want) == 0 || string(want) == "{}" {
		return true
	}
	if json.Unmarshal(want, &wanted) != nil || json.Unmarshal(got, &gotten) != nil {
		return false
	}
	for name, value := range wanted {
		if !same(value, gotten[name]) {
			return false
		}
	}
	return true
}

// same compares JSON by what it says, in RFC 8785's form.
func same(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

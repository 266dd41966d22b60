package x402

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is the body of POST /verify and POST /settle.
type Request struct {
	Version      int            `json:"x402Version"`
	Payload      jsontext.Value `json:"paymentPayload"`
	Requirements jsontext.Value `json:"paymentRequirements"` // the shop's own offer
	// Identifier names one sale of the shop. A facilitator of ours says success once, and again only to the caller who
	// asks under the same one. It travels in HeaderIdentifier: what is in the payload is the buyer's, who would have
	// one payment's success told for as many sales as he likes.
	Identifier string `json:"paymentIdentifier,omitempty"`
}

// ValidIdentifier tells whether a text has the form of identifiers of the extension payment-identifier.
func ValidIdentifier(text string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return len(text) >= 16 && len(text) <= 128 && strings.Trim(text, allowed) == ""
}

// Verdict is the answer of POST /verify.
type Verdict struct {
	Valid         bool           `json:"isValid"`
	InvalidReason string         `json:"invalidReason,omitempty"`
	InvalidReport string         `json:"invalidMessage,omitempty"` // for people
	Payer         string         `json:"payer,omitempty"`
	Extra         jsontext.Value `json:"extra,omitempty"`
}

// Supported is the answer of GET /supported.
type Supported struct {
	Kinds      []Kind              `json:"kinds"`
	Extensions []string            `json:"extensions"`
	Signers    map[string][]string `json:"signers"` // by network pattern: "eip155:*"
}

// Kind is a way of paying that a facilitator settles.
type Kind struct {
	Version int    `json:"x402Version"`
	Scheme  string `json:"scheme"`
	Network string `json:"network"`
	Extra   *Extra `json:"extra,omitempty"` // what a shop copies into its offers
}

// Discovery is the answer of GET /discovery/resources.
type Discovery struct {
	Version    int          `json:"x402Version"`
	Items      []Discovered `json:"items"`
	Pagination struct {
		Limit  int `json:"limit"`
		Offset int `json:"offset"`
		Total  int `json:"total"`
	} `json:"pagination"`
}

// Discovered is a resource that can be bought.
type Discovered struct {
	Resource    string         `json:"resource"`
	Type        string         `json:"type"` // http
	Version     int            `json:"x402Version"`
	Accepts     []Offer        `json:"accepts"`
	LastUpdated string         `json:"lastUpdated"`
	Metadata    jsontext.Value `json:"metadata,omitempty"`
}

// The parts of a request that can be wrong. Each comes with the word that the facilitator answers.
var (
	ErrRequestVersion = errors.New(ReasonInvalidVersion)
	ErrRequestPayload = errors.New(ReasonInvalidPayload)
	ErrRequestOffer   = errors.New(ReasonInvalidRequirements)
)

// Parse reads payment and offer. They are of the request's version, both.
func (r Request) Parse() (p Payload, o Offer, err error) {
	d := V2
	switch r.Version {
	case 1:
		d = V1
	case 2:
	default:
		return p, o, ErrRequestVersion
	}
	if p, err = ParsePayload(r.Payload); err != nil {
		return p, o, errors.Join(ErrRequestPayload, err)
	}
	if p.Dialect != d {
		return p, o, ErrRequestVersion
	}
	if o, err = ParseOffer(d, r.Requirements); err != nil {
		return p, o, errors.Join(ErrRequestOffer, err)
	}
	return p, o, nil
}

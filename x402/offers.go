package x402

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Offers are all that an answer with status 402 asks for.
type Offers struct {
	Dialect    Dialect
	Error      string // why, in the seller's words; shown to people, never trusted
	Resource   *Resource
	List       []Offer
	Extensions jsontext.Value // of version 2, as they came
}

// Resource is what is paid for, in version 2.
type Resource struct {
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	MimeType    string   `json:"mimeType,omitempty"`
	ServiceName string   `json:"serviceName,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	IconURL     string   `json:"iconUrl,omitempty"`
}

// What is wrong with an answer that asks for a payment.
var (
	// ErrNoOffers is an answer that asks for no payment in a dialect that is read: it is passed on as it is.
	ErrNoOffers = errors.New("the answer asks for no payment in a known way")
	// ErrL402 is an ErrNoOffers: the answer asks for a payment over Lightning, by L402 or LSAT.
	ErrL402 = fmt.Errorf("%w: it asks for one over Lightning, by L402", ErrNoOffers)
	// ErrOffers is an answer that asks for one, and cannot be understood.
	ErrOffers = errors.New("the answer's offers cannot be read")
	// ErrEmpty is an ErrOffers: the list of offers is empty.
	ErrEmpty = fmt.Errorf("%w: accepts is empty", ErrOffers)
)

// maxOffers bounds the offers of an answer.
const maxOffers = 100

// ReadOffers reads what an answer asks for, in the first dialect of these that it has: version 2 in its header,
// version 1 or 2 in the body, and, where also names them, MPP and the older dialect. An answer that has a dialect and
// breaks its form is refused; no other dialect is tried then, because the two could disagree.
//
// A single offer that cannot be read stays in the list, so that Choose can say why it skips it.
func ReadOffers(status int, header http.Header, body []byte, also ...Dialect) (Offers, error) {
	// 412 is what some shops answer where Permit2 has no approval yet.
	if status != http.StatusPaymentRequired && status != http.StatusPreconditionFailed {
		return Offers{}, ErrNoOffers
	}
	text, found, err := oneHeader(header.Values(HeaderRequired))
	if err != nil {
		return Offers{}, fmt.Errorf("%w: %w", ErrOffers, err)
	}
	if found {
		raw, err := DecodeHeader(text)
		if err != nil {
			return Offers{}, fmt.Errorf("%w: %w", ErrOffers, err)
		}
		return ParseOffers(V2, raw)
	}
	object, version, err := readBody(body)
	switch {
	case err != nil:
		return Offers{}, err
	case version == "1":
		return ParseOffers(V1, object)
	case version == "2": // some shops leave out the header
		return ParseOffers(V2, object)
	}
	if slices.Contains(also, MPP) {
		if list := readMPP(header); len(list) > 0 {
			return Offers{Dialect: MPP, List: list}, nil
		}
	}
	if slices.Contains(also, Old) {
		if offer, ok := readOld(header, object); ok {
			return Offers{Dialect: Old, List: []Offer{offer}}, nil
		}
	}
	if slices.ContainsFunc(header.Values("Www-Authenticate"), isL402) {
		return Offers{}, ErrL402
	}
	return Offers{}, ErrNoOffers
}

// isL402 goes by the scheme's name alone: what follows is no list of parameters at some sellers.
func isL402(line string) bool {
	scheme, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return strings.EqualFold(scheme, "L402") || strings.EqualFold(scheme, "LSAT")
}

// readBody reads which version's offers a body has. One that is not JSON has none; one that is broken only where two
// readers would differ, by a member twice, is refused.
func readBody(body []byte) (v jsontext.Value, version string, err error) {
	if len(body) > maxBody {
		return nil, "", fmt.Errorf("%w: the body has more than %d bytes", ErrOffers, maxBody)
	}
	loose := jsontext.Value(body)
	if !loose.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || loose.Kind() != '{' {
		return nil, "", nil
	}
	var head struct {
		Version jsontext.Value `json:"x402Version"`
	}
	if v, err = object(body); err != nil || json.Unmarshal(v, &head) != nil {
		return nil, "", fmt.Errorf("%w: the body has a member twice, or text that is not UTF-8", ErrOffers)
	}
	return v, string(head.Version), nil
}

type required struct {
	Version    int              `json:"x402Version"`
	Error      string           `json:"error,omitempty"`
	Resource   *Resource        `json:"resource,omitempty"`
	Accepts    []jsontext.Value `json:"accepts"`
	Extensions jsontext.Value   `json:"extensions,omitempty"`
}

// ParseOffers reads the object with the offers of version 1 or 2.
func ParseOffers(d Dialect, raw []byte) (Offers, error) {
	var in required
	if err := json.Unmarshal(raw, &in); err != nil {
		return Offers{}, fmt.Errorf("%w: it is not an object of the expected types", ErrOffers)
	}
	switch {
	case in.Version != d.Version():
		return Offers{}, fmt.Errorf("%w: x402Version is not %d", ErrOffers, d.Version())
	case in.Accepts == nil:
		return Offers{}, fmt.Errorf("%w: accepts is missing", ErrOffers)
	case len(in.Accepts) == 0:
		return Offers{}, ErrEmpty
	case len(in.Accepts) > maxOffers:
		return Offers{}, fmt.Errorf("%w: there are more than %d", ErrOffers, maxOffers)
	}
	all := Offers{Dialect: d, Error: in.Error, Resource: in.Resource, Extensions: in.Extensions}
	for _, raw := range in.Accepts {
		o, err := ParseOffer(d, raw)
		if err != nil {
			o = Offer{Dialect: d, unreadable: err.Error()}
		}
		all.List = append(all.List, o)
	}
	return all, nil
}

// MarshalJSON writes the object of version 1 or 2.
func (all Offers) MarshalJSON() ([]byte, error) {
	out := required{Version: all.Dialect.Version(), Error: all.Error, Accepts: []jsontext.Value{}}
	if all.Dialect == V2 {
		out.Resource, out.Extensions = all.Resource, all.Extensions
	}
	for _, o := range all.List {
		raw, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out.Accepts = append(out.Accepts, raw)
	}
	return json.Marshal(out)
}

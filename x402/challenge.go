package x402

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Challenge is a WWW-Authenticate challenge of the scheme "Payment". Its parameters go back with the payment.
type Challenge struct {
	scheme string
	Params map[string]string // by name in lower case
}

// The parameters that a payment sends back.
var echoed = []string{
	"id", "realm", "method", "intent", "request", "description", "opaque", "digest", "expires", "header",
}

// maxChallenges bounds the challenges of an answer.
const maxChallenges = 20

// charge is what a challenge of the method evm asks for.
type charge struct {
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Recipient string `json:"recipient"`
	Details   struct {
		ChainID         uint64         `json:"chainId"`
		CredentialTypes []string       `json:"credentialTypes"`
		Splits          jsontext.Value `json:"splits"`
	} `json:"methodDetails"`
}

// readMPP makes an offer of each Payment challenge, also of those that cannot be paid here: Choose says why.
func readMPP(header http.Header) (all []Offer) {
	for _, line := range header.Values("Www-Authenticate") {
		challenges, ok := parseChallenges(line)
		if !ok {
			continue // another scheme's form; a Payment challenge within it is not taken apart
		}
		for _, c := range challenges {
			if strings.EqualFold(c.scheme, "Payment") && len(all) < maxChallenges {
				all = append(all, c.offer())
			}
		}
	}
	return all
}

func (c Challenge) offer() Offer {
	o := Offer{Dialect: MPP, Scheme: c.Params["intent"], Network: c.Params["method"], Challenge: &c}
	switch header, other := c.Params["header"]; {
	case c.Params["id"] == "" || c.Params["realm"] == "":
		o.unreadable = "the challenge has no id or no realm"
		return o
	case other && header != "Payment-Authorization":
		o.unreadable = "the challenge wants its payment in an unknown header"
		return o
	}
	if c.Params["method"] != "evm" || c.Params["intent"] != "charge" {
		return o // of other methods nothing else is read
	}
	if text := c.Params["expires"]; text != "" {
		var err error
		if o.Expires, err = time.Parse(time.RFC3339, text); err != nil {
			o.unreadable = "the challenge's end is no RFC 3339 time"
			return o
		}
	}
	o.readCharge(c.Params["request"])
	return o
}

func (o *Offer) readCharge(request string) {
	raw, err := DecodeHeader(request)
	var in charge
	if err != nil || json.Unmarshal(raw, &in) != nil {
		o.unreadable = "the challenge's request is not base64 of JSON of the expected types"
		return
	}
	o.Network = NetworkID(evmNetwork(in.Details.ChainID))
	o.Amount, o.Asset, o.PayTo = in.Amount, in.Currency, in.Recipient
	o.Extra.AssetTransferMethod = "none that is known here"
	for _, t := range in.Details.CredentialTypes {
		if t == "authorization" {
			o.Extra.AssetTransferMethod = EIP3009
		}
	}
	if len(in.Details.Splits) > 0 {
		o.Extra.Unknown = map[string]jsontext.Value{"splits": in.Details.Splits}
	}
}

// credential is the header of a payment of MPP.
func (c Challenge) credential(source string, payload any) (name, value string, err error) {
	back := map[string]string{}
	for _, param := range echoed {
		if v, ok := c.Params[param]; ok {
			back[param] = v
		}
	}
	raw, err := json.Marshal(struct {
		Challenge map[string]string `json:"challenge"`
		Source    string            `json:"source"`
		Payload   any               `json:"payload"`
	}{back, source, payload}, json.Deterministic(true))
	if err != nil {
		return "", "", err
	}
	name = "Authorization"
	if c.Params["header"] != "" {
		name = "Payment-Authorization"
	}
	return name, "Payment " + base64.RawURLEncoding.EncodeToString(raw), nil
}

// parseChallenges reads a WWW-Authenticate line of RFC 9110 (11.6.1): schemes, each with parameters, all with commas
// between them. A scheme with a token of base64 in the place of parameters is another's, and is skipped.
func parseChallenges(line string) (all []Challenge, ok bool) {
	p := authParser{rest: line}
	for {
		p.skip(" \t,")
		if p.rest == "" {
			return all, len(all) > 0
		}
		name := p.token()
		if name == "" || len(all) > maxChallenges {
			return nil, false
		}
		c := Challenge{scheme: name, Params: map[string]string{}}
		p.skip(" \t")
		for p.param(&c) {
			p.skip(" \t")
			if !strings.HasPrefix(p.rest, ",") {
				break
			}
			p.skip(" \t,")
		}
		if p.bad {
			return nil, false
		}
		all = append(all, c)
	}
}

type authParser struct {
	rest string
	bad  bool // a parameter twice, or a quote without an end
}

func (p *authParser) skip(cut string) { p.rest = strings.TrimLeft(p.rest, cut) }

func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func (p *authParser) token() string {
	n := 0
	for n < len(p.rest) && isTokenByte(p.rest[n]) {
		n++
	}
	t := p.rest[:n]
	p.rest = p.rest[n:]
	return t
}

// param reads name=value. Where a scheme's name comes instead, it reads nothing.
func (p *authParser) param(c *Challenge) bool {
	before := p.rest
	name := strings.ToLower(p.token())
	p.skip(" \t")
	if name == "" || !strings.HasPrefix(p.rest, "=") {
		p.rest = before
		return false
	}
	p.rest = p.rest[1:]
	p.skip(" \t")
	value, ok := p.value()
	if _, twice := c.Params[name]; twice || !ok {
		p.bad = true
		return false
	}
	c.Params[name] = value
	return true
}

func (p *authParser) value() (text string, ok bool) {
	if !strings.HasPrefix(p.rest, `"`) {
		text = p.token()
		return text, text != ""
	}
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String(), true
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

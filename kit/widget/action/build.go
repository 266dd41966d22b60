package action

import (
	"cmp"
	"net/url"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/decimal"
)

// Texts are what every builder takes: what a widget says, and where it is.
type Texts struct {
	Title, Description, Icon, URL string
}

// metadata has the icon of the widget's site where none is named.
func (t Texts) metadata(a Action) Metadata {
	if u, err := url.Parse(t.URL); err == nil && t.Icon == "" {
		t.Icon = u.Scheme + "://" + u.Host + "/favicon.ico"
	}
	return Metadata{URL: t.URL, Icon: t.Icon, Title: t.Title, Description: t.Description, Actions: []Action{a}}
}

// Builder makes metadata that keeps to the rules.
type Builder struct{ Rules }

// Place is a network as a body names it: by its chain id, or by a name such as fuji.
type Place struct {
	ID   uint64 // 0: not given
	Name string // "": not given
}

// TransferNative makes a button that pays a network's own coin to an address. Without an amount the user says it.
func (b Builder) TransferNative(t Texts, at Place, to string, amount decimal.Number) (Metadata, error) {
	n, err := b.network("chainId", at)
	if err != nil {
		return Metadata{}, err
	}
	return b.checked(t.metadata(Action{
		Type: Transfer, Label: "Send " + n.Native.Symbol, Chains: &Chains{Source: n.CommonName()}, To: to,
		Amount: amount,
	}))
}

// Crossing is a payment that arrives on another network than it leaves.
type Crossing struct {
	Source, Destination Place
	To, Token           string
	Amount              decimal.Number
}

// Crosschain makes a button that pays across networks, to somebody or, for a bridge, to the user's own address there. A
// widget hands it to the integrator: this platform moves nothing across networks.
func (b Builder) Crosschain(t Texts, label string, x Crossing) (Metadata, error) {
	from, err := b.network("sourceChainId", x.Source)
	if err != nil {
		return Metadata{}, err
	}
	to, err := b.network("destinationChainId", x.Destination)
	if err != nil {
		return Metadata{}, err
	}
	if from.Slug == to.Slug {
		return Metadata{}, fault.Field("destinationChainId", "must be another network than sourceChainId")
	}
	return b.checked(t.metadata(Action{
		Type: Transfer, Label: label, Chains: &Chains{Source: from.CommonName(), Destination: to.CommonName()},
		To: x.To, Token: x.Token, Amount: x.Amount,
	}))
}

func (b Builder) network(field string, p Place) (n chain.Network, err error) {
	byID, byName := p.ID != 0, p.Name != ""
	switch {
	case byID == byName:
		return n, fault.Field(field, "must be given, and under one name only")
	case byName:
		n, byName = chain.Named(b.Networks, p.Name)
	default:
		n, byID = chain.WithChainID(b.Networks, p.ID)
	}
	if !byID && !byName {
		err = fault.Field(field, "is not a network of this environment")
	}
	return n, err
}

// fields are what the builders call the members of metadata.
var fields = map[string]string{
	"actions[0].to": "address", "actions[0].token": "token", "actions[0].amount": "amount",
}

// checked holds what was built against the rules, and names what is wrong as the builder's body does.
func (b Builder) checked(m Metadata) (Metadata, error) {
	c := &check{rules: b.Rules}
	if c.all(m); c.field != "" {
		return Metadata{}, fault.Field(cmp.Or(fields[c.field], c.field), c.constraint)
	}
	return m, nil
}

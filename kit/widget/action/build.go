package action

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

// Texts are what every builder takes: what a widget says, and where it is.
type Texts struct {
	Title, Description, Icon, URL string
}

// metadata has the icon of the widget's site where none is named.
func (t Texts) metadata(a Action) Metadata {
	t.Icon = cmp.Or(t.Icon, originOf(t.URL)+"/favicon.ico")
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
func (b Builder) TransferNative(t Texts, at Place, to string, amount rest.Number) (Metadata, error) {
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
	Amount              rest.Number
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
	return b.checked(t.metadata(Action{
		Type: Transfer, Label: label, Chains: &Chains{Source: from.CommonName(), Destination: to.CommonName()},
		To: x.To, Token: x.Token, Amount: x.Amount,
	}))
}

// Trade is a swap that a widget offers. Router is that of the exchange; "" is the one that is listed.
type Trade struct {
	Protocol, Router string
	At               Place
	From, To         string // listed tokens by symbol or address, or native
	Slippage         rest.Number
}

// swapPath is where the integrator's backend, with its API key, takes what the widget sends: the body of a swap.
const swapPath = "/v1/action/execute/swap/prepare"

// Swap makes a button that trades an amount of one token, which the user says, for another. A router that is not listed
// is refused: it would be paid, and give what it wants.
func (b Builder) Swap(t Texts, x Trade) (Metadata, error) {
	n, err := b.network("chainName", x.At)
	if err != nil {
		return Metadata{}, err
	}
	m, err := b.marketOf(n, x)
	if err != nil {
		return Metadata{}, err
	}
	from, okFrom := n.Asset(x.From)
	to, okTo := n.Asset(x.To)
	switch {
	case !okFrom:
		return Metadata{}, fault.Field("fromToken", "is not native or a listed token of the network ("+n.Symbols()+")")
	case !okTo || from == to:
		return Metadata{}, fault.Field("toToken", "is not native or another token of the network ("+n.Symbols()+")")
	case !x.Slippage.Plain(2):
		return Metadata{}, fault.Field("slippageTolerance", "must be a plain decimal with at most 2 places")
	}
	label := "Swap " + from.Symbol + " for " + to.Symbol
	t.Title, t.Description = cmp.Or(t.Title, label), cmp.Or(t.Description, label+" at "+m.Protocol+" on "+n.Name)
	made := t.metadata(Action{
		Type: Dynamic, Label: label, Chains: &Chains{Source: n.CommonName()}, Path: swapPath, Params: []Param{
			{Name: "amount", Type: "number", Label: "Amount of " + from.Symbol, Required: true},
			fixed("chainId", "number", "Network", json.Number(n.ID())), fixed("fromToken", "text", "Sells", x.From),
			fixed("toToken", "text", "Buys", x.To), fixed("protocol", "text", "Exchange", m.Protocol),
			fixed("slippage", "number", "Slippage, percent", json.Number(x.Slippage)),
		},
	})
	made.BaseURL = originOf(t.URL)
	return b.checked(made)
}

func fixed(name, kind, label string, value any) Param {
	return Param{Name: name, Type: kind, Label: label, Fixed: true, Value: value}
}

// marketOf is the exchange's market, whose router is the one that is named.
func (b Builder) marketOf(n chain.Network, x Trade) (chain.Market, error) {
	known := false
	if len(chain.Markets(n)) == 0 {
		return chain.Market{}, fault.Field("chainName", "must be a network with an exchange: "+b.trading())
	}
	for _, m := range chain.Markets(n) {
		if m.Protocol != x.Protocol {
			continue
		}
		if known = true; x.Router == "" || strings.EqualFold(m.Router, x.Router) {
			return m, nil
		}
	}
	if known {
		return chain.Market{}, fault.Field("routerAddress", "is not a router of the exchange on this network")
	}
	return chain.Market{}, fault.Field("protocol", "has no exchange on this network")
}

// trading are the networks that have an exchange.
func (b Builder) trading() string {
	var slugs []string
	for _, n := range b.Networks {
		if len(chain.Markets(n)) > 0 {
			slugs = append(slugs, n.Slug)
		}
	}
	return strings.Join(slugs, ", ")
}

func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
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
		err = fault.Field(field, chain.Unknown(b.Networks))
	}
	return n, err
}

// fields are what the builders call the members of metadata.
var fields = map[string]string{
	"actions[0].chains.source": "sourceChainId", "actions[0].chains.destination": "destinationChainId",
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

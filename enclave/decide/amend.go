package decide

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// Amendment is what the operator adds to the constants that were sealed at genesis. The journal is the only place where
// it stands: the sealed file stays as it is, so that there are no two that could differ after a crash. It can add and,
// of the price key alone, change; nothing takes a network, a token or an origin away or gives one another meaning.
type Amendment struct {
	Networks []chain.Network `json:"networks,omitempty"` // without tokens, each of which is added by its own name
	Tokens   []NewToken      `json:"tokens,omitempty"`
	Origins  []string        `json:"origins,omitempty"`
	PriceKey string          `json:"priceKey,omitempty"` // takes the place of the one before
}

// NewToken is a token of a network, which may be added by the same amendment.
type NewToken struct {
	Chain string `json:"chain"` // slug
	chain.Token
}

// amended is an amendment that stands in the journal.
type amended struct {
	Seq       uint64    `json:"seq"`
	TimeMs    int64     `json:"timeMs"`
	Amendment Amendment `json:"amendment"`
}

// amendmentBook is what was amended since genesis.
type amendmentBook struct {
	amendments    []amended // oldest first
	pastPriceKeys []string  // those that were changed away
}

// Change is one thing that an amendment does.
type Change struct {
	Name   string // what the operator confirms, such as "add token USDX on base 0x…"
	Detail string // what is sealed with it
	Means  string // what it lets others do
}

// String is how the signer tells of the change for as long as its journal lives.
func (c Change) String() string {
	if c.Detail == "" {
		return c.Name
	}
	return c.Name + ": " + c.Detail
}

// Changes are all that the amendment does, each to be confirmed by its name.
func (a Amendment) Changes() (all []Change) {
	for _, n := range a.Networks {
		all = append(all, changeOfNetwork(n))
	}
	for _, t := range a.Tokens {
		all = append(all, changeOfToken(t))
	}
	for _, o := range a.Origins {
		all = append(all, Change{
			Name:  "add origin " + o,
			Means: "A page of this origin can ask every passkey of the RP id for stamps, and the signer takes them. Whoever serves it can show one thing and have another stamped.",
		})
	}
	if a.PriceKey != "" {
		all = append(all, Change{
			Name: "change price key to " + a.PriceKey,
			Means: "Limits in USD go by what this key signs. No price of the old key counts any more, and the first price of a coin " +
				"under the new one is believed, whatever it is: look at the feed before.",
		})
	}
	return all
}

func changeOfNetwork(n chain.Network) Change {
	data := "no data fee"
	if n.DataFee {
		data = "takes a data fee"
	}
	detail := fmt.Sprintf("%s, coin %s of %d decimals, final at %d confirmations, %s", n.Name, n.Native.Symbol,
		n.Native.Decimals, n.Confirmations, data)
	if n.Explorer != "" {
		detail += ", explorer " + n.Explorer
	}
	return Change{
		Name:   "add network " + n.Slug + " with chain id " + n.ID(),
		Detail: detail,
		Means: "Every wallet can sign for this chain, and its coin counts at the price of " + n.Native.Symbol +
			". Policies without allowedChains allow it. Delegations that were made before do not cover it.",
	}
}

func changeOfToken(t NewToken) Change {
	domain := "no EIP-712 domain"
	if t.DomainName != "" {
		domain = fmt.Sprintf("EIP-712 domain %q version %q", t.DomainName, t.DomainVersion)
	}
	return Change{
		Name:   "add token " + t.Symbol + " on " + t.Chain + " " + t.Address,
		Detail: fmt.Sprintf("%d decimals, %s", t.Decimals, domain),
		Means: "What this contract's transfers do is believed to be what they say, and they count at the price of " + t.Symbol +
			": policies and approvals that refused or held them as unknown let them pass within limits. " +
			"Delegations that were made before do not cover it.",
	}
}

// Listed is all that this program lists for an environment, as an amendment that would add it.
func Listed(env chain.Environment) (a Amendment) {
	for _, n := range chain.Networks(env) {
		for _, t := range n.Tokens {
			a.Tokens = append(a.Tokens, NewToken{n.Slug, t})
		}
		n.Tokens = nil
		a.Networks = append(a.Networks, n)
	}
	return a
}

// Lacking is the part of a list, such as Listed, of which the state has nothing: no network of the slug, no token of
// the address. What it has otherwise than the list stays as it is.
func (c *Constants) Lacking(a Amendment) (missing Amendment) {
	for _, n := range a.Networks {
		if _, ok := chain.WithSlug(c.Networks, n.Slug); !ok {
			missing.Networks = append(missing.Networks, n)
		}
	}
	for _, t := range a.Tokens {
		n, _ := chain.WithSlug(c.Networks, t.Chain)
		if _, ok := n.TokenByAddress(t.Address); !ok {
			missing.Tokens = append(missing.Tokens, t)
		}
	}
	return missing
}

// without leaves out what is in force already, exactly so: whoever amends again after a crash is told that it is done.
func (c *Constants) without(a Amendment) Amendment {
	a.Networks = slices.DeleteFunc(slices.Clone(a.Networks), func(n chain.Network) bool {
		have, ok := chain.WithSlug(c.Networks, n.Slug)
		return ok && sameNetwork(have, n)
	})
	a.Tokens = slices.DeleteFunc(slices.Clone(a.Tokens), func(t NewToken) bool {
		n, _ := chain.WithSlug(c.Networks, t.Chain)
		return slices.Contains(n.Tokens, t.Token)
	})
	sealed := func(origin string) bool { return slices.Contains(c.RP.Origins, origin) }
	a.Origins = slices.DeleteFunc(slices.Clone(a.Origins), sealed)
	if a.PriceKey == c.PriceKey {
		a.PriceKey = ""
	}
	return a
}

// Amendments tells of all amendments, oldest first, without the heads of their entries.
func (b *amendmentBook) Amendments() []wire.Amendment {
	all := make([]wire.Amendment, 0, len(b.amendments))
	for _, m := range b.amendments {
		told := wire.Amendment{Seq: strconv.FormatUint(m.Seq, 10), Time: clock.ISO(time.UnixMilli(m.TimeMs))}
		for _, c := range m.Amendment.Changes() {
			told.Changes = append(told.Changes, c.String())
		}
		all = append(all, told)
	}
	return all
}

// applyAmended forgets what a price key signed that is changed away: somebody may have stolen it. What the new key
// signs is taken as after a genesis.
func applyAmended(s *State, e Event, seq uint64) error {
	if e.Amendment == nil {
		return errNoAmendment
	}
	if err := s.amend(amended{seq, e.TimeMs, *e.Amendment}); err != nil || e.Amendment.PriceKey == "" {
		return err
	}
	s.forget()
	for _, org := range s.organizations {
		clear(org.overrides)
	}
	return nil
}

// amend puts the amendment behind those that there are.
func (s *State) amend(m amended) error {
	if m.Amendment.PriceKey != "" {
		s.pastPriceKeys = append(s.pastPriceKeys, s.PriceKey)
	}
	s.amendments = append(s.amendments, m)
	return s.Constants.add(m.Amendment)
}

// add makes the constants those after an amendment that Decide has allowed, by the rules of its time. Lists are made
// anew: other states share the old ones.
func (c *Constants) add(a Amendment) error {
	networks := slices.Clone(c.Networks)
	for _, n := range a.Networks {
		if _, taken := chain.WithSlug(networks, n.Slug); taken {
			return errNoAmendment
		}
		networks = append(networks, n)
	}
	for _, t := range a.Tokens {
		i := slices.IndexFunc(networks, func(n chain.Network) bool { return n.Slug == t.Chain })
		if i < 0 {
			return errNoAmendment
		}
		networks[i].Tokens = append(slices.Clone(networks[i].Tokens), t.Token)
	}
	c.Networks, c.RP.Origins = networks, slices.Concat(c.RP.Origins, a.Origins)
	if a.PriceKey != "" {
		c.PriceKey = a.PriceKey
	}
	return nil
}

// listedAt is a network as it was listed before a time: without tokens that an amendment has added since, and without
// anything where the network itself was added since.
func (b *amendmentBook) listedAt(n chain.Network, ms int64) chain.Network {
	for _, m := range b.amendments {
		if m.TimeMs < ms {
			continue
		}
		if _, since := chain.WithSlug(m.Amendment.Networks, n.Slug); since {
			return chain.Network{}
		}
		n.Tokens = slices.DeleteFunc(slices.Clone(n.Tokens), func(t chain.Token) bool {
			return slices.ContainsFunc(m.Amendment.Tokens, func(added NewToken) bool {
				return added.Chain == n.Slug && added.Address == t.Address
			})
		})
	}
	return n
}

package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
)

// The rules, as a denial names them.
const (
	MaxValueUSD         = "maxValueUsd"
	DailyUSD            = "dailyUsd"
	MonthlyUSD          = "monthlyUsd"
	AllowedDestinations = "allowedDestinations"
	AllowedChains       = "allowedChains"
	AllowedTokens       = "allowedTokens"
	AllowedContracts    = "allowedContracts"
	PayeesOnly          = "payeesOnly"
	PayeeCoolingHours   = "payeeCoolingHours"
	UnknownCall         = "unknownCall"
	UnknownPrice        = "unknownPrice"
	RawDigest           = "rawDigest"
	SwapDeadline        = "swapDeadline"
	KnownContract       = "knownContract"
	MaxSlippagePercent  = "maxSlippagePercent"
)

// understood is the limit of a denial for what nobody here understands.
const understood = "what the signer understands"

// check is one policy against one signing.
type check struct {
	wire.Rules
	x Signing
}

// Check is the denial of a policy's rules, nil where they all pass. A policy of
// any kind lets nothing pass that is not understood, but for the calls that its
// AllowedContracts name.
func Check(r wire.Rules, x Signing, c Cost, spent Totals) *wire.Denial {
	k := check{r, x}
	for _, rule := range []func() *wire.Denial{k.digest, k.chain, k.effects} {
		if d := rule(); d != nil {
			return d
		}
	}
	if d := k.slippage(c.Slippage); d != nil {
		return d
	}
	return k.usd(c, spent)
}

func (k check) digest() *wire.Denial {
	if !k.x.RawDigest || k.AllowRawDigests && !restricts(k.Rules) {
		return nil
	}
	return &wire.Denial{
		Rule: RawDigest, Field: "type", Observed: wire.MessageRawDigest, Limit: "a policy with allowRawDigests",
	}
}

// longestSwap is how long a swap may wait for the chain. Who may choose when it is mined chooses a moment at which the
// price has moved, and keeps everything above the minimum.
const longestSwap = time.Hour

// Late is the denial of a swap whose deadline is far ahead.
func Late(x Signing, now time.Time) *wire.Denial {
	latest := now.Add(longestSwap).Unix()
	for _, e := range x.Effects {
		if e.Ends > latest {
			return &wire.Denial{
				Rule: SwapDeadline, Field: "deadline", Observed: strconv.FormatInt(e.Ends, 10),
				Limit: strconv.FormatInt(latest, 10) + ", an hour from now",
			}
		}
	}
	return nil
}

// restricts reports whether rules ask for anything that a digest cannot show.
func restricts(r wire.Rules) bool {
	return r.MaxValueUSD != "" || r.DailyUSD != "" || r.MonthlyUSD != "" ||
		len(r.AllowedDestinations) > 0 || len(r.AllowedChains) > 0 || len(r.AllowedTokens) > 0 ||
		r.PayeesOnly || r.MaxSlippagePercent != ""
}

// chain passes what has no network and does nothing on any: a plain text.
func (k check) chain() *wire.Denial {
	text := k.x.Network.Slug == "" && len(k.x.Effects) == 0
	if len(k.Rules.AllowedChains) == 0 || text || slices.Contains(k.Rules.AllowedChains, k.x.Network.Slug) {
		return nil
	}
	return &wire.Denial{
		Rule: AllowedChains, Field: "chain", Observed: k.x.Network.Slug, Limit: limit(k.Rules.AllowedChains),
	}
}

func (k check) unknown(contract, selector string) *wire.Denial {
	observed := strings.TrimSpace(k.x.Network.Slug + " " + contract + " " + selector)
	if len(k.Rules.AllowedContracts) == 0 {
		return &wire.Denial{Rule: UnknownCall, Field: "contract", Observed: observed, Limit: understood}
	}
	var all []string
	for _, c := range k.Rules.AllowedContracts {
		all = append(all, c.Chain+" "+c.Address+" "+limit(c.Selectors))
	}
	return &wire.Denial{Rule: AllowedContracts, Field: "contract", Observed: observed, Limit: limit(all)}
}

func (k check) effects() *wire.Denial {
	for _, e := range k.x.Effects {
		if d := k.effect(e); d != nil {
			return d
		}
	}
	return nil
}

func (k check) effect(e chain.Effect) *wire.Denial {
	switch e.Kind {
	case chain.Transfer, chain.Approve:
		if d := k.known(e); d != nil {
			return d
		}
		if d := k.token(e); d != nil {
			return d
		}
		if d := k.destination(e); d != nil {
			return d
		}
		return k.payees(e)
	case chain.Receive: // by the wallet itself, for what other effects name
		return k.token(e)
	case chain.UnknownCall:
		if k.allows(e.Contract, e.Selector) {
			return k.payees(e)
		}
		return k.unknown(e.Contract, e.Selector)
	}
	return &wire.Denial{Rule: UnknownCall, Field: "effect", Observed: describe(e), Limit: understood}
}

// known denies what would be stranded. A list that names a router, a pool or a book of payees with a contract lets its
// calls and allowances for it pass, and no plain transfer: Uniswap's router gives what lies there to whoever asks.
func (k check) known(e chain.Effect) *wire.Denial {
	at, stranded := k.x.stranded(e)
	if !stranded {
		return nil
	}
	return &wire.Denial{
		Rule: KnownContract, Field: "to", Observed: e.To, Limit: "no plain transfer to " + at.Name,
	}
}

// token judges what is moved. An unlisted contract may do anything with the call,
// so it passes only where the policy names the very call, or the contract as a
// token by its address. What is no call but a message nothing can allow.
func (k check) token(e chain.Effect) *wire.Denial {
	t, listed := k.x.listed(e)
	if !listed {
		if e.Selector != "" && (k.names(e.Contract) || k.allows(e.Contract, e.Selector)) {
			return nil
		}
		return k.unknown(e.Contract, e.Selector)
	}
	if len(k.Rules.AllowedTokens) == 0 || slices.Contains(k.Rules.AllowedTokens, t.Symbol) || k.names(e.Asset) {
		return nil
	}
	return &wire.Denial{Rule: AllowedTokens, Field: "token", Observed: t.Symbol, Limit: limit(k.Rules.AllowedTokens)}
}

// gets names who gets something by an effect, or may take it.
func gets(e chain.Effect) (field, who string) {
	if e.Kind == chain.Approve {
		return "spender", e.Spender
	}
	return "to", e.To
}

// revoked reports whether an allowance of a listed token is taken back: nobody gains by that.
func (x Signing) revoked(e chain.Effect) bool {
	_, listed := x.listed(e)
	return e.Kind == chain.Approve && listed && e.Amount == "0"
}

// destination judges who gets something, or may take it.
func (k check) destination(e chain.Effect) *wire.Denial {
	field, who := gets(e)
	if len(k.Rules.AllowedDestinations) == 0 || k.x.revoked(e) || k.x.has(k.Rules.AllowedDestinations, who) {
		return nil
	}
	return &wire.Denial{
		Rule: AllowedDestinations, Field: field, Observed: who, Limit: limit(k.Rules.AllowedDestinations),
	}
}

// allows reports whether the policy names the call, on the signing's network.
func (k check) allows(contract, selector string) bool {
	return slices.ContainsFunc(k.Rules.AllowedContracts, func(c wire.AllowedContract) bool {
		return c.Chain == k.x.Network.Slug && k.x.same(c.Address, contract) && slices.Contains(c.Selectors, selector)
	})
}

// names reports whether the policy names a token by its address.
func (k check) names(contract string) bool { return k.x.has(k.Rules.AllowedTokens, contract) }

func (k check) usd(c Cost, spent Totals) *wire.Denial {
	for _, rule := range []struct {
		name, field, limit string
		before             int64
	}{
		{MaxValueUSD, "value", k.Rules.MaxValueUSD, 0},
		{DailyUSD, "dailyTotal", k.Rules.DailyUSD, spent.Day},
		{MonthlyUSD, "monthlyTotal", k.Rules.MonthlyUSD, spent.Month},
	} {
		if rule.limit == "" {
			continue
		}
		if c.Unknown != "" {
			return &wire.Denial{
				Rule: UnknownPrice, Field: "value", Observed: c.Unknown, Limit: rule.name + " " + rule.limit,
			}
		}
		total := Add(rule.before, c.Micro)
		if most, err := ParseUSD(rule.limit); err != nil || total > most {
			return &wire.Denial{Rule: rule.name, Field: rule.field, Observed: FormatUSD(total), Limit: rule.limit}
		}
	}
	return nil
}

// maxLimit is how many entries of a list a denial shows.
const maxLimit = 10

func limit(list []string) string {
	if more := len(list) - maxLimit; more > 0 {
		return strings.Join(list[:maxLimit], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(list, ", ")
}

func (x Signing) has(list []string, address string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return x.same(l, address) })
}

// same compares addresses of the signing's network by their bytes. What is none is like nothing.
func (x Signing) same(a, b string) bool {
	f, ok := families.Of(x.Network.Kind)
	if !ok || f.Lookup(a) != f.Lookup(b) { // before any checksum is worked out: lists are long
		return false
	}
	_, err := f.ParseAddress(a)
	_, also := f.ParseAddress(b)
	return err == nil && also == nil
}

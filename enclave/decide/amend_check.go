package decide

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/text"
)

// Bounds of an amendment.
const (
	maxChanges       = 100
	maxConfirmations = 100_000
)

var (
	isSlug   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	isSymbol = regexp.MustCompile(`^[A-Z][A-Za-z0-9.]{0,15}$`)
)

// ParseNetwork reads the JSON of a network as strictly as a body.
func ParseNetwork(text string) (n chain.Network, err error) {
	if err := strict([]byte(text), &n); err != nil {
		return n, fmt.Errorf("a network is JSON with the members slug, name, kind, chainId, confirmations, native, explorer and dataFee: %w", err)
	}
	return n, nil
}

// ParseToken reads the JSON of a token as strictly as a body.
func ParseToken(text string) (t NewToken, err error) {
	if err := strict([]byte(text), &t); err != nil {
		return t, fmt.Errorf("a token is JSON with the members chain, symbol, address, decimals, domainName and domainVersion: %w", err)
	}
	return t, nil
}

// DecideAmendment judges what the operator wants to add. There is no event to be made where all of it is in force. Its
// rules hold for new amendments alone: what stands in the journal is taken as it is.
func (s *State) DecideAmendment(a Amendment, now time.Time) (e Event, wanted bool, err error) {
	a = s.without(a)
	switch n := len(a.Changes()); {
	case n == 0:
		return e, false, nil
	case n > maxChanges:
		return e, false, fmt.Errorf("an amendment makes at most %d changes", maxChanges)
	}
	after := s.Constants
	for _, n := range a.Networks {
		if err := after.checkNetwork(n); err != nil {
			return e, false, fmt.Errorf("network %q: %w", n.Slug, err)
		}
		if err := after.add(Amendment{Networks: []chain.Network{n}}); err != nil {
			return e, false, err
		}
	}
	for _, t := range a.Tokens {
		if err := after.checkToken(t); err != nil {
			return e, false, fmt.Errorf("token %q on %q: %w", t.Symbol, t.Chain, err)
		}
		if err := after.add(Amendment{Tokens: []NewToken{t}}); err != nil {
			return e, false, err
		}
	}
	for i, o := range a.Origins {
		if err := s.checkNewOrigin(o); err != nil || slices.Contains(a.Origins[:i], o) {
			return e, false, errors.Join(err, fmt.Errorf("origin %q cannot be added", o))
		}
	}
	if err := s.checkPriceKey(a.PriceKey); err != nil {
		return e, false, err
	}
	return Event{Kind: EventAmended, TimeMs: now.UnixMilli(), Amendment: &a}, true, nil
}

// checkNetwork holds a new network against those that there are.
func (c *Constants) checkNetwork(n chain.Network) error {
	_, slugTaken := chain.WithSlug(c.Networks, n.Slug)
	_, idTaken := chain.WithID(c.Networks, n.Kind, n.ID())
	f, known := families.Of(n.Kind)
	switch {
	case !isSlug.MatchString(n.Slug):
		return errors.New("slug is not of a to z, 0 to 9 and _, 32 at most")
	case slugTaken:
		return errors.New("a network of this slug is sealed already, and never changes")
	case !known:
		return errors.New("kind is not " + families.Kinds() + ", which is all that the signer knows")
	case idTaken:
		return errors.New("another network has this chainId")
	case n.Confirmations < 1 || n.Confirmations > maxConfirmations:
		return errors.New("confirmations is not a number of 1 to 100000")
	case n.Native.Address != "" || n.Native.DomainName != "" || n.Native.DomainVersion != "":
		return errors.New("native is not a symbol and decimals")
	case len(n.Tokens) > 0:
		return errors.New("tokens are added each by its own name")
	case n.Explorer != "" && (!strings.HasPrefix(n.Explorer, "https://") || strings.Count(n.Explorer, "%") != 1 ||
		!strings.Contains(n.Explorer, "%s") || !text.Visible(n.Explorer)):
		return errors.New("explorer is not an https URL with one %s in it")
	}
	if err := f.CheckNetwork(n); err != nil {
		return err
	}
	if err := CheckClusters(append(slices.Clone(c.Networks), n)); err != nil {
		return err
	}
	if err := c.checkNetworkName(n.Name); err != nil {
		return err
	}
	if err := c.checkSymbol(n.Native.Symbol, true); err != nil {
		return err
	}
	return c.checkEnvironment(n)
}

// CheckClusters refuses a second network of a kind whose transactions name no network: one that is signed for the first
// would be good on the second.
func CheckClusters(all []chain.Network) error {
	seen := map[chain.Kind]string{}
	for _, n := range all {
		f, known := families.Of(n.Kind)
		if first := seen[n.Kind]; known && !f.Form().Nonces && first != "" {
			return fmt.Errorf("kind %s has a network already, %s, and its transactions name none", n.Kind, first)
		}
		seen[n.Kind] = n.Slug
	}
	return nil
}

// checkNetworkName: a preview tells by the name what is behind a slug.
func (c *Constants) checkNetworkName(name string) error {
	if name == "" || len(name) > maxName || !text.Visible(name) {
		return errors.New("name is empty, too long, or has characters that are not seen")
	}
	if slices.ContainsFunc(c.Networks, func(n chain.Network) bool { return strings.EqualFold(n.Name, name) }) {
		return errors.New("another network has this name")
	}
	return nil
}

// checkEnvironment refuses networks of the other environment and, where this program lists the network, anything else
// than what it lists: the server would mean another one.
func (c *Constants) checkEnvironment(n chain.Network) error {
	other := chain.Production
	if c.Environment == chain.Production {
		other = chain.Sandbox
	}
	if _, wrong := chain.WithID(chain.Networks(other), n.Kind, n.ID()); wrong {
		return fmt.Errorf("this chainId belongs to the %s environment", other)
	}
	for _, listed := range chain.Networks(c.Environment) {
		taken := listed.Slug == n.Slug || listed.Kind == n.Kind && listed.ID() == n.ID()
		if taken && !sameNetwork(listed, n) {
			return fmt.Errorf("this program lists %s with chainId %s, and otherwise than here", listed.Slug,
				listed.ID())
		}
	}
	return nil
}

// sameNetwork compares all but the tokens.
func sameNetwork(a, b chain.Network) bool {
	a.Tokens, b.Tokens = nil, nil
	return reflect.DeepEqual(a, b)
}

// checkToken holds a new token against its network.
func (c *Constants) checkToken(t NewToken) error {
	n, ok := chain.WithSlug(c.Networks, t.Chain)
	if !ok {
		return errors.New("there is no such network")
	}
	f, ok := families.Of(n.Kind)
	if !ok {
		return errors.New("there is no such network")
	}
	if err := f.CheckToken(t.Address); err != nil {
		return err
	}
	switch {
	case t.Decimals < 1 || t.Decimals > 18:
		return errors.New("decimals is missing or not a number of 1 to 18")
	case (t.DomainName == "") != (t.DomainVersion == "") || len(t.DomainName) > maxName ||
		len(t.DomainVersion) > maxName || !text.Visible(t.DomainName+t.DomainVersion):
		return errors.New("domainName and domainVersion are not both there, or have characters that are not seen")
	}
	if have, taken := n.TokenByAddress(t.Address); taken {
		return fmt.Errorf("the network has this contract as %s, which never changes", have.Symbol)
	}
	if slices.ContainsFunc(n.Tokens, func(have chain.Token) bool { return strings.EqualFold(have.Symbol, t.Symbol) }) {
		return errors.New("the network has another token of this symbol")
	}
	if err := c.checkSymbol(t.Symbol, false); err != nil {
		return err
	}
	return c.checkListed(t)
}

// checkListed refuses a token that this program lists otherwise.
func (c *Constants) checkListed(t NewToken) error {
	n, _ := chain.BySlug(c.Environment, t.Chain)
	byAddress, _ := n.TokenByAddress(t.Address)
	for _, listed := range n.Tokens {
		if (strings.EqualFold(listed.Symbol, t.Symbol) || listed == byAddress) && listed != t.Token {
			return fmt.Errorf("this program lists %s at %s, and otherwise than here", listed.Symbol, listed.Address)
		}
	}
	if t.Wraps != "" && byAddress != t.Token {
		return errors.New("wraps is only of a token that this program lists: a contract that keeps no coins could have their price")
	}
	return nil
}

// checkSymbol: prices are by symbol, and go by one rule for coins and by another for tokens. Two that differ in case
// alone would be two prices for what people take for one.
func (c *Constants) checkSymbol(symbol string, coin bool) error {
	if !isSymbol.MatchString(symbol) || strings.EqualFold(symbol, "native") {
		return errors.New("symbol is not of letters, digits and dots with a capital letter first, 16 at most")
	}
	for _, n := range c.Networks {
		if err := differs(symbol, n.Native.Symbol, coin); err != nil {
			return err
		}
		for _, t := range n.Tokens {
			if err := differs(symbol, t.Symbol, !coin); err != nil {
				return err
			}
		}
	}
	return nil
}

func differs(symbol, have string, ofOneKind bool) error {
	switch {
	case !strings.EqualFold(symbol, have):
		return nil
	case !ofOneKind:
		return fmt.Errorf("%s is the symbol of a coin and of a token: one price cannot be for both", symbol)
	case symbol != have:
		return fmt.Errorf("symbol differs from %s in case alone", have)
	}
	return nil
}

// CheckOrigin refuses what no browser calls an origin, or what is not https.
func CheckOrigin(origin string, env chain.Environment) error {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
		return fmt.Errorf("origin %q is not scheme://host[:port]", origin)
	}
	if u.Scheme == "https" || (u.Scheme == "http" && u.Hostname() == "localhost" && env == chain.Sandbox) {
		return nil
	}
	return fmt.Errorf("origin %q: https is required (http only for localhost in the sandbox)", origin)
}

// checkNewOrigin also wants it as browsers write it, and a page that may use the passkeys at all.
func (c *Constants) checkNewOrigin(origin string) error {
	if err := CheckOrigin(origin, c.Environment); err != nil {
		return err
	}
	u, err := url.Parse(origin)
	if err != nil {
		return err
	}
	host := u.Hostname()
	if origin != strings.ToLower(origin) || strings.HasSuffix(u.Host, ":") ||
		u.Scheme == "https" && u.Port() == "443" ||
		strings.ContainsFunc(origin, func(r rune) bool { return r > unicode.MaxASCII }) {
		return errors.New("an origin is written as browsers do: in lower case, ASCII, without the port that is usual")
	}
	if host != c.RP.ID && !strings.HasSuffix(host, "."+c.RP.ID) {
		return fmt.Errorf("no page of %s can use passkeys of the RP id %s", host, c.RP.ID)
	}
	return nil
}

// checkPriceKey refuses a key that was changed away once: perhaps because it was stolen.
func (b *amendmentBook) checkPriceKey(key string) error {
	if key == "" {
		return nil
	}
	if _, err := wire.ParseP256(key); err != nil || key != strings.ToLower(key) {
		return errors.New("price key: not a compressed P-256 key in lower-case hex")
	}
	if slices.Contains(b.pastPriceKeys, key) {
		return errors.New("price key: it was changed away before, and does not come back")
	}
	return nil
}

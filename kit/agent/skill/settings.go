package skill

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
)

const (
	stockHeader = "X-Api-Key"
	mostPrice   = 1_000_000_000 // micro-USD
)

// apply puts what a request names into a skill, and refuses what the skill would be then.
func (s *Service) apply(ctx context.Context, to *Skill, in rest.SkillChange) error {
	was := *to
	set(&to.Name, in.Name)
	set(&to.Description, in.Description)
	set(&to.URL, in.URL)
	set(&to.Method, in.Method)
	set((*string)(&to.Subtype), in.Subtype)
	if strings.TrimSpace(to.Name) == "" {
		return fault.Field("name", "must not be empty")
	}
	if _, err := s.c.Client.Check(to.URL); err != nil {
		return fault.Field("url", err.Error())
	}
	if err := s.applyAuth(to, was, in); err != nil {
		return err
	}
	if err := applyVisibility(to, in); err != nil {
		return err
	}
	if err := s.applyPrice(ctx, to, in); err != nil {
		return err
	}
	var err error
	if to.Input, err = schemaText("schema_input", in.SchemaInput, to.Input); err != nil {
		return err
	}
	to.Output, err = schemaText("schema_output", in.SchemaOutput, to.Output)
	return err
}

// settings are a new skill's, in the form of a change.
func settings(in rest.SkillRequest) rest.SkillChange {
	return rest.SkillChange{
		Name: &in.Name, URL: &in.URL, Description: in.Description, Method: in.Method, AuthType: in.AuthType,
		AuthConfig: in.AuthConfig, IsPublic: in.IsPublic, Visibility: in.Visibility, Subtype: in.Subtype,
		CostUSDC: in.CostUSDC, PriceUSDC: in.PriceUSDC, PayTo: in.PayTo, Network: in.Network,
		SchemaInput: in.SchemaInput, SchemaOutput: in.SchemaOutput,
	}
}

func set(to, given *string) {
	if given != nil {
		*to = *given
	}
}

// applyAuth seals what the skill's server wants to see. A skill that is moved to another host needs it anew: whoever
// has an API key could otherwise send the sealed secret to a host of his own, and read it there.
func (s *Service) applyAuth(to *Skill, was Skill, in rest.SkillChange) error {
	set((*string)(&to.Auth), in.AuthType)
	switch {
	case to.Auth == NoAuth && in.AuthConfig != nil:
		return fault.Field("auth_config", "goes with the auth_type api_key or bearer only")
	case to.Auth == NoAuth:
		to.Sealed = ""
		return nil
	case in.AuthConfig == nil && (was.Sealed == "" || was.Auth != to.Auth):
		return fault.Field("auth_config", "is required")
	case in.AuthConfig == nil && origin(was.URL) != origin(to.URL):
		return fault.Field("auth_config", "must be given again for another host")
	case in.AuthConfig == nil:
		return nil
	}
	c, err := readAuth(to.Auth, *in.AuthConfig)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(c)
	to.Sealed = s.c.Vault.Seal(to.place(), raw)
	return err
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

var (
	headerName  = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	headerValue = regexp.MustCompile(`^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$`)
)

func readAuth(t AuthType, c rest.SkillAuth) (rest.SkillAuth, error) {
	field, value, other := "auth_config.key", c.Key, c.Token
	if t == Bearer {
		field, value, other = "auth_config.token", c.Token, c.Key+c.Header
	}
	if c.Header == "" && t == APIKey {
		c.Header = stockHeader
	}
	switch {
	case value == "":
		return c, fault.Field(field, "is required")
	case !headerValue.MatchString(value):
		return c, fault.Field(field, "must be printable ASCII")
	case other != "":
		return c, fault.Field("auth_config", "must have nothing of another auth_type")
	case t == APIKey && (!headerName.MatchString(c.Header) || !fetch.MaySend(c.Header)):
		return c, fault.Field("auth_config.header", "must be the name of a header that a request may have")
	}
	return c, nil
}

func applyVisibility(to *Skill, in rest.SkillChange) error {
	switch {
	case in.IsPublic != nil && in.Visibility != nil:
		return fault.Field("is_public", "must not be given under two names")
	case in.IsPublic != nil:
		to.Public = *in.IsPublic
	case in.Visibility != nil:
		to.Public = *in.Visibility == "public"
	}
	if to.Public && to.Subtype == Internal {
		return fault.Field("is_public", "must be false of an internal skill")
	}
	return nil
}

// applyPrice reads what a call costs and who is paid. Only the workspace's own wallets are: a thief of an API key could
// otherwise earn with a skill that others trust.
func (s *Service) applyPrice(ctx context.Context, to *Skill, in rest.SkillChange) error {
	if err := readCost(to, in); err != nil {
		return err
	}
	set(&to.Network, in.Network)
	if in.Network != nil && to.Network != "" || to.CostUSDC > 0 {
		n, _, ok := s.usdc(to.Network)
		if why := n.WhyNoAgents(); n.Slug != "" && why != "" {
			return fault.Field("network", why)
		}
		if !ok {
			return fault.Field("network", "must be a network of this environment that has USDC: "+s.usdcNetworks())
		}
	}
	payTo := to.PayTo
	set(&payTo, in.PayTo)
	if n, _, ok := s.usdc(to.Network); ok && payTo != "" {
		if family, known := families.Of(n.Kind); known {
			if _, err := family.ParseAddress(payTo); err != nil {
				return fault.Field("payTo", "must be an address on the network: "+family.Form().Typed)
			}
		}
	}
	switch {
	case payTo == "" && to.CostUSDC > 0:
		return fault.Field("payTo", "is required of a skill that costs something")
	case payTo == "":
		to.PayTo = ""
		return nil
	case to.Network == "":
		return fault.Field("network", "is required with payTo")
	case in.PayTo == nil:
		return nil
	}
	own, held, err := s.c.Wallets.Holds(ctx, to.WorkspaceID, payTo)
	if err == nil && !held {
		err = fault.Field("payTo", "must be an address of a wallet of this workspace")
	}
	to.PayTo = own
	return err
}

func readCost(to *Skill, in rest.SkillChange) error {
	switch {
	case in.CostUSDC != nil && in.PriceUSDC != nil:
		return fault.Field("cost_usdc", "must not be given under two names")
	case in.CostUSDC != nil:
		to.CostUSDC = *in.CostUSDC
	case in.PriceUSDC != nil:
		price, err := money.Parse(*in.PriceUSDC, money.USDC)
		if err != nil || price.Minor > mostPrice {
			return fault.Field("priceUSDC", "must be a decimal of at most 6 places, such as 0.001, up to 1000")
		}
		to.CostUSDC = price.Minor
	}
	return nil
}

// usdcNetworks names the networks on which skills are paid.
func (s *Service) usdcNetworks() string {
	var names []string
	for _, n := range s.c.Networks {
		if _, _, ok := s.usdc(n.Slug); ok {
			names = append(names, n.Slug)
		}
	}
	return strings.Join(names, ", ")
}

// usdc finds a network and its USDC, where x402 has a name for the network.
func (s *Service) usdc(slug string) (chain.Network, chain.Token, bool) {
	n, ok := chain.WithSlug(s.c.Networks, slug)
	if !ok || x402.NetworkID(n) == "" {
		return n, chain.Token{}, false
	}
	token, ok := n.TokenBySymbol("USDC")
	return n, token, ok
}

// opened is what is shown to the skill's server, as a header. It is empty of a skill without.
func (s *Service) opened(k Skill) (name, value, secret string, err error) {
	if k.Auth == NoAuth {
		return "", "", "", nil
	}
	raw, err := s.c.Vault.Open(k.place(), k.Sealed)
	if err != nil {
		return "", "", "", err
	}
	var c rest.SkillAuth
	if json.Unmarshal(raw, &c) != nil {
		return "", "", "", errors.New("a skill's sealed auth_config cannot be read")
	}
	if k.Auth == Bearer {
		return "Authorization", "Bearer " + c.Token, c.Token, nil
	}
	return c.Header, c.Key, c.Key, nil
}

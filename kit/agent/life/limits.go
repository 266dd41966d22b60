package life

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// places is how exact the signer counts: micro-USD.
const places = 6

// putAmounts puts the amounts that are given in the place of those that are there.
func putAmounts(l *wire.AgentLimits, in rest.AgentAmounts) error {
	for _, f := range []struct {
		name  string
		given rest.Number
		to    *string
	}{
		{"infraMonthlyUsd", in.InfraMonthlyUSD, &l.InfraMonthlyUSD},
		{"tokensMonthlyUsd", in.TokensMonthlyUSD, &l.TokensMonthlyUSD},
		{"paymentsMonthlyUsdc", in.PaymentsMonthlyUSDC, &l.PaymentsMonthlyUSDC},
		{"perTxUsdc", in.PerTxUSDC, &l.PerTxUSDC},
		{"approvalThresholdUsdc", in.ApprovalThresholdUSDC, &l.ApprovalThresholdUSDC},
		{"maxFeeUsd", in.MaxFeeUSD, &l.MaxFeeUSD},
	} {
		if f.given == "" {
			continue
		}
		if !f.given.Plain(places) {
			return fault.Field(f.name, "must be a plain decimal with at most 6 places")
		}
		*f.to = string(f.given)
	}
	return nil
}

// putReach puts networks and recipients that are given in the place of those that are there. Whoever names one of the
// three ways to say who is paid ends the other two.
func putReach(l *wire.AgentLimits, in rest.AgentReach, networks []chain.Network, environment string) error {
	if in.AllowedChains != nil {
		l.AllowedChains = in.AllowedChains
	}
	for i, slug := range in.AllowedChains {
		if n, known := chain.WithSlug(networks, slug); known && n.WhyNoAgents() != "" {
			return fault.Field("allowedChains["+strconv.Itoa(i)+"]", n.WhyNoAgents())
		}
	}
	if in.AllowedHosts != nil {
		l.AllowedHosts = nil
	}
	for i, host := range in.AllowedHosts {
		host = wire.ListedHost(host)
		if why := wire.HostProblem(host, environment == string(chain.Sandbox)); why != "" {
			return fault.Field("allowedHosts["+strconv.Itoa(i)+"]", why)
		}
		l.AllowedHosts = append(l.AllowedHosts, host)
	}
	if in.RequireHTTPSignature != nil {
		l.RequireHTTPSignature = *in.RequireHTTPSignature
	}
	if in.MaxWallets != nil {
		if l.MaxWallets = ""; *in.MaxWallets > 0 {
			l.MaxWallets = strconv.Itoa(*in.MaxWallets)
		}
	}
	return putPaid(l, in)
}

// putPaid puts the one of the three ways to say who is paid.
func putPaid(l *wire.AgentLimits, in rest.AgentReach) error {
	if in.AllowedRecipients == nil && !in.PayeesOnly && !in.AnyRecipient && in.PayeeCoolingHours == 0 {
		return nil
	}
	if in.AllowedRecipients != nil || in.PayeesOnly || in.AnyRecipient {
		l.AllowedRecipients, l.PayeesOnly, l.AnyRecipient = nil, in.PayeesOnly, in.AnyRecipient
		l.PayeeCoolingHours = ""
	}
	for i, text := range in.AllowedRecipients {
		address, _, ok := families.ParseAddress(text)
		if !ok {
			return fault.Field("allowedRecipients["+strconv.Itoa(i)+"]", "must be an address: "+families.TypedForms())
		}
		l.AllowedRecipients = append(l.AllowedRecipients, address)
	}
	if in.PayeeCoolingHours != 0 {
		l.PayeeCoolingHours = strconv.Itoa(in.PayeeCoolingHours)
	}
	switch ways := count(l.AllowedRecipients != nil, l.PayeesOnly, l.AnyRecipient); {
	case ways != 1:
		return fault.Field("allowedRecipients", "must not be given beside payeesOnly or anyRecipient")
	case l.PayeeCoolingHours != "" && !l.PayeesOnly:
		return fault.Field("payeeCoolingHours", "must not be given without payeesOnly: true")
	}
	return nil
}

func count(all ...bool) (n int) {
	for _, yes := range all {
		if yes {
			n++
		}
	}
	return n
}

// limits are those of a new agent: what is not asked for is the narrowest that still lets it pay.
func (s *Service) limits(in rest.PrepareAgentRequest, environment string) (wire.AgentLimits, error) {
	l := wire.AgentLimits{MaxFeeUSD: "1", PayeesOnly: true}
	for _, required := range []struct {
		name  string
		given rest.Number
	}{
		{"budget.infraMonthlyUsd", in.Budget.InfraMonthlyUSD}, {"budget.tokensMonthlyUsd", in.Budget.TokensMonthlyUSD},
		{"budget.paymentsMonthlyUsdc", in.Budget.PaymentsMonthlyUSDC},
	} {
		if required.given == "" {
			return l, fault.Field(required.name, "is required: an agent without a budget may do nothing")
		}
	}
	slug, err := s.network(in)
	if err != nil {
		return l, err
	}
	if slug != "" {
		l.AllowedChains = []string{slug}
	}
	if err := putAmounts(&l, in.Budget); err != nil {
		return l, err
	}
	l.PerTxUSDC = cmp.Or(l.PerTxUSDC, l.PaymentsMonthlyUSDC)
	l.ApprovalThresholdUSDC = cmp.Or(l.ApprovalThresholdUSDC, l.PerTxUSDC)
	return l, putReach(&l, in.AgentReach, s.c.Networks, environment)
}

// dialect is the network of an agent for which a request names none.
const dialect = "solana"

// network finds the network of chainId. A request that names none is in the Solana dialect of the API.
func (s *Service) network(in rest.PrepareAgentRequest) (slug string, err error) {
	if in.ChainID == 0 && in.AllowedChains != nil {
		return "", nil
	}
	n, known := chain.WithChainID(s.c.Networks, in.ChainID)
	if in.ChainID == 0 {
		n, known = chain.WithSlug(s.c.Networks, dialect)
	}
	if _, _, pays := s.c.Nodes.USDC(n.Slug); !known || !pays {
		return "", fault.Field("chainId", "must be that of a network on which agents pay here: "+numbered(s.c.Nodes)+
			". Others are named in allowedChains")
	}
	return n.Slug, nil
}

// numbered lists the networks on which agents pay that have a chain id.
func numbered(set *nodes.Set) string {
	var all []string
	for _, n := range set.Networks() {
		if _, _, pays := set.USDC(n.Slug); pays && n.ChainID != 0 {
			all = append(all, n.Slug+" ("+n.ID()+")")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// walletFor are the networks that a new agent's wallet has to be for; none where it has to be for EVM networks only,
// which is what the enclave does by itself. Clients of before there were others read no such member of its body.
func walletFor(l wire.AgentLimits, networks []chain.Network) []string {
	for _, slug := range l.AllowedChains {
		if n, known := chain.WithSlug(networks, slug); known && n.Kind != chain.EVM {
			return l.AllowedChains
		}
	}
	return nil
}

// AgentLimitsView are an agent's limits as the API shows them.
type AgentLimitsView struct {
	InfraMonthlyUSD       rest.Number `json:"infraMonthlyUsd"`
	TokensMonthlyUSD      rest.Number `json:"tokensMonthlyUsd"`
	PaymentsMonthlyUSDC   rest.Number `json:"paymentsMonthlyUsdc"`
	PerTxUSDC             rest.Number `json:"perTxUsdc"`
	ApprovalThresholdUSDC rest.Number `json:"approvalThresholdUsdc"`
	MaxFeeUSD             rest.Number `json:"maxFeeUsd"`
	AllowedChains         []string    `json:"allowedChains"`
	AllowedRecipients     []string    `json:"allowedRecipients,omitempty"`
	PayeesOnly            bool        `json:"payeesOnly"`
	PayeeCoolingHours     int         `json:"payeeCoolingHours,omitempty"`
	AnyRecipient          bool        `json:"anyRecipient"`
	AllowedHosts          []string    `json:"allowedHosts,omitempty"`
	RequireHTTPSignature  bool        `json:"requireHttpSignature"`
	MaxWallets            int         `json:"maxWallets"`
}

func limitsView(l *wire.AgentLimits) *AgentLimitsView {
	if l == nil {
		return nil
	}
	hours, _ := strconv.Atoi(l.PayeeCoolingHours) // "": none
	wallets, _ := strconv.Atoi(l.MaxWallets)      // "": none
	return &AgentLimitsView{
		InfraMonthlyUSD: rest.Number(l.InfraMonthlyUSD), TokensMonthlyUSD: rest.Number(l.TokensMonthlyUSD),
		PaymentsMonthlyUSDC: rest.Number(l.PaymentsMonthlyUSDC), PerTxUSDC: rest.Number(l.PerTxUSDC),
		ApprovalThresholdUSDC: rest.Number(l.ApprovalThresholdUSDC), MaxFeeUSD: rest.Number(l.MaxFeeUSD),
		AllowedChains: l.AllowedChains, AllowedRecipients: l.AllowedRecipients, PayeesOnly: l.PayeesOnly,
		PayeeCoolingHours: hours, AnyRecipient: l.AnyRecipient, AllowedHosts: l.AllowedHosts,
		RequireHTTPSignature: l.RequireHTTPSignature, MaxWallets: wallets,
	}
}

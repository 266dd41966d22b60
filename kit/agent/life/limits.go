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
	"github.com/railkit/railkit/rest"
)

// AgentAmounts are an agent's limits in money. Absent ones stay as they are.
type AgentAmounts struct {
	InfraMonthlyUSD       rest.Number `json:"infraMonthlyUsd,omitzero" minimum:"0" maximum:"1000000000" doc:"API calls of a UTC calendar month. Also read: infra, infrastructure.monthlyUSD"`
	TokensMonthlyUSD      rest.Number `json:"tokensMonthlyUsd,omitzero" minimum:"0" maximum:"1000000000" doc:"LLM tokens of a month. Also read: tokens, tokens.monthlyUSD"`
	PaymentsMonthlyUSDC   rest.Number `json:"paymentsMonthlyUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"Payments of a month, those that wait for approval included. Also read: payments, payments.monthlyUSDC"`
	PerTxUSDC             rest.Number `json:"perTxUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"One payment. Also read: payments.perTxUSDC. Of a new agent: paymentsMonthlyUsdc, where absent"`
	ApprovalThresholdUSDC rest.Number `json:"approvalThresholdUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"A payment of more than this waits for a passkey. Also read: payments.approvalThresholdUSDC. Of a new agent: perTxUsdc, where absent, so that none waits"`
	MaxFeeUSD             rest.Number `json:"maxFeeUsd,omitzero" minimum:"0" maximum:"1000000" doc:"Highest network fee of one payment. Of a new agent: 1, where absent"`
}

// Reach says where an agent pays, and whom; how it signs, and how many wallets it makes. Absent members stay as they
// are.
type Reach struct {
	AllowedChains     []string `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" doc:"Slugs of networks. Of a new agent: that of chainId, where absent"`
	AllowedRecipients []string `json:"allowedRecipients,omitempty" minItems:"1" maxItems:"100" doc:"Addresses. Exactly one of allowedRecipients, payeesOnly and anyRecipient says who is paid; of a new agent without any of them, payeesOnly is true"`
	PayeesOnly        bool     `json:"payeesOnly,omitempty" doc:"Those in the book of payees, also those that are added to it later"`
	PayeeCoolingHours int      `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
	AnyRecipient      bool     `json:"anyRecipient,omitempty" doc:"The agent may pay anybody, not only allowedRecipients"`
	AllowedHosts      []string `json:"allowedHosts,omitempty" maxItems:"100" doc:"Hosts of the web that the agent's paid requests may go to: names in lower case and punycode, with a port where that is not 443, which is left out. Without any, no URL may be paid; [] takes all away"`

	RequireHTTPSignature *bool `json:"requireHttpSignature,omitempty" doc:"true: the agent is known by HTTP signatures (RFC 9421) only, not by x-agent-auth"`
	MaxWallets           *int  `json:"maxWallets,omitempty" minimum:"0" maximum:"100" doc:"Wallets that the agent may make for its sub-organization by itself, in all. Of a new agent: 0, where absent"`
}

// places is how exact the signer counts: micro-USD.
const places = 6

// onto puts the amounts that are given in the place of those that are there.
func (in AgentAmounts) onto(l *wire.AgentLimits) error {
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

// onto puts networks and recipients that are given in the place of those that are there. Whoever names one of the three
// ways to say who is paid ends the other two.
func (in Reach) onto(l *wire.AgentLimits, environment string) error {
	if in.AllowedChains != nil {
		l.AllowedChains = in.AllowedChains
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
	return in.pays(l)
}

// pays puts the one of the three ways to say who is paid.
func (in Reach) pays(l *wire.AgentLimits) error {
	if in.AllowedRecipients == nil && !in.PayeesOnly && !in.AnyRecipient && in.PayeeCoolingHours == 0 {
		return nil
	}
	if in.AllowedRecipients != nil || in.PayeesOnly || in.AnyRecipient {
		l.AllowedRecipients, l.PayeesOnly, l.AnyRecipient = nil, in.PayeesOnly, in.AnyRecipient
		l.PayeeCoolingHours = ""
	}
	for i, text := range in.AllowedRecipients {
		address, family, ok := families.ParseAddress(text)
		if !ok || family.Kind() != chain.EVM {
			return fault.Field("allowedRecipients["+strconv.Itoa(i)+"]", "must be an EVM address")
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
func (s *Service) limits(in PrepareAgentInput, environment string) (wire.AgentLimits, error) {
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
	if err := in.Budget.onto(&l); err != nil {
		return l, err
	}
	l.PerTxUSDC = cmp.Or(l.PerTxUSDC, l.PaymentsMonthlyUSDC)
	l.ApprovalThresholdUSDC = cmp.Or(l.ApprovalThresholdUSDC, l.PerTxUSDC)
	return l, in.Reach.onto(&l, environment)
}

// network finds the network of chainId. A request without it is in the Solana dialect of the API.
func (s *Service) network(in PrepareAgentInput) (slug string, err error) {
	if in.ChainID == 0 && in.AllowedChains != nil {
		return "", nil
	}
	n, ok := chain.WithChainID(s.c.Networks, in.ChainID)
	if in.ChainID == 0 || !ok || n.Kind != chain.EVM {
		return "", fault.Field("chainId", "must be that of a network on which agents pay here: "+s.agentNetworks()+
			". Without chainId an agent would be on Solana, where agents do not pay yet")
	}
	return n.Slug, nil
}

func (s *Service) agentNetworks() string {
	var all []string
	for _, n := range s.c.Networks {
		if _, ok := n.TokenBySymbol("USDC"); ok && n.Kind == chain.EVM {
			all = append(all, n.Slug+" ("+n.ID()+")")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
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

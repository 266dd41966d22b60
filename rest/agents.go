package rest

// AgentState says what an agent may do.
type AgentState struct {
	AgentID    string `json:"agentId" format:"uuid"`
	KillSwitch bool   `json:"killSwitch" doc:"No payment: the agent was killed, or a kill switch is on, that of its sub-organization or the operator's"`
	Status     string `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
}

// AgentBudget is a budget as the API shows it, of the month that it is now.
type AgentBudget struct {
	AgentID     string            `json:"agentId" format:"uuid"`
	Period      string            `json:"period" enum:"monthly"`
	PeriodStart string            `json:"periodStart" format:"date-time" doc:"Begin of the UTC calendar month, by the clock of the database"`
	PeriodEnd   string            `json:"periodEnd" format:"date-time" doc:"When infra and tokens begin at zero again"`
	Layers      AgentBudgetLayers `json:"layers"`
	KillSwitch  bool              `json:"killSwitch" doc:"The agent was killed, or a kill switch is on: that of its sub-organization, or the operator's"`
}

// AgentBudgetLayers are its three layers.
type AgentBudgetLayers struct {
	Infra    AgentBudgetLayer    `json:"infra" doc:"Calls that do work"`
	Tokens   AgentBudgetLayer    `json:"tokens" doc:"LLM tokens, as the agent reports them"`
	Payments AgentPaymentsBudget `json:"payments" doc:"Payments, as the signer counts them, by its own clock"`
}

// AgentBudgetLayer is what is left of a layer.
type AgentBudgetLayer struct {
	Limit     Number `json:"limit"`
	Spent     Number `json:"spent" doc:"May be more than the limit: what an agent reports counts also beyond it, and then nothing more is admitted"`
	Held      Number `json:"held" doc:"Of calls that are under way"`
	Remaining Number `json:"remaining"`
	Currency  string `json:"currency" enum:"USD,USDC"`
}

// AgentPaymentsBudget is the layer of payments.
type AgentPaymentsBudget struct {
	AgentBudgetLayer
	Unused            Number `json:"unused" doc:"Of spent: signed for sellers who never took it; the next payments by x402 take it up again"`
	PerTx             Number `json:"perTx" doc:"Most of one payment"`
	ApprovalThreshold Number `json:"approvalThreshold" doc:"A payment of more waits for a passkey"`
}

// AgentAnalytics is what an agent spent and did in a period.
type AgentAnalytics struct {
	AgentID    string     `json:"agentId" format:"uuid"`
	Name       string     `json:"name"`
	Period     string     `json:"period" enum:"day,week,month" doc:"day: today; week: today and the six days before; month: the calendar month so far"`
	From       string     `json:"from" format:"date-time"`
	To         string     `json:"to" format:"date-time" doc:"The end of today, which is not part of it"`
	Layers     AgentUsage `json:"layers"`
	Calls      int        `json:"calls" doc:"Calls that did work"`
	Events     int        `json:"events" doc:"Events that the agent reported"`
	Refusals   int        `json:"refusals" doc:"Calls that the layers infra and tokens refused, and those that came to nothing since the signer refused them"`
	Timeseries []AgentDay `json:"timeseries" doc:"Each day of the period, also those without anything"`
}

// AgentActivity is the same of one agent among others, without its days.
type AgentActivity struct {
	AgentID  string     `json:"agentId" format:"uuid"`
	Name     string     `json:"name"`
	Status   string     `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
	Layers   AgentUsage `json:"layers"`
	Calls    int        `json:"calls"`
	Events   int        `json:"events"`
	Refusals int        `json:"refusals"`
}

// AgentUsage is what was spent, by layer.
type AgentUsage struct {
	Infra    AgentLayerUsage `json:"infra"`
	Tokens   AgentLayerUsage `json:"tokens"`
	Payments AgentLayerUsage `json:"payments"`
}

// AgentLayerUsage is what was spent of a layer, in how many parts.
type AgentLayerUsage struct {
	Spent    Number `json:"spent"`
	Count    int    `json:"count"`
	Currency string `json:"currency" enum:"USD,USDC"`
}

// AgentDay is a day of an agent.
type AgentDay struct {
	Date         string `json:"date" format:"date"`
	Infra        Number `json:"infra"`
	Tokens       Number `json:"tokens"`
	Payments     Number `json:"payments"`
	Calls        int    `json:"calls"`
	Events       int    `json:"events"`
	PaymentCount int    `json:"paymentCount"`
	Refusals     int    `json:"refusals"`
}

// ReportedEvents says what became of a batch.
type ReportedEvents struct {
	Accepted     int             `json:"accepted"`
	Duplicates   int             `json:"duplicates"`
	Events       []ReportedEvent `json:"events" doc:"In the order of the request"`
	BudgetStatus AgentBudget     `json:"budget_status" doc:"As GET /v1/agents/{id}/budget answers it now"`
}

// ReportedEvent says what became of one.
type ReportedEvent struct {
	ID     string `json:"id"`
	Status string `json:"status" enum:"accepted,duplicate" doc:"duplicate: its id was reported before, and it counts nothing"`
}

// AgentAmounts are an agent's limits in money. Absent ones stay as they are.
type AgentAmounts struct {
	InfraMonthlyUSD       Number `json:"infraMonthlyUsd,omitzero" minimum:"0" maximum:"1000000000" doc:"API calls of a UTC calendar month. Also read: infra, infrastructure.monthlyUSD"`
	TokensMonthlyUSD      Number `json:"tokensMonthlyUsd,omitzero" minimum:"0" maximum:"1000000000" doc:"LLM tokens of a month. Also read: tokens, tokens.monthlyUSD"`
	PaymentsMonthlyUSDC   Number `json:"paymentsMonthlyUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"Payments of a month, those that wait for approval included. Also read: payments, payments.monthlyUSDC"`
	PerTxUSDC             Number `json:"perTxUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"One payment. Also read: payments.perTxUSDC. Of a new agent: paymentsMonthlyUsdc, where absent"`
	ApprovalThresholdUSDC Number `json:"approvalThresholdUsdc,omitzero" minimum:"0" maximum:"1000000000" doc:"A payment of more than this waits for a passkey. Also read: payments.approvalThresholdUSDC. Of a new agent: perTxUsdc, where absent, so that none waits"`
	MaxFeeUSD             Number `json:"maxFeeUsd,omitzero" minimum:"0" maximum:"1000000" doc:"Highest network fee of one payment, with what an account of the payee's costs on Solana. Of a new agent: 1, where absent"`
}

// AgentReach says where an agent pays, and whom; how it signs, and how many wallets it makes. Absent members stay as
// they are.
type AgentReach struct {
	AllowedChains     []string `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" doc:"Slugs of networks that list USDC. Of a new agent: that of chainId, where absent, else solana. The wallet of a new agent gets an address for each kind of them"`
	AllowedRecipients []string `json:"allowedRecipients,omitempty" minItems:"1" maxItems:"100" doc:"Addresses. Exactly one of allowedRecipients, payeesOnly and anyRecipient says who is paid; of a new agent without any of them, payeesOnly is true"`
	PayeesOnly        bool     `json:"payeesOnly,omitempty" doc:"Those in the book of payees, also those that are added to it later"`
	PayeeCoolingHours int      `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
	AnyRecipient      bool     `json:"anyRecipient,omitempty" doc:"The agent may pay anybody, not only allowedRecipients"`
	AllowedHosts      []string `json:"allowedHosts,omitzero" maxItems:"100" doc:"Hosts of the web that the agent's paid requests may go to: names in lower case and punycode, with a port where that is not 443, which is left out. Without any, no URL may be paid; [] takes all away"`

	RequireHTTPSignature *bool `json:"requireHttpSignature,omitempty" doc:"true: the agent is known by HTTP signatures (RFC 9421) only, not by x-agent-auth"`
	MaxWallets           *int  `json:"maxWallets,omitempty" minimum:"0" maximum:"100" doc:"Wallets that the agent may make for its sub-organization by itself, in all. Of a new agent: 0, where absent"`
}

// PrepareAgentRequest asks for a new agent.
type PrepareAgentRequest struct {
	Name              string       `json:"name" minLength:"1" maxLength:"100"`
	Description       string       `json:"description,omitempty" maxLength:"500"`
	WalletAddress     string       `json:"walletAddress,omitempty" maxLength:"64" doc:"An address of the owner's wallet: its sub-organization gets the agent. Absent: the sub-organization of subOrganizationId"`
	SubOrganizationID string       `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed without walletAddress where the workspace has several"`
	ChainID           uint64       `json:"chainId,omitempty" doc:"EVM network on which it pays; or allowedChains. Without both it pays on Solana"`
	Budget            AgentAmounts `json:"budget"`
	AgentReach
	RecipientPublicKey string `json:"recipientPublicKey,omitempty" minLength:"66" maxLength:"66" doc:"P-256, compressed hex: the agent's secret is sealed to it, and this server never sees it. Absent: the secret is answered in clear, once"`
	ReturnTo
}

// AgentAuditEntry is one entry of an agent's record.
type AgentAuditEntry struct {
	AgentID string `json:"agentId" format:"uuid"`
	Type    string `json:"type" enum:"budget,lifecycle,credential,approval,payment"`
	Status  string `json:"status" enum:"success,failed" doc:"failed: a payment that was refused, or failed or was taken back on the chain; an approval that was rejected or has expired"`
	AuditEntry
}

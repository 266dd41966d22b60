package railkit

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// X402Service tells the owner of agents what they paid by x402.
type X402Service struct{ c *Client }

// List reads one page of an agent's payments, newest first.
func (s *X402Service) List(ctx context.Context, agentID string, o ListOptions) (*Page[X402Payment], error) {
	return list[X402Payment](ctx, s.c, x402Path(agentID), o.query(), nil)
}

// Get reads what became of one.
func (s *X402Service) Get(ctx context.Context, agentID, paymentID string) (*X402Payment, error) {
	return data[X402Payment](ctx, s.c, http.MethodGet, x402Path(agentID)+"/"+url.PathEscape(paymentID), nil)
}

func x402Path(agentID string) string { return agentPath(agentID, "/x402-payments") }

// What the calls answer: see package rest for the fields.
type (
	AgentWallet         = rest.AgentWallet
	AgentWalletNetwork  = rest.AgentWalletNetwork
	AgentBalance        = rest.AgentBalance
	AgentNetworkBalance = rest.AgentNetworkBalance
)

// Wallet tells where an agent's money is. The address is the server's word; Wallets.Get has the enclave's proof.
func (s *AgentsService) Wallet(ctx context.Context, agentID string) (*AgentWallet, error) {
	return data[AgentWallet](ctx, s.c, http.MethodGet, agentPath(agentID, "/wallet"), nil)
}

// Balance tells what an agent has, on all networks on which it pays.
func (s *AgentsService) Balance(ctx context.Context, agentID string) (*AgentBalance, error) {
	return data[AgentBalance](ctx, s.c, http.MethodGet, agentPath(agentID, "/wallet-balance"), nil)
}

// FundAgentRequest asks for USDC from an owner's wallet to an agent's.
type FundAgentRequest struct {
	Amount  string `json:"amountUSDC"` // decimal: "10.5"
	From    string `json:"from"`       // address of a wallet of the agent's sub-organization
	Network string `json:"network"`    // slug

	// FeeLimit, in wei: as in PrepareTransactionRequest. Never sent.
	FeeLimit string `json:"-"`
	ReturnTo
}

// PreparedFunding waits for the owner's stamp. FundRequestID is its TransactionID.
type PreparedFunding struct {
	FundRequestID string `json:"fundRequestId"`
	AgentID       string `json:"agentId"`
	PreparedTransaction
}

// Funding is a transfer to an agent that is signed.
type Funding struct {
	FundRequestID string `json:"fundRequestId"`
	AgentID       string `json:"agentId"`
	Signature     string `json:"signature"` // the signed transaction
	Transaction
}

// Fund prepares, verifies, stamps and confirms a transfer of USDC from an owner's wallet to an agent's. Where it needs
// approval, the error is a QueuedError.
func (s *AgentsService) Fund(ctx context.Context, pk Passkey, agentID string, req FundAgentRequest) (*Funding, error) {
	p, err := s.PrepareFunding(ctx, agentID, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a funding: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.ConfirmFunding(withoutKey(ctx), agentID, p.FundRequestID, signed)
}

// PrepareFunding gives what to stamp, and checks that it pays what was asked for to a wallet of the same owner and of
// nobody else: by the proof of that wallet's making, which names the agent, if this client verifies.
func (s *AgentsService) PrepareFunding(
	ctx context.Context, agentID string, req FundAgentRequest,
) (*PreparedFunding, error) {
	r, err := send[PreparedFunding](ctx, s.c, request{
		method: http.MethodPost, path: agentPath(agentID, "/fund/prepare"), body: req,
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	expect, err := s.fundingExpected(ctx, agentID, req)
	if err != nil {
		return nil, err
	}
	inner := &reply[PreparedTransaction]{Data: r.Data.PreparedTransaction, Floor: r.Floor}
	if _, err := expect.verified(ctx, s.c, inner); err != nil {
		return nil, err
	}
	r.Data.PreparedTransaction = inner.Data
	if r.Data.FundRequestID != r.Data.TransactionID {
		return nil, tampered(ReasonResult, "the request is another transaction than the one prepared")
	}
	return checked(&r.Data, s.c.Transactions.notePrepared(ctx, expect, &r.Data.PreparedTransaction))
}

// fundingExpected is the transfer that the body has to be. Its receiver is the wallet that the enclave made with the
// agent.
func (s *AgentsService) fundingExpected(
	ctx context.Context, agentID string, req FundAgentRequest,
) (*expectation, error) {
	n, err := s.c.network(0, req.Network)
	if err != nil {
		return nil, err
	}
	token, ok := n.TokenBySymbol("USDC")
	if !ok {
		return nil, fmt.Errorf("railkit: %s has no USDC", n.Slug)
	}
	to, err := s.provenAddress(ctx, agentID, n.Kind)
	if err != nil {
		return nil, err
	}
	return s.c.Transactions.expectation(PrepareTransactionRequest{
		Type: TransferToken, SignWith: req.From, Network: n.Slug, To: to, TokenAddress: token.Address,
		Amount: req.Amount, FeeLimit: req.FeeLimit,
	})
}

// provenAddress is the first address, for a kind of network, of the wallet that the enclave made for an agent: as it
// says in the proof of that, or of an account that was added to this wallet later.
func (s *AgentsService) provenAddress(ctx context.Context, agentID string, kind chain.Kind) (string, error) {
	is, err := s.Wallet(ctx, agentID)
	if err != nil {
		return "", err
	}
	w, err := s.c.Wallets.Get(ctx, is.WalletID)
	if err != nil {
		return "", err
	}
	st, err := s.c.verify.open(w.Proof, wire.KindResult)
	if err != nil {
		return "", err
	}
	r := st.Result
	if st.Activity != wire.CreateAgent || r == nil || r.Agent == nil || r.Agent.ID != agentID ||
		len(r.Accounts) == 0 || r.Accounts[0].WalletID != is.WalletID {
		return "", tampered(ReasonResult, "the wallet is not the one that the enclave made for the agent")
	}
	for _, a := range r.Accounts {
		if f, ok := families.OfFormat(a.AddressFormat); ok && f.Kind() == kind {
			return a.Address, nil
		}
	}
	return s.c.addedAddress(ctx, w, kind)
}

// addedAddress is the first address, for a kind of network, of those that were added to a wallet.
func (c *Client) addedAddress(ctx context.Context, w *Wallet, kind chain.Kind) (string, error) {
	for _, a := range w.Addresses {
		f, ok := families.OfFormat(a.AddressFormat)
		if !ok || f.Kind() != kind {
			continue
		}
		added, err := c.Addresses.Get(ctx, w.WalletID, a.WalletAccountID)
		if err != nil {
			return "", err
		}
		return added.Address, nil
	}
	return "", fmt.Errorf("railkit: the agent's wallet has no account for %s networks: add one to wallet %s", kind,
		w.WalletID)
}

// ConfirmFunding hands in the stamp, and checks that the signed transaction is the one the enclave made of the body.
func (s *AgentsService) ConfirmFunding(
	ctx context.Context, agentID, fundRequestID string, signed SignedActivity,
) (*Funding, error) {
	if err := s.c.Transactions.notePaid(ctx, fundRequestID); err != nil {
		return nil, err
	}
	r, err := send[Funding](ctx, s.c, request{
		method: http.MethodPost, path: agentPath(agentID, "/fund/confirm"),
		body: map[string]any{"fundRequestId": fundRequestID, "signedActivity": signed},
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	if r.Data.TransactionID != fundRequestID || !sameBytes(r.Data.Signature, r.Data.SignedTransaction) {
		return nil, tampered(ReasonResult, "the answer is another transaction than was confirmed")
	}
	st, err := s.c.verify.result(r.Data.Proof, signed.Body, wire.SignIntent)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchSigned(&r.Data.Transaction, st))
}

// AgentExposure is what was signed for an agent and may still leave its wallet, also after it was killed.
type AgentExposure struct {
	AgentID          string `json:"agentId"`
	Status           string `json:"status"`
	OpenExposureUSDC string `json:"openExposureUsdc"` // of all that is listed; "0": nothing can leave any more
	OutstandingList
}

// Exposure lists what was signed for an agent and may still land. The enclave's proofs name all of it and each amount:
// the server can hide none, but for what it says is mined (Mined).
func (s *AgentsService) Exposure(ctx context.Context, agentID string) (*AgentExposure, error) {
	r, err := send[AgentExposure](ctx, s.c, request{method: http.MethodGet, path: agentPath(agentID, "/exposure")})
	if err != nil {
		return nil, err
	}
	x := &r.Data
	if err := s.c.verify.freshList(
		&x.OutstandingList, wire.LentRequest{AgentID: agentID}, x.AgentID == agentID, r.Floor); err != nil {
		return nil, err
	}
	if s.c.verify != nil && x.OpenExposureUSDC != x.sum() {
		return nil, tampered(ReasonResult, "the exposure is not the sum of what is listed")
	}
	return x, nil
}

// sum adds up amounts that were found to be the enclave's.
func (x *AgentExposure) sum() string {
	total := new(big.Int)
	add := func(text string) {
		if n, err := chain.ParseUnits(text, 6); err == nil {
			total.Add(total, n)
		}
	}
	for _, t := range x.Transactions {
		add(t.AmountUSDC)
	}
	for _, a := range x.Authorizations {
		add(a.AmountUSDC)
	}
	return usdc(total)
}

// AgentAuditOptions select entries. What is empty selects all.
type AgentAuditOptions struct {
	ListOptions
	Type   string // budget | lifecycle | credential | approval | payment
	Period string // 24h | 7d | 30d
	Status string // success | failed
}

// Audit reads one page of what happened to an agent and what it did, newest first.
func (s *AgentsService) Audit(
	ctx context.Context, agentID string, o AgentAuditOptions,
) (*Page[AgentAuditEntry], error) {
	q := filtered(o.query(), map[string]string{"type": o.Type, "period": o.Period, "status": o.Status})
	return list[AgentAuditEntry](ctx, s.c, agentPath(agentID, "/audit"), q, nil)
}

// AllAudit goes through all pages.
func (s *AgentsService) AllAudit(
	ctx context.Context, agentID string, o AgentAuditOptions,
) iter.Seq2[AgentAuditEntry, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[AgentAuditEntry], error) {
		o.ListOptions = page
		return s.Audit(ctx, agentID, o)
	})
}

// Approvals reads one page of agents' payments that wait for a passkey, newest first; with a status those that were
// decided. Vote on them as on any approval: Client.Approvals.
func (s *AgentsService) Approvals(ctx context.Context, o ListOptions, status string) (*Page[Approval], error) {
	q := o.query()
	if status != "" {
		q.Set("status", status)
	}
	return list(ctx, s.c, agentsPath+"/approvals", q, func(a *Approval) error {
		_, err := s.c.Approvals.check(a)
		return err
	})
}

// AgentPeriod chooses what analytics tell of.
type AgentPeriod string

// The periods.
const (
	PeriodDay   AgentPeriod = "day"
	PeriodWeek  AgentPeriod = "week"  // today and the six days before
	PeriodMonth AgentPeriod = "month" // the calendar month so far, UTC
)

// Budget tells what is left of an agent's budget.
func (s *AgentsService) Budget(ctx context.Context, agentID string) (*AgentBudgetStatus, error) {
	return data[AgentBudgetStatus](ctx, s.c, http.MethodGet, agentPath(agentID, "/budget"), nil)
}

// Analytics tells what an agent spent and did, day by day.
func (s *AgentsService) Analytics(ctx context.Context, agentID string, p AgentPeriod) (*AgentAnalytics, error) {
	r, err := send[AgentAnalytics](ctx, s.c, request{
		method: http.MethodGet, path: agentPath(agentID, "/analytics"), query: url.Values{"period": {string(p)}},
	})
	return &r.Data, err
}

// Summary tells what each agent of the workspace spent and did, a page at a time.
func (s *AgentsService) Summary(ctx context.Context, p AgentPeriod, at ListOptions) (*Page[AgentActivity], error) {
	q := at.query()
	q.Set("period", string(p))
	return list[AgentActivity](ctx, s.c, agentsPath+"/analytics/summary", q, nil)
}

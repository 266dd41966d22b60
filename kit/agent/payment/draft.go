package payment

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// draft plans the transaction that an agent asks for, and writes its body.
func (s *Service) draft(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, id string,
) (transaction.Transaction, error) {
	if err := s.c.Budget.Running(ctx, a); err != nil {
		return transaction.Transaction{}, err
	}
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	claim := cmd.Principal.Claim
	in, err := s.read(a, claim.Body)
	if err != nil {
		return transaction.Transaction{}, err
	}
	p, err := s.c.Planner.Plan(asking, a.WorkspaceID, in)
	if err != nil {
		return transaction.Transaction{}, s.lacksCoin(err, in.Network)
	}
	d := activity.Draft{
		Kind: wire.AgentPayment, Owner: p.Wallet.Owner(), ID: id,
		Params: wire.AgentPaymentParams{
			AgentCall: signer.Call(a.AgentID, claim),
			GasLimit:  strconv.FormatUint(p.Tx.Gas, 10), MaxTotalFee: p.MaxFee.String(), MaxRent: p.RentText(),
		},
	}
	if err := s.c.Activities.Write(&d); err != nil {
		return transaction.Transaction{}, err
	}
	proof, _, err := s.c.Enclave.Preview(ctx, d.Body)
	if err != nil {
		return transaction.Transaction{}, err
	}
	d.Preview = rest.Proof(proof)
	t, _, err := transaction.Planned(p, d, plan.AgentPayment)
	return t, err
}

// read reads an agent's request as the enclave will read it, so that whatever is wrong is told by its name.
func (s *Service) read(a wire.AgentReply, raw []byte) (plan.PrepareTransactionInput, error) {
	in := plan.PrepareTransactionInput{Type: plan.TransferToken}
	var q wire.PaymentRequest
	if err := json.Unmarshal(raw, &q); err != nil {
		return in, fault.Field("body", "must be a JSON object").Because(err)
	}
	network, token, ok := s.c.Nodes.USDC(q.Cluster)
	if !ok {
		return in, fault.Field("cluster", s.c.Nodes.WhyNoUSDC(q.Cluster))
	}
	family, _ := s.c.Nodes.Family(network.Slug)
	if q.TokenMint != token.Symbol && family.Lookup(q.TokenMint) != family.Lookup(token.Address) {
		return in, fault.Field("token_mint", "must be "+token.Symbol+", or its address on the network of cluster: "+
			token.Address)
	}
	micro, ok := new(big.Int).SetString(q.Amount, 10)
	if !ok || micro.Sign() <= 0 || micro.String() != q.Amount {
		return in, fault.Field("amount",
			"must be a whole number of the token's smallest unit, above 0: 10000 are 0.01 "+token.Symbol)
	}
	to, err := family.ParseAddress(q.Destination)
	if err != nil {
		return in, fault.Field("destination", "must be an address ("+family.Form().Typed+")")
	}
	if in.SignWith = a.AddressOn(network.Kind); in.SignWith == "" {
		return in, fault.Field("cluster", call.WithoutAccount(a, network))
	}
	in.Network, in.To, in.TokenAddress = network.Slug, to, token.Address
	in.Amount = chain.FormatUnits(micro, token.Decimals)
	return in, nil
}

// lacksCoin says it in words where an agent's wallet has too little of the network's coin: its owner has funded it with
// USDC, and fees are paid with something else.
func (s *Service) lacksCoin(err error, network string) error {
	n, _ := s.c.Nodes.BySlug(network)
	f, ok := fault.As(err)
	if !ok || !errors.Is(f, plan.ErrInsufficientBalance) || f.Details["asset"] != n.Native.Symbol {
		return err
	}
	c := *f
	c.Message = "The agent's wallet has too little " + n.Native.Symbol +
		" for what the network takes: the fee, and on Solana an account of the payee's. Its owner can send it some"
	return &c
}

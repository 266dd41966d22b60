package demo

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Who pays in, and what.
const (
	depositor = "Bruno Gil"
	paidIn    = "5000.00" // of the depositor's currency
	recalled  = "1000.01" // a magic amount: the depositor's bank takes it back
)

// payIns are what the steps about money from a bank hand on.
type payIns struct {
	account *railkit.DepositAccount
	first   *railkit.OrderDetail // the one that is shown line by line
	before  money.Amount         // that the wallet had
	after   money.Amount
	block   *big.Int // that has the coins, says the node
}

func (s *story) payInSteps() []step {
	return []step{
		{"A bank account number for the wallet", s.addNumber},
		{"5000 " + fiat + " come from a bank", s.payIn},
		{"A bank takes " + recalled + " " + fiat + " back", s.takeBack},
	}
}

// addNumber asks for a CLABE whose deposits go to the wallet. The client refuses one that leads to another address.
func (s *story) addNumber(ctx context.Context) (string, error) {
	var err error
	s.in.account, err = s.client.DepositAccounts.Create(ctx, railkit.DepositAccountRequest{
		WalletID: s.wallet.WalletID, SourceCurrency: "mxn", DestinationCurrency: "usdc", Chain: network,
	})
	if err != nil {
		return "", err
	}
	told := s.in.account.SourceDepositInstructions
	if told == nil || len(told.CLABE) != 18 || !strings.EqualFold(s.in.account.DestinationAddress, s.account.Address) {
		return "", errors.New("the account has no CLABE, or leads to another address than the wallet's")
	}
	return "CLABE " + told.CLABE, nil
}

// fromBank has a bank transfer arrive, and waits for its end.
func (s *story) fromBank(ctx context.Context, amount string) (*railkit.OrderDetail, error) {
	came, err := s.client.Sandbox.BankDeposit(ctx, railkit.BankDepositRequest{
		Number: s.in.account.SourceDepositInstructions.CLABE, Amount: amount, SenderName: depositor,
	})
	if err != nil {
		return nil, err
	}
	return s.client.Orders.WaitSettlement(ctx, came.PartnerDepositID, s.Poll)
}

// payIn pays the CLABE, and does nothing else. That the coins are in the wallet is the node's word.
func (s *story) payIn(ctx context.Context) (string, error) {
	var err error
	if s.in.before, err = s.usdc(ctx); err != nil {
		return "", err
	}
	o, err := s.fromBank(ctx, paidIn)
	if err != nil {
		return "", err
	}
	if o.Status != railkit.OrderCompleted || o.PayIn == nil || !o.PayIn.SettlementFinal || o.Explanation == nil {
		return "", fmt.Errorf("the order is %s", o.Status)
	}
	if s.in.after, err = s.usdc(ctx); err != nil {
		return "", err
	}
	r := reader{}
	if r.sum(s.in.before, r.usdc(o.Explanation.Net)) != s.in.after || r.err != nil {
		return "", fmt.Errorf("the wallet had %s and has %s, not %s more (%w)",
			s.in.before.Display(), s.in.after.Display(), o.Explanation.Net, orNothing(r.err))
	}
	if s.in.block, err = s.node().block(ctx, o.PayIn.SettlementTxHash); err != nil {
		return "", err
	}
	s.in.first = o
	return o.Explanation.Net + " " + token + " on chain", nil
}

// takeBack is about a bank transfer that the depositor's bank takes back before it is changed into coins.
func (s *story) takeBack(ctx context.Context) (string, error) {
	o, err := s.fromBank(ctx, recalled)
	if err != nil {
		return "", err
	}
	if o.Status != railkit.OrderReturned || o.PayIn == nil || o.PayIn.ReturnedAmount != recalled {
		return "", fmt.Errorf("the order is %s", o.Status)
	}
	has, err := s.usdc(ctx)
	if err == nil && has != s.in.after {
		err = fmt.Errorf("the wallet had %s and has %s", s.in.after.Display(), has.Display())
	}
	return "returned, no coins sent", err
}

// inWords spells a reason of the partner's as one reads it: returned_by_the_senders_bank.
func inWords(reason string) string {
	return strings.NewReplacer("_", " ", "senders_bank", "sender's bank").Replace(reason)
}

// enterIn adds the line of an order that a bank transfer to the wallet's own number made.
func (st *statement) enterIn(o *railkit.OrderDetail) error {
	r, p := reader{}, o.PayIn
	gross := r.mxn(p.Amount)
	st.sums.came = r.sum(st.sums.came, gross)
	switch o.Status {
	case railkit.OrderReturned:
		st.sums.given = r.sum(st.sums.given, r.mxn(p.ReturnedAmount))
		st.add(o, "payin.received", o.Reference, gross.Display()+", "+p.Sender, r.usdc("0"),
			"went back "+clockOf(o, "payin.returned")+": "+inWords(p.Reason))
		return r.err
	case railkit.OrderCompleted:
	default:
		return fmt.Errorf("%s is %s", o.Reference, o.Status)
	}
	e := o.Explanation
	if e == nil {
		return fmt.Errorf("%s does not say where its money is", o.Reference)
	}
	fees, bought := r.sum(r.mxn(e.Network), r.mxn(e.Platform)), r.usdc(e.Net)
	st.sums.taken = r.sum(st.sums.taken, fees)
	st.sums.spent, st.sums.bought = r.sum(st.sums.spent, r.mxn(e.Converted)), r.sum(st.sums.bought, bought)
	st.add(o, "crypto.detected", o.Reference, gross.Display()+", "+p.Sender, bought,
		"settled "+clockOf(o, "crypto.confirmed")+", at "+e.Rate+", fees "+fees.String()+", SPEI "+short(p.Trace))
	return r.err
}

// payInOrders are all orders of the wallet's account number, with their timelines.
func (s *story) payInOrders(ctx context.Context) ([]*railkit.OrderDetail, error) {
	if s.in.account == nil { // a test's own world has no bank
		return nil, nil
	}
	return s.whole(ctx, railkit.OrderListOptions{Reference: s.in.account.Reference})
}

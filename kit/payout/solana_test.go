package payout_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/statement"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
)

const (
	solanaWallet = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g" // where refunds go on Solana
	solanaPayer  = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"
	solanaTx     = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
	solanaMint   = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
)

// onSolana makes a transfer one of Solana.
func onSolana(t *watch.Transfer) {
	t.Chain, t.Tx, t.Token, t.From = "solana", solanaTx, solanaMint, solanaPayer
}

// paidOnSolana is an order that a deposit of 100 on Solana opened, and that can be paid out.
func (r *rig) paidOnSolana(token money.Currency, change ...func(*watch.Transfer)) (withdraw.Address, order.Order) {
	r.t.Helper()
	a := r.addressOn("wallet", "solana", token)
	named := func(t *watch.Transfer) { t.Symbol = token.Upper() }
	r.arrive(a, "t1", "100000000", watch.Final, append([]func(*watch.Transfer){onSolana, named}, change...)...)
	r.take("t1")
	r.desk.holds = token
	r.desk.receives(100_000_000)
	return a, r.orderOf("t1")
}

// Money that comes in on Solana goes to the bank, and back where the bank sends it back: in each stablecoin, to the
// address that is spelled as the wallet's.
func TestPayout_OnSolana(t *testing.T) {
	t.Parallel()
	for _, token := range []money.Currency{money.USDC, money.USDT} {
		r := newRig(t)
		a, o := r.paidOnSolana(token)
		if o.Chain != "solana" || o.Source != token || o.Deposit.Hash != solanaTx || o.Deposit.From != solanaPayer ||
			o.Deposit.Required != 1 || !o.Deposit.Final || o.ReturnAddress != solanaWallet {
			t.Fatalf("%+v %+v", o, o.Deposit)
		}
		o, _ = r.advance(o.ID)
		r.want("submitted", o, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.want("completed", o, order.Completed)
		if d := r.drain(a, "t1"); d.State != "completed" || d.DepositTxHash != solanaTx || d.Chain != "solana" ||
			d.RequiredConfirmations != 1 {
			t.Errorf("%+v", d)
		}
		r.desk.moves(fiat.TransferRefunded, 99_250_000)
		o, _ = r.advance(o.ID)
		r.want("returned", o, order.Returned)
		sent := r.desk.transfers[o.Refund.TransferID]
		if o.Refund.Address != solanaWallet || sent.ToAddress != solanaWallet || sent.Source.Currency != token {
			t.Errorf("%+v, sent %+v", o.Refund, sent)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		if o.Refund.Status != order.RefundCompleted {
			t.Errorf("%+v", o.Refund)
		}
		r.has(ledger.Order(o.ID), token, 0)
		r.sums()
	}
}

// An order is found by the signature that paid for it, as it is written on the chain.
func TestPayout_OnSolanaByReference(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.paidOnSolana(money.USDC)
	found, err := r.store.Order(t.Context(), ws, solanaTx)
	if err != nil || found.ID != o.ID {
		t.Errorf("%s, %v", found.ID, err)
	}
}

// A refund that the partner says it sent to an address whose letters have another case went to somebody else.
func TestPayout_OnSolanaRefundElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.paidOnSolana(money.USDC)
	o, _ = r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	r.advance(o.ID)
	r.desk.moves(fiat.TransferRefunded, 99_250_000)
	r.desk.lie = func(t *fiat.Transfer) { t.ToAddress = strings.ToLower(t.ToAddress) }
	o, again := r.advance(o.ID)
	if o.Refund == nil || o.Refund.Status != order.RefundPending || again != transfer.Slowly {
		t.Errorf("%+v, looked at again in %v", o.Refund, again)
	}
	if !strings.Contains(r.log.String(), "address") {
		t.Errorf("nobody is told: %s", r.log.Tail(5))
	}
}

// What the partner gives as an address on Solana has to be one that somebody can have the key of.
func TestPayout_OnSolanaAddressThatIsNone(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"of EVM":    "0x00000000000000000000000000000000000a0001",
		"a mint":    solanaMint,
		"a program": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
		"too short": solanaWallet[8:],
	} {
		r := newRig(t)
		r.desk.says = says
		_, err := r.Addresses.Create(t.Context(), call(), rest.WithdrawAddressRequest{
			BeneficiaryAccountID: r.account.ID, Chain: "solana", Currency: "usdc",
		})
		if !errors.Is(err, fiat.ErrLater) && !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
		a, err := r.store.WithdrawAddressOf(t.Context(), ws, r.account.ID, "solana", money.USDC)
		if err != nil || a.Address != "" {
			t.Errorf("%s: the address is %q, %v", name, a.Address, err)
		}
	}
}

// What comes to an address and is not its coin is paid out by nobody, and leaves a trace.
func TestPayout_OnSolanaAnotherCoin(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*watch.Transfer){
		"SOL":  func(t *watch.Transfer) { t.Token, t.Symbol, t.Decimals = "", "SOL", 9 },
		"USDT": func(t *watch.Transfer) { t.Token, t.Symbol = "7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD", "USDT" },
	} {
		r := newRig(t)
		a := r.addressOn("wallet", "solana", money.USDC)
		r.arrive(a, "t1", "100000000", watch.Final, onSolana, change)
		r.take("t1")
		r.take("t1")
		d := r.drain(a, "t1")
		if d.Status != "canceled" || d.Reason != "wrong_token" || d.Currency != strings.ToLower(name) ||
			d.OrderID != "" {
			t.Errorf("%s: %+v", name, d)
		}
		if n := strings.Count(r.log.String(), "what nobody pays out"); n != 1 {
			t.Errorf("%s: told %d times\n%s", name, n, r.log)
		}
		r.has(ledger.Held(a.ID), money.USDC, 0)
		r.sums()
	}
}

// A partner that says its wallet has another coin than the one that came in does not get the payout asked of it.
func TestPayout_OnSolanaPartnerHasAnotherCoin(t *testing.T) {
	t.Parallel()
	for _, holds := range []money.Currency{money.USDT, "usdc2"} {
		r := newRig(t)
		_, o := r.paidOnSolana(money.USDC)
		r.desk.holds = holds
		r.advance(o.ID)
		r.clock.move(2 * transfer.FundsAfter)
		o, _ = r.advance(o.ID)
		r.want("its coin is not there", o, order.InReview)
		if o.Hold != order.HoldFunds || r.desk.paid() != 0 {
			t.Errorf("held for %q, paid %d times", o.Hold, r.desk.paid())
		}
	}
}

// Whoever pays together with others is asked about as whoever pays alone.
func TestPayout_OnSolanaSeveralSenders(t *testing.T) {
	t.Parallel()
	r, list := screens(t, map[string][]string{solanaPayer: {"sdn-3"}})
	together := func(t *watch.Transfer) { t.From, t.Senders = "", []string{solanaWallet, solanaPayer} }
	_, o := r.paidOnSolana(money.USDC, together)
	o, _ = r.advance(o.ID)
	r.heldFor("one of two", o, "sender address: sdn-3")
	var asked []string
	for _, s := range list.asked {
		if s.Chain == "solana" {
			asked = append(asked, s.Value)
		}
	}
	if !slices.Contains(asked, solanaWallet) || !slices.Contains(asked, solanaPayer) {
		t.Errorf("asked about %q", asked)
	}
}

// What came in on Solana and went to a bank is held against the nodes of Solana, the partner and the ledger, by the
// signature as it is spelled, and is in the sums of statements beside what came in on other networks.
func TestPayout_OnSolanaInTheBooks(t *testing.T) {
	t.Parallel()
	m := newMatcher(t)
	m.pays(m.address("wallet"), "t1")
	o := m.pays(m.addressOn("wallet", "solana", money.USDC), "t2", onSolana)
	m.clock.move(time.Hour)
	if got := m.found(); got != nil {
		t.Fatalf("differences where there are none: %q", got)
	}
	m.nodes.gone = []string{"t2"}
	want := []string{"chain | " + o.Reference + ", deposit " + solanaTx + " | in block 100 | not on the node's chain"}
	if got := m.found(); !slices.Equal(got, want) {
		t.Errorf("the chain lost it:\n got %q\nwant %q", got, want)
	}
	m.nodes.gone = nil
	for i, d := range m.desk.drains {
		if d.DepositHash == solanaTx {
			m.desk.drains[i].DepositHash = strings.ToLower(solanaTx)
		}
	}
	want = []string{
		"drain | " + o.Reference + ", deposit " + solanaTx + " | 100.00 USDC | nothing",
		"drain | deposit " + strings.ToLower(solanaTx) + " | nothing | 100.00 USDC, payment_processed",
	}
	if got := m.found(); !slices.Equal(got, want) {
		t.Errorf("the partner names another:\n got %q\nwant %q", got, want)
	}
	day := statement.Span{From: m.clock.Now().Add(-24 * time.Hour), To: m.clock.Now()}
	sums, err := statement.New(m.store).Get(t.Context(), statement.Scope{WorkspaceID: ws}, day, false)
	if err != nil || len(sums.Balances) != 1 || sums.Balances[0].MoneyIn != "200.000000" ||
		sums.Balances[0].Closing != "0.000000" {
		t.Errorf("%+v, %v", sums.Balances, err)
	}
}

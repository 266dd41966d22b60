package match_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

var (
	now    = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	old    = now.Add(-time.Hour)
	young  = now.Add(-time.Minute)
	gross  = money.Of(100_000_000, money.USDC)
	net    = money.Of(182694, money.MXN)
	rested = money.Of(99_250_000, money.USDC)
)

// scene is a wallet at which three things happened: a payout that is completed, one
// that came back and was refunded, and dust.
type scene struct{ match.Sides }

func newScene() *scene {
	s := &scene{match.Sides{Orders: map[string]order.Order{}, Transfers: map[string]fiat.Transfer{}}}
	paid := s.order("A", order.Completed)
	s.Transfers["tA"] = fiat.Transfer{
		ID: "tA", Reference: "OFR-A:1", State: fiat.TransferProcessed, Source: gross, Destination: net, CreatedAt: old,
		UpdatedAt: old,
	}
	back := s.order("B", order.Returned)
	back.Refund = &order.Refund{
		Reference: "RFD-B", Status: order.RefundCompleted, Amount: rested, Address: "0xAb", TransferID: "rB",
	}
	s.Orders["B"], s.Orders["A"] = back, paid
	s.Transfers["tB"] = fiat.Transfer{
		ID: "tB", Reference: "OFR-B:1", State: fiat.TransferRefunded, Source: gross, Destination: net, Refunded: rested,
		CreatedAt: old, UpdatedAt: old,
	}
	s.Transfers["rB"] = fiat.Transfer{
		ID: "rB", Reference: "RFD-B:1", State: fiat.TransferProcessed, Source: rested, Destination: rested,
		ToAddress: "0xaB", CreatedAt: old, UpdatedAt: old,
	}
	dust := s.deposit("D", "300000", money.Of(300_000, money.USDC))
	dust.Reason, dust.Booked, dust.OrderID = "dust", true, ""
	s.Deposits[2] = dust
	s.Ledger = []match.Held{{Currency: money.USDC, Posted: 300_000}}
	s.Balances = []money.Amount{money.Of(300_000, money.USDC)}
	return s
}

func (s *scene) deposit(id, smallest string, a money.Amount) match.Deposit {
	d := match.Deposit{PartnerAddressID: "la", OrderID: id, Transfer: watch.Transfer{
		ID: "d" + id, Tx: "0x" + id, Symbol: "USDC", Decimals: 6, Amount: smallest, State: watch.Final, BlockNumber: 7,
		FinalAt: old,
	}}
	s.Deposits = append(s.Deposits, d)
	s.Drains = append(s.Drains, fiat.Drain{
		ID: "n" + id, AddressID: "la", Amount: a, State: "payment_processed", DepositHash: "0x" + id, At: old,
	})
	return d
}

func (s *scene) order(id string, status order.Status) order.Order {
	s.deposit(id, "100000000", gross)
	return order.Order{
		ID: id, Reference: "OFR-" + id, Status: status, Terms: order.Terms{Gross: gross, Net: net}, UpdatedAt: old,
		Deposit: &order.Deposit{TransferID: "d" + id, Hash: "0x" + id, Amount: gross, Final: true},
		Payout:  order.Payout{TransferID: "t" + id},
	}
}

func usdc(minor int64) money.Amount { return money.Of(minor, money.USDC) }

// edit changes a transfer of the partner's.
func (s *scene) edit(id string, change func(*fiat.Transfer)) {
	t := s.Transfers[id]
	change(&t)
	s.Transfers[id] = t
}

func (s *scene) lines() (all []string) {
	for _, d := range match.Compare(s.Sides, now).Differences {
		all = append(all, fmt.Sprint(d.Check, " | ", d.About, " | ", d.Want, " | ", d.Got))
	}
	return all
}

// planted is what can go wrong, and what is said then.
var planted = map[string]struct {
	plant func(*scene)
	want  []string
}{
	"nothing": {func(*scene) {}, nil},
	"an attempt that was canceled, and another": {func(s *scene) {
		s.Transfers["t0"] = fiat.Transfer{
			ID: "t0", Reference: "OFR-A:0", State: fiat.TransferCanceled, Source: gross, UpdatedAt: old,
		}
	}, nil},
	"a rate that nobody told": {func(s *scene) {
		o := s.Orders["A"]
		o.Labels, o.CompletedAt = []order.Label{order.OffRate}, old
		s.Orders["A"] = o
	}, []string{"rate | OFR-A, transfer tA | about the rate that the partner had told | "}},
	"a refund that arrived as less": {func(s *scene) {
		s.edit("rB", func(t *fiat.Transfer) { t.Destination = usdc(50_000_000) })
	}, []string{"refund | RFD-B, transfer rB, given back | 99.25 USDC | 50.00 USDC"}},
	"what was set aside is gone": {func(s *scene) {
		s.Deposits[2].State = watch.Dropped
	}, []string{
		"chain | deposit 0xD, dust | 0.30 USDC | nothing: no block has it",
		"drain | deposit 0xD | nothing | 0.30 USDC, payment_processed",
	}},
	"a deposit is gone, which the books tell": {func(s *scene) {
		s.Deposits[0].State = watch.Dropped
		s.Orders["A"].Deposit.Gone = true
	}, []string{"drain | deposit 0xA | nothing | 100.00 USDC, payment_processed"}},
	"a deposit is gone, and covered": {func(s *scene) {
		s.Deposits[0].State = watch.Dropped
		s.Orders["A"].Deposit.Gone, s.Orders["A"].Deposit.Covered = true, true
	}, nil},
	"a deposit without an order": {func(s *scene) {
		delete(s.Orders, "A")
		delete(s.Transfers, "tA")
	}, []string{"deposit | deposit 0xA | 100.00 USDC for an order | no order"}},
	"an order of another amount": {func(s *scene) {
		s.Orders["A"].Deposit.Amount = rested
	}, []string{"deposit | OFR-A, deposit 0xA | 100.00 USDC | 99.25 USDC"}},
	"a deposit that the order has not taken in": {func(s *scene) {
		s.Orders["A"].Deposit.Final = false
	}, []string{"deposit | OFR-A, deposit 0xA | 100.00 USDC for the order | an order that has not taken it in"}},
	"dust that is not booked": {func(s *scene) {
		s.Deposits[2].Booked = false
	}, []string{"deposit | deposit 0xD, dust | 0.30 USDC in the ledger | nothing"}},
	"a final deposit that was dropped": {func(s *scene) {
		s.Deposits[0].State, s.Drains = watch.Dropped, s.Drains[1:]
	}, []string{"chain | OFR-A, deposit 0xA | 100.00 USDC | nothing: no block has it"}},
	"a deposit that no block ever had": {func(s *scene) {
		s.Deposits, s.Drains = s.Deposits[1:], s.Drains[1:]
	}, []string{"chain | OFR-A, deposit 0xA | 100.00 USDC | nothing: no block has it"}},
	"a deposit that the node lost": {func(s *scene) {
		s.Deposits[1].Gone = true
	}, []string{"chain | OFR-B, deposit 0xB | in block 7 | not on the node's chain"}},
	"a deposit that the partner never saw": {func(s *scene) {
		s.Drains = s.Drains[1:]
	}, []string{
		"drain | OFR-A, deposit 0xA | 100.00 USDC | nothing",
	}},
	"a deposit that the partner counts differently": {func(s *scene) {
		s.Drains[0].Amount = rested
	}, []string{"drain | OFR-A, deposit 0xA | 100.00 USDC | 99.25 USDC"}},
	"a deposit that the partner keeps from the wallet": {func(s *scene) {
		s.Drains[2].State = "in_review"
	}, []string{"drain | deposit 0xD | 0.30 USDC, payment_processed | 0.30 USDC, in_review"}},
	"a deposit that only the partner saw": {func(s *scene) {
		s.Drains = append(s.Drains, fiat.Drain{
			ID: "x", AddressID: "la", Amount: gross, State: "payment_processed", DepositHash: "0xE", At: old,
		})
	}, []string{"drain | deposit 0xE | nothing | 100.00 USDC, payment_processed"}},
	"a deposit that the partner has twice": {func(s *scene) {
		s.Drains = append(s.Drains, s.Drains[0])
	}, []string{"drain | deposit 0xA | nothing | 100.00 USDC, payment_processed"}},
	"a payout that the partner does not know": {func(s *scene) {
		delete(s.Transfers, "tA")
	}, []string{"payout | OFR-A, transfer tA | 100.00 USDC | no such transfer"}},
	"a payout of another order's": {func(s *scene) {
		s.edit("tA", func(t *fiat.Transfer) { t.Reference = "OFR-AA:1" })
	}, []string{"payout | OFR-A, transfer tA | reference OFR-A | another reference"}},
	"a payout that took more": {func(s *scene) {
		s.edit("tA", func(t *fiat.Transfer) { t.Source.Minor++ })
	}, []string{"payout | OFR-A, transfer tA, taken | 100.00 USDC | 100.000001 USDC"}},
	"a quote's payout that took more than it cost": {func(s *scene) {
		o := s.Orders["A"]
		o.Source, o.Terms.Quoted, o.Terms.Platform, o.Terms.Network = money.USDC, true, usdc(750_000), usdc(0)
		o.Payout.Converted, o.Payout.Taken = rested, usdc(149_250_000)
		s.Orders["A"] = o
		s.edit("tA", func(t *fiat.Transfer) { t.Source = usdc(150_000_000) })
	}, []string{"payout | OFR-A, transfer tA, taken | 100.00 USDC | 150.00 USDC"}},
	"a payout that paid less": {func(s *scene) {
		s.edit("tA", func(t *fiat.Transfer) { t.Destination.Minor-- })
	}, []string{"payout | OFR-A, transfer tA, paid | 1826.94 MXN | 1826.93 MXN"}},
	"a payout that came back": {func(s *scene) {
		s.edit("tA", func(t *fiat.Transfer) { t.State, t.Refunded = fiat.TransferRefunded, rested })
		s.Balances[0].Minor += rested.Minor
	}, []string{"payout | OFR-A, transfer tA, completed | payment_processed | refunded"}},
	"a payout that arrived, and we do not know": {func(s *scene) {
		o := s.Orders["A"]
		o.Status = order.PaymentSubmitted
		s.Orders["A"] = o
	}, []string{"payout | OFR-A, transfer tA, payment_submitted | under way | payment_processed"}},
	"a payout that did not come back": {func(s *scene) {
		s.edit("tB", func(t *fiat.Transfer) { t.State = fiat.TransferProcessed })
	}, []string{"payout | OFR-B, transfer tB, returned | refunded | payment_processed"}},
	"a refund to an address that differs in case, where that is another one": {func(s *scene) {
		s.Orders["B"].Refund.Address = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
		s.edit("rB", func(t *fiat.Transfer) { t.ToAddress = "9b5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g" })
	}, []string{"refund | RFD-B, transfer rB | to 9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g" +
		" | to 9b5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"}},
	"a deposit of a transaction that differs in case, where that is another one": {func(s *scene) {
		s.Deposits[0].Tx, s.Drains[0].DepositHash = "5VERv8", "5vERv8"
	}, []string{
		"drain | OFR-A, deposit 5VERv8 | 100.00 USDC | nothing",
		"drain | deposit 5vERv8 | nothing | 100.00 USDC, payment_processed",
	}},
	"a deposit that the partner tells in parts": {func(s *scene) {
		part := s.Drains[0]
		part.ID, part.Amount = "nA2", usdc(40_000_000)
		s.Drains[0].Amount = usdc(60_000_000)
		s.Drains = append(s.Drains, part)
	}, nil},
	"a deposit of which the partner credited a part": {func(s *scene) {
		part := s.Drains[0]
		part.ID, part.Amount, part.State = "nA2", usdc(40_000_000), "in_review"
		s.Drains[0].Amount = usdc(60_000_000)
		s.Drains = append(s.Drains, part)
	}, []string{"drain | OFR-A, deposit 0xA | 100.00 USDC, payment_processed | 100.00 USDC, in_review"}},
	"a deposit that the partner tells in more parts than it has": {func(s *scene) {
		s.Drains[0].Amount = usdc(60_000_000)
		s.Drains = append(s.Drains, s.Drains[0])
	}, []string{
		"drain | OFR-A, deposit 0xA | 100.00 USDC | 60.00 USDC",
		"drain | deposit 0xA | nothing | 60.00 USDC, payment_processed",
	}},
	"a deposit that the partner tells of another coin": {func(s *scene) {
		s.Drains[0].Amount = money.Of(100_000_000, money.USDT)
	}, []string{
		"drain | OFR-A, deposit 0xA | 100.00 USDC | nothing",
		"drain | deposit 0xA | nothing | 100.00 USDT, payment_processed",
	}},
	"a deposit that the partner tells of a coin that looks alike": {func(s *scene) {
		s.Drains[0].Amount = money.Of(0, "usdc2")
	}, []string{"drain | OFR-A, deposit 0xA | 100.00 USDC | nothing"}},
	"coins that nobody counts at an address": {func(s *scene) {
		d := s.deposit("S", "5000000", money.Of(0, "sol"))
		d.Symbol, d.Decimals, d.Reason, d.OrderID = "SOL", 9, "wrong_token", ""
		s.Deposits[3] = d
	}, nil},
	"a refund to somebody else": {func(s *scene) {
		s.edit("rB", func(t *fiat.Transfer) { t.ToAddress = "0xcc" })
	}, []string{"refund | RFD-B, transfer rB | to 0xAb | to 0xcc"}},
	"a refund of another amount": {func(s *scene) {
		s.edit("rB", func(t *fiat.Transfer) { t.Source.Minor-- })
	}, []string{"refund | RFD-B, transfer rB, taken | 99.25 USDC | 99.249999 USDC"}},
	"a refund of another order's": {func(s *scene) {
		s.edit("rB", func(t *fiat.Transfer) { t.Reference = "RFD-C:1" })
	}, []string{"refund | RFD-B, transfer rB | reference RFD-B | another reference"}},
	"a refund that is not there": {func(s *scene) {
		s.edit("rB", func(t *fiat.Transfer) { t.State = fiat.TransferError })
	}, []string{"refund | RFD-B, transfer rB | completed | error"}},
	"a refund that arrived, and we gave up": {func(s *scene) {
		o := s.Orders["B"]
		o.Status, o.Refund.Status = order.Error, order.RefundFailed
		s.Orders["B"] = o
	}, []string{"refund | RFD-B, transfer rB | failed | payment_processed"}},
	"a refund that the partner does not know": {func(s *scene) {
		delete(s.Transfers, "rB")
	}, []string{"refund | RFD-B, transfer rB | 99.25 USDC | no such transfer"}},
	"a payout that nobody asked for": {func(s *scene) {
		s.Transfers["tX"] = fiat.Transfer{
			ID: "tX", Reference: "OFR-A:2", State: fiat.TransferProcessed, Source: gross, UpdatedAt: old,
		}
		s.Balances[0].Minor -= 300_000
	}, []string{
		"payout | transfer tX of OFR-A:2 | nothing | 100.00 USDC, payment_processed",
		"wallet | balance | 0.30 USDC | 0.00 USDC",
	}},
	"a wallet with too much": {func(s *scene) {
		s.Balances[0].Minor++
	}, []string{"wallet | balance | 0.30 USDC | 0.300001 USDC"}},
	"a wallet with another currency": {func(s *scene) {
		s.Balances = append(s.Balances, money.Of(5, money.USDT))
	}, []string{"wallet | balance | 0.00 USDT | 0.000005 USDT"}},
	"a wallet that is empty": {func(s *scene) {
		s.Balances, s.Ledger[0].Reserved = nil, 100_000
	}, []string{"wallet | balance | 0.20 USDC to 0.30 USDC | 0.00 USDC"}},
}

// Each thing that one side says differently is found, and named; and nothing else is.
func TestPayout_MatchFinds(t *testing.T) {
	for name, c := range planted {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			c.plant(s)
			if got := s.lines(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// What has just happened on one side the other may not have heard of yet.
func TestPayout_MatchWaits(t *testing.T) {
	for name, c := range map[string]struct {
		plant    func(*scene)
		underWay int
	}{
		"for an order": {func(s *scene) {
			delete(s.Orders, "A")
			delete(s.Transfers, "tA")
			s.Deposits[0].FinalAt = young
		}, 1},
		"for the partner to see a deposit": {func(s *scene) {
			s.Drains, s.Deposits[0].FinalAt = s.Drains[1:], young
			s.Ledger[0].Posted += gross.Minor
		}, 1},
		"for us to see a deposit": {func(s *scene) {
			s.Drains = append(
				s.Drains,
				fiat.Drain{AddressID: "la", Amount: gross, State: "payment_processed", DepositHash: "0xE", At: young},
			)
			s.Balances[0].Minor += gross.Minor
		}, 1},
		"for a deposit to be final": {func(s *scene) {
			s.deposit("E", "100000000", gross)
			s.Deposits[3].State = watch.Seen
			s.Balances[0].Minor += gross.Minor
		}, 0},
		"for the answer to a payout": {func(s *scene) {
			o := s.Orders["A"]
			o.Paying, o.Status, o.Payout.TransferID = true, order.FundsReceived, ""
			s.Orders["A"] = o
			s.Ledger[0].Posted, s.Ledger[0].Reserved = 100_300_000, 100_000_000
		}, 1},
		"for the answer to a refund": {func(s *scene) {
			o := s.Orders["B"]
			r := *o.Refund
			r.Paying, r.Status, r.TransferID = true, order.RefundPending, ""
			o.Refund = &r
			s.Orders["B"] = o
			s.Ledger[0].Posted, s.Ledger[0].Reserved = 300_000+rested.Minor, rested.Minor
		}, 1},
		"for us to hear of a return": {func(s *scene) {
			s.edit("tA", func(t *fiat.Transfer) {
				t.State, t.Refunded, t.UpdatedAt = fiat.TransferRefunded, rested, young
			})
			s.Balances[0].Minor += rested.Minor
		}, 1},
		"for nothing, where a refund came back and was sent again": {func(s *scene) {
			s.Transfers["rA"] = fiat.Transfer{
				ID: "rA", Reference: "RFD-B:0", State: fiat.TransferRefunded, Source: rested, UpdatedAt: old,
			}
		}, 0},
		"for nothing, where a quote's rate moved while the partner was asked": {func(s *scene) {
			o := s.Orders["A"]
			o.Status, o.Source = order.PaymentSubmitted, money.USDC
			o.Terms.Quoted, o.Payout.Taken = true, usdc(99_000_000)
			o.Terms.Ours = usdc(750_000)
			s.Orders["A"] = o
			s.edit("tA", func(t *fiat.Transfer) { t.State, t.Source = fiat.TransferSubmitted, usdc(99_750_000) })
			s.Balances[0].Minor += 250_000
		}, 0},
		"for a refund on its way": {func(s *scene) {
			o := s.Orders["B"]
			r := *o.Refund
			r.Status = order.RefundSubmitted
			o.Refund = &r
			s.Orders["B"] = o
			s.edit("rB", func(t *fiat.Transfer) { t.State = fiat.TransferSubmitted })
			s.Ledger[0].Posted, s.Ledger[0].Reserved = 300_000+rested.Minor, rested.Minor
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			c.plant(s)
			r := match.Compare(s.Sides, now)
			if len(r.Differences) > 0 || r.UnderWay != c.underWay {
				t.Errorf("%q, %d under way, want %d", s.lines(), r.UnderWay, c.underWay)
			}
		})
	}
}

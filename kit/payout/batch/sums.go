package batch

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// sums adds up rows: by currency at both ends, and by address those that wait for a deposit.
type sums struct {
	sources, destinations map[money.Currency]*sum
	addresses             map[string]*waiting
}

type sum struct {
	rows         int
	amount, fees money.Amount
}

type waiting struct {
	rest.BatchAddress
	amount money.Amount
}

func newSums() *sums {
	return &sums{map[money.Currency]*sum{}, map[money.Currency]*sum{}, map[string]*waiting{}}
}

// add adds a row.
func (s *sums) add(t order.Terms) error {
	fee, err := t.Fee()
	if err != nil {
		return err
	}
	if err := plus(s.sources, t.Gross, fee); err != nil {
		return err
	}
	return plus(s.destinations, t.Net, money.Of(0, t.Net.Currency))
}

func plus(all map[money.Currency]*sum, amount, fees money.Amount) (err error) {
	c := amount.Currency
	if all[c] == nil {
		all[c] = &sum{amount: money.Of(0, c), fees: money.Of(0, c)}
	}
	all[c].rows++
	if all[c].amount, err = all[c].amount.Add(amount); err != nil {
		return err
	}
	all[c].fees, err = all[c].fees.Add(fees)
	return err
}

// await adds a row that waits for a deposit.
func (s *sums) await(a withdraw.Address, amount money.Amount) (err error) {
	w := s.addresses[a.ID]
	if w == nil {
		w = &waiting{amount: money.Of(0, amount.Currency), BatchAddress: rest.BatchAddress{
			WithdrawAddressID: a.ID, Address: a.Address, Chain: a.Chain, Token: string(a.Currency),
		}}
		s.addresses[a.ID] = w
	}
	w.Transfers++
	w.amount, err = w.amount.Add(amount)
	return err
}

// views are the sums as the API shows them.
func (s *sums) views() (sources, destinations []rest.BatchSum, addresses []rest.BatchAddress) {
	addresses = []rest.BatchAddress{}
	for _, w := range s.addresses {
		w.Amount = w.amount.String()
		addresses = append(addresses, w.BatchAddress)
	}
	slices.SortFunc(addresses, func(a, b rest.BatchAddress) int {
		return strings.Compare(a.WithdrawAddressID, b.WithdrawAddressID)
	})
	return viewSums(s.sources), viewSums(s.destinations), addresses
}

func viewSums(all map[money.Currency]*sum) []rest.BatchSum {
	views := []rest.BatchSum{}
	for c, s := range all {
		v := rest.BatchSum{Currency: c.Upper(), Rows: s.rows, Amount: s.amount.String()}
		if c.Stable() {
			v.Fees = s.fees.String()
		}
		views = append(views, v)
	}
	slices.SortFunc(views, func(a, b rest.BatchSum) int { return strings.Compare(a.Currency, b.Currency) })
	return views
}

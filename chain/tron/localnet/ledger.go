package localnet

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/holiman/uint256"

	"github.com/railkit/railkit/chain/tron"
)

// prices are what the network takes, in sun. Witnesses vote on them: whoever reads them asks for them.
type prices struct {
	Energy  int64 `json:"energy"`  // of a unit: getEnergyFee
	Byte    int64 `json:"byte"`    // of bandwidth: getTransactionFee
	Account int64 `json:"account"` // that a transfer opens: getCreateNewAccountFeeInSystemContract
	Opening int64 `json:"opening"` // for the bandwidth of that: getCreateAccountFee
	Penalty int64 `json:"penalty"` // ten-thousandths more energy for a contract that everybody calls
}

// pricesAtStart are what mainnet is said to take. The penalty makes a transfer of tokens cost about what people know of
// USDT: some 65,000 of energy, and nearly twice as much to who has none.
var pricesAtStart = prices{Energy: 100, Byte: 1_000, Account: 1_000_000, Opening: 100_000, Penalty: 20_000}

const (
	freeBytes  = 600        // of bandwidth that an account has for nothing within a day
	day        = 86_400_000 // milliseconds in which what was used of it comes back
	resultSize = 64         // bytes that are charged for the result of a transaction
)

// ledger is all accounts. TRX, code and storage are in go-ethereum's state, which knows them by their 20 bytes.
type ledger struct {
	prices
	db        state.Database
	state     *state.StateDB
	root      common.Hash
	accounts  map[tron.Address]account
	contracts map[tron.Address]bool
}

// account is what Tron knows of one beside its TRX. One without TRX is there, once something opened it.
type account struct {
	since, opened int64 // number and millisecond of the block that opened it
	used, usedAt  int64 // bytes of the free bandwidth, and the millisecond at which they were counted
}

func newLedger() (*ledger, error) {
	memory := rawdb.NewMemoryDatabase()
	l := &ledger{
		prices: pricesAtStart, db: state.NewDatabase(triedb.NewDatabase(memory, nil), state.NewCodeDB(memory)),
		root: types.EmptyRootHash, accounts: map[tron.Address]account{}, contracts: map[tron.Address]bool{},
	}
	var err error
	l.state, err = state.New(l.root, l.db)
	return l, err
}

// copied is the ledger for somebody who wants to try.
func (l *ledger) copied() *ledger {
	other := *l
	other.state, other.accounts = l.state.Copy(), maps.Clone(l.accounts)
	return &other
}

// commit ends a block.
func (l *ledger) commit(number int64) (common.Hash, error) {
	root, err := l.state.Commit(rulesOf(number), uint64(number))
	if err != nil {
		return root, err
	}
	l.root = root
	l.state, err = state.New(root, l.db)
	return root, err
}

// after is the ledger's state when a block was the newest.
func (l *ledger) after(b *block) (*state.StateDB, error) { return state.New(b.root, l.db) }

func (l *ledger) open(a tron.Address, number, time int64) {
	if _, ok := l.accounts[a]; !ok {
		l.accounts[a] = account{since: number, opened: time, usedAt: time}
	}
}

func (l *ledger) balance(a tron.Address) int64 { return sunOf(l.state, a) }

func sunOf(s *state.StateDB, a tron.Address) int64 {
	return int64(s.GetBalance(common.Address(a)).Uint64())
}

func (l *ledger) add(a tron.Address, sun int64) {
	l.state.AddBalance(common.Address(a), uint256.NewInt(uint64(sun)), tracing.BalanceChangeUnspecified)
}

func (l *ledger) take(a tron.Address, sun int64) {
	l.state.SubBalance(common.Address(a), uint256.NewInt(uint64(sun)), tracing.BalanceChangeUnspecified)
}

// outcome is what came of a transaction in a block.
type outcome struct {
	result   string // SUCCESS, REVERT, OUT_OF_ENERGY and so on
	words    string // of a failure
	returned []byte
	logs     []*types.Log

	energy, penalty, energyFee int64 // penalty is part of the energy
	bytes, byteFee             int64
	accountFee                 int64
}

// fee is all that it burnt.
func (o outcome) fee() int64 { return o.energyFee + o.byteFee + o.accountFee }

// execute changes the accounts, or refuses what no block has: then nothing was changed.
func (l *ledger) execute(t tron.Raw, size int, b *block) (outcome, *refusal) {
	if _, ok := l.accounts[t.Owner]; !ok {
		return outcome{}, invalid("account [%s] does not exist", t.Owner)
	}
	_, there := l.accounts[t.To]
	opens := len(t.Data) == 0 && !there
	out, refused := l.bandwidth(t.Owner, int64(size)+resultSize, b.time, opens)
	if refused != nil {
		return out, refused
	}
	if opens {
		out.accountFee = l.Account
	}
	left := l.balance(t.Owner) - out.byteFee
	switch {
	case len(t.Data) == 0 && l.contracts[t.To]:
		return out, invalid("Cannot transfer TRX to a smartContract.")
	case len(t.Data) == 0 && left-out.accountFee < t.Amount:
		return out, invalid("Validate TransferContract error, balance is not sufficient.")
	case len(t.Data) > 0 && !l.contracts[t.To]:
		return out, invalid("No contract or not a smart contract")
	case len(t.Data) > 0 && left < t.Amount:
		return out, invalid("Validate InternalTransfer error, balance is not sufficient.")
	}
	l.pay(t.Owner, out, b.time)
	if len(t.Data) > 0 {
		l.call(t, b, &out)
		return out, nil
	}
	l.open(t.To, b.number, b.time)
	l.take(t.Owner, t.Amount)
	l.add(t.To, t.Amount)
	l.state.Finalise(rulesOf(b.number))
	out.result = "SUCCESS"
	return out, nil
}

// bandwidth is what a transaction takes of it: an opening has a price of its own, other ones are free while the day's
// bytes last, and are paid for whole after that.
func (l *ledger) bandwidth(a tron.Address, size, now int64, opens bool) (out outcome, refused *refusal) {
	switch {
	case opens:
		out.byteFee = l.Opening
	case size <= freeBytes-l.accounts[a].usedBy(now):
		out.bytes = size
	default:
		out.byteFee = size * l.Byte
	}
	if l.balance(a) < out.byteFee {
		return out, &refusal{"BANDWITH_ERROR", "Account resource insufficient error."}
	}
	return out, nil
}

// usedBy is what is still used of the free bandwidth: it comes back evenly within a day.
func (a account) usedBy(now int64) int64 {
	passed := min(max(now-a.usedAt, 0), day)
	return a.used * (day - passed) / day
}

// pay burns what a transaction costs before it is executed.
func (l *ledger) pay(a tron.Address, out outcome, now int64) {
	l.take(a, out.byteFee+out.accountFee)
	if out.bytes > 0 {
		has := l.accounts[a]
		has.used, has.usedAt = has.usedBy(now)+out.bytes, now
		l.accounts[a] = has
	}
}

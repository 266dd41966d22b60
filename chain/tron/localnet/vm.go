package localnet

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/railkit/railkit/chain/tron"
)

// tvm has the rules of Cancun, as Tron's machine does since 4.8. Energy is gas; nothing is given back for cleared
// storage, and no transaction costs anything before its first instruction.
var tvm = config()

func config() *params.ChainConfig {
	zero, now := new(big.Int), uint64(0)
	return &params.ChainConfig{
		ChainID: big.NewInt(3_448_148_188), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero,
		EIP158Block: zero, ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero,
		MuirGlacierBlock: zero, BerlinBlock: zero, LondonBlock: zero, TerminalTotalDifficulty: zero,
		ShanghaiTime: &now, CancunTime: &now, BlobScheduleConfig: params.DefaultBlobSchedule,
	}
}

func rulesOf(number int64) params.Rules { return tvm.Rules(big.NewInt(number), true, 0) }

const penaltyUnit = 10_000

// withPenalty is the energy of so much gas.
func (p prices) withPenalty(gas int64) int64 { return gas + gas*p.Penalty/penaltyUnit }

// gasWithin is the gas that so much energy pays for.
func (p prices) gasWithin(energy int64) int64 {
	return energy * penaltyUnit / (penaltyUnit + p.Penalty)
}

// call runs a contract and takes what its energy costs. The limit is what fee_limit buys, or all that the caller has
// left: a call that needs more has burnt it.
func (l *ledger) call(t tron.Raw, b *block, out *outcome) {
	limit := min(t.FeeLimit, l.balance(t.Owner)-t.Amount) / l.Energy
	paid := l.run(l.state, t, b, limit, out)
	l.state.Finalise(rulesOf(b.number))
	for _, a := range paid {
		l.open(a, b.number, b.time)
	}
	out.energyFee = out.energy * l.Energy
	l.take(t.Owner, out.energyFee)
}

// run runs a contract in a state, with at most so much energy, and tells whom it paid TRX.
func (l *ledger) run(s *state.StateDB, t tron.Raw, b *block, limit int64, out *outcome) (paid []tron.Address) {
	from, to, rules := common.Address(t.Owner), common.Address(t.To), rulesOf(b.number)
	id := t.Digest()
	s.SetTxContext(id, len(b.transactions), 0)
	s.Prepare(rules, from, common.Address{}, &to, vm.ActivePrecompiles(rules), nil)
	on := contextOf(b)
	on.Transfer = func(s vm.StateDB, from, to common.Address, value *uint256.Int, _ *params.Rules) {
		s.SubBalance(from, value, tracing.BalanceChangeTransfer)
		s.AddBalance(to, value, tracing.BalanceChangeTransfer)
		if !value.IsZero() {
			paid = append(paid, tron.Address(to))
		}
	}
	machine := vm.NewEVM(on, s, tvm, vm.Config{})
	machine.SetTxContext(vm.TxContext{Origin: from, GasPrice: new(uint256.Int)})
	budget := vm.NewGasBudget(uint64(l.gasWithin(limit)), 0)
	value := uint256.NewInt(uint64(t.Amount))
	returned, left, err := machine.Call(from, to, t.Data, budget, value)
	gas := int64(left.Used(budget))
	out.returned, out.energy = returned, l.withPenalty(gas)
	out.penalty = out.energy - gas
	out.result, out.words = resultOf(err)
	if err == nil {
		out.logs = s.GetLogs(id, uint64(b.number), common.Hash{}, uint64(b.time/1000))
		return paid
	}
	if out.result != "REVERT" {
		out.energy, out.returned = limit, nil
	}
	return nil
}

// resultOf names an error of the machine as receipts of Tron do.
func resultOf(err error) (result, words string) {
	var missing *vm.ErrStackUnderflow
	var full *vm.ErrStackOverflow
	var unknown *vm.ErrInvalidOpCode
	switch {
	case err == nil:
		return "SUCCESS", ""
	case errors.Is(err, vm.ErrExecutionReverted):
		return "REVERT", "REVERT opcode executed"
	case errors.Is(err, vm.ErrOutOfGas), errors.Is(err, vm.ErrCodeStoreOutOfGas):
		return "OUT_OF_ENERGY", "Not enough energy for the operation executing"
	case errors.Is(err, vm.ErrInvalidJump):
		return "BAD_JUMP_DESTINATION", err.Error()
	case errors.As(err, &missing):
		return "STACK_TOO_SMALL", err.Error()
	case errors.As(err, &full):
		return "STACK_TOO_LARGE", err.Error()
	case errors.As(err, &unknown):
		return "ILLEGAL_OPERATION", err.Error()
	}
	return "UNKNOWN", err.Error()
}

func contextOf(b *block) vm.BlockContext {
	return vm.BlockContext{
		CanTransfer: func(s vm.StateDB, from common.Address, value *uint256.Int) bool {
			return s.GetBalance(from).Cmp(value) >= 0
		},
		GetHash: func(n uint64) common.Hash {
			for p := b.parent; p != nil; p = p.parent {
				if uint64(p.number) == n {
					return p.id
				}
			}
			return common.Hash{}
		},
		GasLimit: math.MaxInt64, BlockNumber: big.NewInt(b.number), Time: uint64(b.time / 1000),
		Difficulty: new(big.Int), BaseFee: new(big.Int), BlobBaseFee: new(big.Int), Random: new(common.Hash),
	}
}

func invalid(format string, values ...any) *refusal {
	return &refusal{"CONTRACT_VALIDATE_ERROR", "Contract validate error : " + fmt.Sprintf(format, values...)}
}

package methods

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/gasestimator"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

const (
	maxGas  = 50_000_000      // of one call, whatever it asks for
	maxTime = 5 * time.Second // of one call

	// tolerance is how much more than needed an estimate may be, so that it needs fewer tries.
	tolerance = 0.015
)

// callMethods try what a transaction would do.
type callMethods struct{ node Node }

// message is a transaction that is only tried.
type message struct {
	From                 common.Address               `json:"from"`
	To                   *common.Address              `json:"to"`
	Gas                  *hexutil.Uint64              `json:"gas"`
	GasPrice             *hexutil.Big                 `json:"gasPrice"`
	MaxFeePerGas         *hexutil.Big                 `json:"maxFeePerGas"`
	MaxPriorityFeePerGas *hexutil.Big                 `json:"maxPriorityFeePerGas"`
	Value                *hexutil.Big                 `json:"value"`
	Data                 *hexutil.Bytes               `json:"data"`
	Input                *hexutil.Bytes               `json:"input"` // the newer name of data
	AccessList           types.AccessList             `json:"accessList"`
	ChainID              *hexutil.Big                 `json:"chainId"`
	BlobHashes           []common.Hash                `json:"blobVersionedHashes"`
	Authorizations       []types.SetCodeAuthorization `json:"authorizationList"`
}

// core is the message for the EVM. One without fees pays nothing for its gas.
func (m *message) core(chainID, baseFee *big.Int) (*core.Message, error) {
	if m.ChainID != nil && m.ChainID.ToInt().Cmp(chainID) != 0 {
		return nil, badParam("chainId does not match node's (have=%v, want=%v)", m.ChainID.ToInt(), chainID)
	}
	if m.GasPrice != nil && (m.MaxFeePerGas != nil || m.MaxPriorityFeePerGas != nil) {
		return nil, badParam("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
	}
	if len(m.BlobHashes) > 0 {
		return nil, badParam("blobVersionedHashes: transactions with blobs are not taken here")
	}
	if m.Data != nil && m.Input != nil && !bytes.Equal(*m.Data, *m.Input) {
		return nil, badParam(`both "data" and "input" are set and not equal`)
	}
	out := &core.Message{
		From: m.From, To: m.To, Value: number(m.Value), AccessList: m.AccessList,
		GasFeeCap: number(m.MaxFeePerGas), GasTipCap: number(m.MaxPriorityFeePerGas),
		SetCodeAuthorizations: m.Authorizations,
	}
	if m.GasPrice != nil {
		out.GasFeeCap, out.GasTipCap = number(m.GasPrice), number(m.GasPrice)
	}
	out.GasPrice = new(uint256.Int)
	if !out.GasFeeCap.IsZero() || !out.GasTipCap.IsZero() {
		out.GasPrice.Add(out.GasTipCap, uint256.MustFromBig(baseFee))
		if out.GasPrice.Gt(out.GasFeeCap) {
			out.GasPrice.Set(out.GasFeeCap)
		}
	}
	for _, data := range []*hexutil.Bytes{m.Data, m.Input} {
		if data != nil {
			out.Data = *data
		}
	}
	return out.SkipNonceCheck().SkipEOACheck().SkipGasLimitCapCheck(), nil
}

// number is zero where the caller names none. JSON-RPC takes no number above 256 bits.
func number(n *hexutil.Big) *uint256.Int {
	if n == nil {
		return new(uint256.Int)
	}
	return uint256.MustFromBig(n.ToInt())
}

// override is what a call finds instead of what an account has.
type override struct {
	Nonce     *hexutil.Uint64             `json:"nonce"`
	Code      *hexutil.Bytes              `json:"code"`
	Balance   *hexutil.Big                `json:"balance"`
	State     map[common.Hash]common.Hash `json:"state"`     // all of the storage
	StateDiff map[common.Hash]common.Hash `json:"stateDiff"` // some words of it
	Moved     *common.Address             `json:"movePrecompileToAddress"`
}

// overrides are by account.
type overrides map[common.Address]override

func (all overrides) apply(db *state.StateDB) error {
	for at, o := range all {
		if o.Moved != nil {
			return badParam("movePrecompileToAddress of %s is not supported", at)
		}
		if o.State != nil && o.StateDiff != nil {
			return badParam("account %s has both 'state' and 'stateDiff'", at)
		}
		if o.Nonce != nil {
			db.SetNonce(at, uint64(*o.Nonce), tracing.NonceChangeUnspecified)
		}
		if o.Code != nil {
			db.SetCode(at, *o.Code, tracing.CodeChangeUnspecified)
		}
		if o.Balance != nil {
			db.SetBalance(at, number(o.Balance), tracing.BalanceChangeUnspecified)
		}
		if o.State != nil {
			db.SetStorage(at, o.State)
		}
		for key, value := range o.StateDiff {
			db.SetState(at, key, value)
		}
	}
	db.Finalise(params.Rules{}) // as if a transaction before had done it
	return nil
}

// prepare is the message, and what it meets.
func (m *callMethods) prepare(
	in message, at *rpc.BlockNumberOrHash, instead *overrides,
) (*core.Message, *state.StateDB, *types.Header, error) {
	db, header, err := m.node.state(at)
	if err != nil {
		return nil, nil, nil, err
	}
	if instead != nil {
		if err := instead.apply(db); err != nil {
			return nil, nil, nil, err
		}
	}
	msg, err := in.core(m.node.Chain.Config().ChainID, header.BaseFee)
	return msg, db, header, err
}

// Call is eth_call.
func (m *callMethods) Call(
	ctx context.Context, in message, at *rpc.BlockNumberOrHash, instead *overrides,
) (hexutil.Bytes, error) {
	msg, db, header, err := m.prepare(in, at, instead)
	if err != nil {
		return nil, err
	}
	msg.GasLimit = maxGas
	if in.Gas != nil {
		msg.GasLimit = min(maxGas, uint64(*in.Gas))
	}
	result, err := m.run(ctx, msg.SkipExecutionGasCapCheck(), db, header, instead)
	if err != nil {
		return nil, err
	}
	if errors.Is(result.Err, vm.ErrExecutionReverted) {
		return nil, reverted(result.Revert())
	}
	return result.Return(), result.Err
}

func (m *callMethods) run(
	ctx context.Context, msg *core.Message, db *state.StateDB, header *types.Header, instead *overrides,
) (*core.ExecutionResult, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	block := core.NewEVMBlockContext(header, m.node.Chain, nil)
	if msg.GasPrice.IsZero() {
		block.BaseFee = new(big.Int) // else it would be above what the message pays
	}
	config := m.node.Chain.Config()
	evm := vm.NewEVM(block, db, config, vm.Config{NoBaseFee: true})
	defer evm.Release()
	if instead != nil {
		rules := config.Rules(block.BlockNumber, block.Random != nil, block.Time)
		built := vm.ActivePrecompiledContracts(rules) // a copy
		maps.DeleteFunc(built, func(at common.Address, _ vm.PrecompiledContract) bool {
			_, there := (*instead)[at]
			return there
		})
		evm.SetPrecompiles(built)
	}
	defer context.AfterFunc(ctx, evm.Cancel)()
	result, err := core.ApplyMessage(evm, msg, core.NewGasPool(maxGas))
	switch {
	case db.Error() != nil:
		return nil, db.Error()
	case ctx.Err() != nil:
		return nil, fmt.Errorf("execution aborted (timeout = %v)", maxTime)
	case err != nil:
		return nil, fmt.Errorf("err: %w (supplied gas %d)", err, msg.GasLimit)
	}
	return result, nil
}

// EstimateGas is eth_estimateGas.
func (m *callMethods) EstimateGas(
	ctx context.Context, in message, at *rpc.BlockNumberOrHash, instead *overrides,
) (hexutil.Uint64, error) {
	msg, db, header, err := m.prepare(in, at, instead)
	if err != nil {
		return 0, err
	}
	if in.Gas != nil {
		msg.GasLimit = min(maxGas, uint64(*in.Gas))
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	gas, revert, err := gasestimator.Estimate(ctx, msg, &gasestimator.Options{
		Config: m.node.Chain.Config(), Chain: m.node.Chain, Header: header, State: db, ErrorRatio: tolerance,
	}, maxGas)
	if errors.Is(err, vm.ErrExecutionReverted) {
		return 0, reverted(revert)
	}
	return hexutil.Uint64(gas), err
}

// revertError is what a contract said when it refused.
type revertError struct {
	text string
	data hexutil.Bytes
}

func reverted(data []byte) error {
	text := vm.ErrExecutionReverted.Error()
	if reason, err := abi.UnpackRevert(data); err == nil {
		text += ": " + reason
	}
	return &revertError{text, data}
}

func (e *revertError) Error() string { return e.text }

// ErrorCode is what nodes have agreed on for this.
func (e *revertError) ErrorCode() int { return 3 }

// ErrorData is the contract's answer.
func (e *revertError) ErrorData() any { return e.data.String() }

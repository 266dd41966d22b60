package methods

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// stateMethods tell what somebody has after a block.
type stateMethods struct{ node Node }

// GetBalance is eth_getBalance.
func (m *stateMethods) GetBalance(of common.Address, at *rpc.BlockNumberOrHash) (*hexutil.Big, error) {
	state, _, err := m.node.state(at)
	if err != nil {
		return nil, err
	}
	return (*hexutil.Big)(state.GetBalance(of).ToBig()), state.Error()
}

// GetCode is eth_getCode.
func (m *stateMethods) GetCode(of common.Address, at *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	state, _, err := m.node.state(at)
	if err != nil {
		return nil, err
	}
	return state.GetCode(of), state.Error()
}

// GetStorageAt is eth_getStorageAt. The key may be short: 0x0 is the first word.
func (m *stateMethods) GetStorageAt(
	of common.Address, key string, at *rpc.BlockNumberOrHash,
) (hexutil.Bytes, error) {
	digits := strings.TrimPrefix(key, "0x")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	word, err := hexutil.Decode("0x" + digits)
	if err != nil || len(word) > common.HashLength {
		return nil, paramError("the key of the storage must be at most 32 bytes of hexadecimal digits")
	}
	state, _, err := m.node.state(at)
	if err != nil {
		return nil, err
	}
	value := state.GetState(of, common.BytesToHash(word))
	return value[:], state.Error()
}

// GetTransactionCount is eth_getTransactionCount. The pending one counts what waits in the pool, too.
func (m *stateMethods) GetTransactionCount(
	of common.Address, at *rpc.BlockNumberOrHash,
) (hexutil.Uint64, error) {
	where := latest(at)
	if number, ok := where.Number(); ok && number == rpc.PendingBlockNumber {
		return hexutil.Uint64(m.node.Pool.PoolNonce(of)), nil
	}
	state, _, err := m.node.state(at)
	if err != nil {
		return 0, err
	}
	return hexutil.Uint64(state.GetNonce(of)), state.Error()
}

// paramError is the caller's mistake, in JSON-RPC's code for it.
type paramError string

func (e paramError) Error() string { return string(e) }

// ErrorCode is JSON-RPC's "invalid params".
func (paramError) ErrorCode() int { return -32602 }

func badParam(format string, args ...any) error { return paramError(fmt.Sprintf(format, args...)) }

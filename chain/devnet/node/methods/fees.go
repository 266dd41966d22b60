package methods

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/consensus/misc/eip4844"
	"github.com/ethereum/go-ethereum/eth/gasprice"
	"github.com/ethereum/go-ethereum/rpc"
)

// feeMethods tell what a transaction has to pay.
type feeMethods struct {
	node   Node
	oracle *gasprice.Oracle
}

// GasPrice is eth_gasPrice: the tip, and what the newest block burnt.
func (m *feeMethods) GasPrice(ctx context.Context) (*hexutil.Big, error) {
	tip, err := m.oracle.SuggestTipCap(ctx)
	if err != nil {
		return nil, err
	}
	return (*hexutil.Big)(tip.Add(tip, m.node.Chain.CurrentBlock().BaseFee)), nil
}

// MaxPriorityFeePerGas is eth_maxPriorityFeePerGas.
func (m *feeMethods) MaxPriorityFeePerGas(ctx context.Context) (*hexutil.Big, error) {
	tip, err := m.oracle.SuggestTipCap(ctx)
	return (*hexutil.Big)(tip), err
}

// BlobBaseFee is eth_blobBaseFee.
func (m *feeMethods) BlobBaseFee() *hexutil.Big {
	head := m.node.Chain.CurrentBlock()
	if head.ExcessBlobGas == nil {
		return nil
	}
	return (*hexutil.Big)(eip4844.CalcBlobFee(m.node.Chain.Config(), head))
}

// feeHistory is the answer to eth_feeHistory.
type feeHistory struct {
	OldestBlock  *hexutil.Big     `json:"oldestBlock"`
	Reward       [][]*hexutil.Big `json:"reward,omitempty"`
	BaseFee      []*hexutil.Big   `json:"baseFeePerGas,omitempty"`
	GasUsedRatio []float64        `json:"gasUsedRatio"`
	BlobBaseFee  []*hexutil.Big   `json:"baseFeePerBlobGas,omitempty"`
	BlobRatio    []float64        `json:"blobGasUsedRatio,omitempty"`
}

// FeeHistory is eth_feeHistory.
func (m *feeMethods) FeeHistory(
	ctx context.Context, blocks math.HexOrDecimal64, newest rpc.BlockNumber, percentiles []float64,
) (*feeHistory, error) {
	oldest, rewards, base, used, blobBase, blobUsed, err :=
		m.oracle.FeeHistory(ctx, uint64(blocks), newest, percentiles)
	if err != nil {
		return nil, err
	}
	answer := &feeHistory{
		OldestBlock: (*hexutil.Big)(oldest), BaseFee: quantities(base), GasUsedRatio: used,
		BlobBaseFee: quantities(blobBase), BlobRatio: blobUsed,
	}
	for _, block := range rewards {
		answer.Reward = append(answer.Reward, quantities(block))
	}
	return answer, nil
}

func quantities(all []*big.Int) []*hexutil.Big {
	out := make([]*hexutil.Big, len(all))
	for i, n := range all {
		out[i] = (*hexutil.Big)(n)
	}
	return out
}

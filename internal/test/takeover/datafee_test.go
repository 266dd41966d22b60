package takeover

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/railkit/railkit/enclave/wire"
)

const (
	baseID     = 84532
	optimismID = 11155420
)

// long is a payment of nothing with an access list of a thousand keys, which the network
// takes about 1 USD for beside its gas.
func (p *person) long(chainID int64) string {
	p.h.t.Helper()
	receiver := common.HexToAddress(shop)
	list := types.AccessList{{Address: receiver, StorageKeys: make([]common.Hash, 1000)}}
	raw, err := rlp.EncodeToBytes([]any{
		big.NewInt(chainID), uint64(0), uint64(1), uint64(1), uint64(2_000_000), receiver, uint64(0), []byte{}, list,
	})
	if err != nil {
		p.h.t.Fatal(err)
	}
	return p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: big.NewInt(chainID).String(),
		UnsignedTransaction: hexutil.Encode(append([]byte{types.DynamicFeeTxType}, raw...)),
	})
}

// lengthy is an attack with a long transaction, where 0.40 USD are allowed.
func lengthy(chainID int64, before func(p *person)) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{MaxValueUSD: "0.4"}})
		before(p)
		body := p.long(chainID)
		_, _, _ = h.submit(body, p.agree(body))
		_ = h.handIn(h.sheet(h.prices.key, market, wire.MaxSheetLife))
	}
}

func asItIs(*person) {}

// told hands in a sheet of the price signer, whose feed lies about data fees.
func told(fees ...wire.DataFee) func(*person) {
	return func(p *person) { _ = p.h.handIn(p.h.sheetWith(p.h.prices.key, market, wire.MaxSheetLife, fees...)) }
}

// dataFees are the attacks on what the bytes of a transaction cost.
var dataFees = []attack{
	{"E09", "a long access list as a way out", "dataFee", lengthy(baseID, asItIs)},
	{"E13", "a data fee that no sheet names", "dataFeeUnknown", lengthy(optimismID, asItIs)},
	{"E13", "a data fee that has expired beside a fresh price", "dataFeeFresh", lengthy(optimismID, func(p *person) {
		p.h.expired(market, wire.DataFee{Chain: "optimism", WeiPerByte: "1000000000"}) // a tenth of what it is now
		told()(p)
	})},
	{"E13", "a data fee of next to nothing", "dataFeeBounds",
		lengthy(optimismID, told(wire.DataFee{Chain: "optimism", WeiPerByte: "1"}))},
	{"E13", "a data fee that fell by nearly all", "dataFeeFall",
		lengthy(baseID, told(wire.DataFee{Chain: "base", WeiPerByte: "1000"}))},
}

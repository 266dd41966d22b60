package devnet_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

// ask calls a method; the answer is JSON as it came.
func (c *client) ask(method string, args ...any) (answer json.RawMessage, err error) {
	err = c.Client.Client().CallContext(c.t.Context(), &answer, method, args...)
	return answer, err
}

func (c *client) want(want, method string, args ...any) {
	c.t.Helper()
	got, err := c.ask(method, args...)
	if err != nil || string(got) != want {
		c.t.Errorf("%s %v: %s, %v, not %s", method, args, got, err, want)
	}
}

func (c *client) refuses(words, method string, args ...any) {
	c.t.Helper()
	if got, err := c.ask(method, args...); err == nil || !strings.Contains(err.Error(), words) {
		c.t.Errorf("%s %v: %s, %v, not %q", method, args, got, err, words)
	}
}

// What tools ask first, and what they get where there is nothing.
func TestDevnet_MethodsOfPublicNodes(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := p.chain(t, "base")
	nobody, nothing := newAccount(t).address, common.Hash{31: 1}
	for method, want := range map[string]string{
		"eth_chainId": `"0x14a34"`, "net_version": `"84532"`, "net_listening": "true", "net_peerCount": `"0x0"`,
		"eth_syncing": "false", "eth_accounts": "[]", "eth_blockNumber": `"0x0"`, "eth_blobBaseFee": `"0x1"`,
		"txpool_status": `{"pending":"0x0","queued":"0x0"}`,
	} {
		c.want(want, method)
	}
	c.want("null", "eth_getTransactionByHash", nothing)
	c.want("null", "eth_getTransactionReceipt", nothing)
	c.want(`"0x"`, "eth_getRawTransactionByHash", nothing)
	c.want("null", "eth_getBlockByHash", nothing, true)
	c.want("null", "eth_getBlockByNumber", "0x63", true)
	c.want(`"0x0"`, "eth_getBlockTransactionCountByNumber", "pending")
	c.want(`"0x0"`, "eth_getBalance", nobody)
	c.want(`"0x"`, "eth_getCode", nobody, "safe")
	c.want("[]", "eth_getLogs", map[string]any{"fromBlock": "earliest"})
	c.refuses("header not found", "eth_getBalance", nobody, "0x63")
	c.refuses("finalized block not found", "eth_getBlockByNumber", "finalized", false)
	c.refuses("hexadecimal", "eth_getStorageAt", nobody, "zz", "latest")
	c.refuses("unknown block", "eth_getLogs", map[string]any{"blockHash": nothing})
	c.refuses("beyond current head", "eth_getLogs", map[string]any{"toBlock": "0x63"})
	c.refuses("invalid block range", "eth_getLogs", map[string]any{"fromBlock": "0x2", "toBlock": "0x1"})
	c.refuses("filter not found", "eth_getFilterChanges", "0x1")
	c.refuses("does not exist", "admin_nodeInfo")
	c.refuses("does not exist", "debug_setHead", "0x1")
}

// A block, its transaction and the receipt say the same of each other, and hash to what they say.
func TestDevnet_MethodsTellOneStory(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := p.chain(t, "base")
	from := newAccount(t)
	p.fund(t, "base", from.address, "native", "1")
	tx := c.signed(from, common.Address{19: 1}, big(7), nil)
	c.check(c.SendTransaction(t.Context(), tx))
	var receipt *types.Receipt
	c.until("the receipt", func() (there bool) {
		receipt, _ = c.TransactionReceipt(t.Context(), tx.Hash())
		return receipt != nil
	})
	block, err := c.BlockByNumber(t.Context(), receipt.BlockNumber)
	c.check(err)
	if block.Hash() != receipt.BlockHash || block.Transactions()[receipt.TransactionIndex].Hash() != tx.Hash() {
		t.Errorf("block %v, receipt %+v", block.Hash(), receipt)
	}
	var told struct {
		Hash, BlockHash                               common.Hash
		From, To                                      common.Address
		BlockNumber, GasPrice, TransactionIndex, Type *hexutil.Big
	}
	for _, args := range [][]any{
		{"eth_getTransactionByHash", tx.Hash()},
		{"eth_getTransactionByBlockHashAndIndex", block.Hash(), hexutil.Uint64(receipt.TransactionIndex)},
		{"eth_getTransactionByBlockNumberAndIndex", (*hexutil.Big)(block.Number()), "0x0"},
	} {
		raw, err := c.ask(args[0].(string), args[1:]...)
		c.check(err)
		c.check(json.Unmarshal(raw, &told))
		if told.Hash != tx.Hash() || told.From != from.address || told.To != *tx.To() ||
			told.GasPrice.ToInt().Cmp(receipt.EffectiveGasPrice) != 0 ||
			told.BlockHash != block.Hash() || told.BlockNumber.ToInt().Cmp(block.Number()) != 0 {
			t.Errorf("%v: %s", args, raw)
		}
	}
	left := c.balance(from.address) // and what it paid is what the account had
	left.Add(left, tx.Value()).Add(left, big(1).Mul(receipt.EffectiveGasPrice, big(int64(receipt.GasUsed))))
	if left.Cmp(units("1", 18)) != 0 {
		t.Errorf("%v in all", left)
	}
	all, err := c.BlockReceipts(t.Context(), rpc.BlockNumberOrHashWithHash(block.Hash(), true))
	if c.check(err); len(all) != 1 || all[0].TxHash != tx.Hash() {
		t.Errorf("%v", all)
	}
}

// What waits is in the pool and in the pending block, by no hash yet; what no public node takes is refused.
func TestDevnet_MethodsOfWhatWaits(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := p.chain(t, "base")
	from := newAccount(t)
	p.fund(t, "base", from.address, "native", "1")
	c.check(p.SetAutomine(t.Context(), "base", false))
	tx := c.signed(from, common.Address{19: 1}, big(7), nil)
	c.check(c.SendTransaction(t.Context(), tx))
	if _, waits, err := c.TransactionByHash(t.Context(), tx.Hash()); err != nil || !waits {
		t.Errorf("waits: %v, %v", waits, err)
	}
	raw, err := c.ask("txpool_contentFrom", from.address)
	if c.check(err); !strings.Contains(string(raw), tx.Hash().Hex()) {
		t.Errorf("%s", raw)
	}
	if n, err := c.PendingNonceAt(t.Context(), from.address); err != nil || n != 1 || c.pending() != 1 {
		t.Errorf("nonce %d, %v, %d wait", n, err, c.pending())
	}
	signed, err := tx.MarshalBinary()
	c.check(err)
	c.refuses("already known", "eth_sendRawTransaction", hexutil.Bytes(signed))
	var late rpc.DataError
	next, err := c.sign(from, &types.DynamicFeeTx{
		Nonce: 1, To: tx.To(), Gas: 21000, GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
	}).MarshalBinary()
	c.check(err)
	if _, err := c.ask("eth_sendRawTransactionSync", hexutil.Bytes(next), 50); !errors.As(err, &late) ||
		err.(rpc.Error).ErrorCode() != 4 {
		t.Errorf("nobody mines: %v", err)
	}
	dear, err := c.sign(from, &types.DynamicFeeTx{
		Nonce: 2, To: tx.To(), Gas: 1_000_000, GasTipCap: big(1), GasFeeCap: big(2000 * params.GWei),
	}).MarshalBinary()
	c.check(err)
	c.refuses("tx fee (2.00 ether) exceeds the configured cap", "eth_sendRawTransaction", hexutil.Bytes(dear))
	anywhere, err := types.SignNewTx(from.key, types.HomesteadSigner{},
		&types.LegacyTx{To: tx.To(), Gas: 21000, GasPrice: big(1)})
	c.check(err)
	bytes, err := anywhere.MarshalBinary()
	c.check(err)
	c.refuses("only replay-protected", "eth_sendRawTransaction", hexutil.Bytes(bytes))
	blobs, err := types.SignNewTx(from.key, types.NewPragueSigner(big(84532)), &types.BlobTx{
		ChainID: uint256.NewInt(84532), Gas: 21000, GasFeeCap: uint256.NewInt(1e9), BlobFeeCap: uint256.NewInt(1e9),
		BlobHashes: []common.Hash{{1}}, Sidecar: &types.BlobTxSidecar{},
	})
	c.check(err)
	bytes, err = blobs.MarshalBinary()
	c.check(err)
	c.refuses("type not supported", "eth_sendRawTransaction", hexutil.Bytes(bytes))
}

// A call may be tried on another state, says why it is refused, and ends.
func TestDevnet_MethodsTryCalls(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := p.chain(t, "base")
	at, rich := newAccount(t).address, newAccount(t).address
	call := func(code string) []any {
		return []any{map[string]any{"to": at}, "latest", map[string]any{at.Hex(): map[string]any{"code": code}}}
	}
	c.want(`"0x`+strings.Repeat("0", 62)+`2a"`, "eth_call", call("0x602a60005260206000f3")...)
	word := "0x" + strings.Repeat("0", 62) + "07"
	c.want(`"`+word+`"`, "eth_call", map[string]any{"to": at}, "latest", map[string]any{at.Hex(): map[string]any{
		"code": "0x60005460005260206000f3", "stateDiff": map[string]string{common.Hash{}.Hex(): word},
	}})
	// Identity, which is no contract, gives way to code as well.
	c.want(`"0x`+strings.Repeat("0", 62)+`2a"`, "eth_call", map[string]any{"to": common.Address{19: 4}}, "latest",
		map[string]any{common.Address{19: 4}.Hex(): map[string]any{"code": "0x602a60005260206000f3"}})
	c.refuses("out of gas", "eth_call", call("0x5b600056")...) // jumps for ever
	var why rpc.DataError
	if _, err := c.ask("eth_call", call("0x602a60005260206000fd")...); !errors.As(err, &why) ||
		err.(rpc.Error).ErrorCode() != 3 || why.ErrorData() != "0x"+strings.Repeat("0", 62)+"2a" {
		t.Errorf("a revert: %v", err)
	}
	pays := map[string]any{"from": rich, "to": at, "value": "0x1"}
	c.refuses("insufficient funds", "eth_call", pays, "latest")
	has := map[string]any{rich.Hex(): map[string]any{"balance": "0x1"}}
	c.want(`"0x"`, "eth_call", pays, "latest", has)
	c.want(`"0x5208"`, "eth_estimateGas", pays, "latest", has)
	for field, value := range map[string]any{
		"chainId": "0x1", "blobVersionedHashes": []common.Hash{{}}, "gasPrice": "0x1", "input": "0x01",
	} {
		odd := map[string]any{"to": at, "data": "0x02", "maxFeePerGas": "0x1", field: value}
		if field != "gasPrice" {
			delete(odd, "maxFeePerGas")
		}
		c.refuses(field[:4], "eth_call", odd, "latest")
	}
	both := map[string]any{"state": map[string]string{}, "stateDiff": map[string]string{}}
	c.refuses("both", "eth_call", pays, "latest", map[string]any{at.Hex(): both})
}

// A filter tells each log once, and takes back what a reorg took away.
func TestDevnet_MethodsFilter(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := p.chain(t, "base")
	to := newAccount(t).address
	transfer := crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	topics := []any{transfer, nil, []any{common.BytesToHash(to[:])}}
	id, blocks := "", ""
	for method, into := range map[string]*string{"eth_newFilter": &id, "eth_newBlockFilter": &blocks} {
		args := []any{map[string]any{"address": c.usdc().address, "topics": topics}}
		if method == "eth_newBlockFilter" {
			args = nil
		}
		raw, err := c.ask(method, args...)
		c.check(err)
		c.check(json.Unmarshal(raw, into))
	}
	changes := func() (removed []bool) {
		t.Helper()
		var logs []types.Log
		raw, err := c.ask("eth_getFilterChanges", id)
		c.check(err)
		c.check(json.Unmarshal(raw, &logs))
		for _, l := range logs {
			removed = append(removed, l.Removed)
		}
		return removed
	}
	p.fund(t, "base", to, "USDC", "1")
	p.fund(t, "base", newAccount(t).address, "USDC", "1") // somebody else
	if got := changes(); !slices.Equal(got, []bool{false}) {
		t.Errorf("one came: %v", got)
	}
	if got := changes(); len(got) > 0 {
		t.Errorf("nothing came: %v", got)
	}
	c.check(p.Reorg(t.Context(), "base", 2, false))
	if got := changes(); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("it went, and came again: %v", got)
	}
	raw, err := c.ask("eth_getFilterLogs", id)
	c.check(err)
	if n := strings.Count(string(raw), `"transactionHash"`); n != 0 { // from "latest" on, whose block is empty
		t.Errorf("%d logs: %s", n, raw)
	}
	raw, err = c.ask("eth_getFilterChanges", blocks)
	if c.check(err); strings.Count(string(raw), "0x") != 2 {
		t.Errorf("two blocks came: %s", raw)
	}
	c.want("true", "eth_uninstallFilter", id)
	c.want("false", "eth_uninstallFilter", id)
}

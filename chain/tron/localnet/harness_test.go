package localnet_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/localnet"
)

const usdt = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf" // an address for it on a test network

var network = chain.Network{
	Slug: "tron", Name: "Tron Nile", Kind: chain.Tron, Cluster: "nile", Confirmations: 1, DataFee: true,
	Native: chain.Token{Symbol: "TRX", Decimals: 6},
	Tokens: []chain.Token{{Symbol: "USDT", Address: usdt, Decimals: 6}},
}

type object = map[string]any

// net is a chain behind HTTP.
type net struct {
	*testing.T
	dir, url string
	chain    *localnet.Chain
	server   *httptest.Server
}

func start(t *testing.T) *net {
	t.Helper()
	n := &net{T: t, dir: t.TempDir()}
	n.open()
	t.Cleanup(n.close)
	return n
}

func (n *net) open() {
	n.Helper()
	c, err := localnet.Open(n.dir, network)
	if err != nil {
		n.Fatal(err)
	}
	n.chain, n.server = c, httptest.NewServer(c.Handler(""))
	n.url = n.server.URL
}

func (n *net) close() {
	n.server.Close()
	if err := n.chain.Close(); err != nil {
		n.Error(err)
	}
}

// post asks a path, and tells what it answered.
func (n *net) post(path string, params object) (status int, answer string) {
	n.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		n.Fatal(err)
	}
	res, err := http.Post(n.url+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		n.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		n.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// ask wants an answer.
func (n *net) ask(path string, params object, to any) {
	n.Helper()
	status, text := n.post(path, params)
	if status != http.StatusOK {
		n.Fatalf("%s: %d %s", path, status, text)
	}
	if to == nil {
		return
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		n.Fatalf("%s: %s: %v", path, text, err)
	}
}

func (n *net) mine(blocks int) { n.ask("/dev/mine", object{"blocks": blocks}, nil) }

func (n *net) gives(a tron.Address, asset, amount string) string {
	n.Helper()
	var id struct{ TxID string }
	n.ask("/dev/faucet", object{"address": a.String(), "asset": asset, "amount": amount}, &id)
	return id.TxID
}

func keyOf(i byte) *secp256k1.PrivateKey {
	return secp256k1.PrivKeyFromBytes(bytes.Repeat([]byte{i}, 32))
}

func addressOf(k *secp256k1.PrivateKey) tron.Address {
	a, err := tron.AddressOf(k.PubKey().SerializeCompressed())
	if err != nil {
		panic(err)
	}
	return a
}

var alice, bob, carol = addressOf(keyOf(1)), addressOf(keyOf(2)), addressOf(keyOf(3))

type header struct {
	BlockID     string
	BlockHeader struct {
		RawData struct {
			Number, Timestamp int64
			ParentHash        string
		} `json:"raw_data"`
	} `json:"block_header"`
	Transactions []struct{ TxID string }
}

func (n *net) head(half string) (h header) {
	n.Helper()
	n.ask(half+"/getnowblock", nil, &h)
	return h
}

// pays is alice's transaction in an asset that names the newest block, and ends when change says so, in a minute else.
func (n *net) pays(t chain.Token, to tron.Address, amount int64, change func(*tron.Raw)) (raw []byte, id string) {
	n.Helper()
	call, err := tron.Family{}.Transfer(t, to.String(), big.NewInt(amount))
	if err != nil {
		n.Fatal(err)
	}
	h := n.head("/wallet")
	block, err := hex.DecodeString(h.BlockID)
	if err != nil {
		n.Fatal(err)
	}
	contract, err := tron.ParseAddress(call.To)
	if err != nil {
		n.Fatal(err)
	}
	tx := tron.Raw{
		RefBytes: [2]byte(block[6:8]), RefHash: [8]byte(block[8:16]), Owner: alice, To: contract,
		Amount: call.Value.Int64(), Data: call.Data, Timestamp: h.BlockHeader.RawData.Timestamp + 1,
		Expiration: h.BlockHeader.RawData.Timestamp + 60_000,
	}
	if len(call.Data) > 0 {
		tx.FeeLimit = 100_000_000
	}
	change(&tx)
	return n.signs(1, tx)
}

func (n *net) signs(key byte, tx tron.Raw) (raw []byte, id string) {
	n.Helper()
	digest := tx.Digest()
	compact := ecdsa.SignCompact(keyOf(key), digest[:], false)
	raw, err := tron.Signed{Raw: tx, Signature: [65]byte(append(compact[1:], compact[0]-27))}.Encode()
	if err != nil {
		n.Fatal(err)
	}
	return raw, tx.ID()
}

func asIs(*tron.Raw) {}

// sends hands bytes in and gives the code of the answer.
func (n *net) sends(node string, raw []byte) string {
	n.Helper()
	var a struct {
		Result                           bool
		Code, TxID, Message, Transaction string
	}
	n.ask(node+"/wallet/broadcasthex", object{"transaction": hex.EncodeToString(raw)}, &a)
	if a.Result != (a.Code == "SUCCESS") || a.TxID == "" || (a.Message == "") != a.Result {
		n.Errorf("%+v", a)
	}
	return a.Code
}

// info is what came of a transaction.
type info struct {
	ID, Result, ResMessage string
	Fee, BlockNumber       int64
	ContractResult         []string
	Receipt                struct {
		EnergyFee        int64 `json:"energy_fee"`
		EnergyUsageTotal int64 `json:"energy_usage_total"`
		NetUsage         int64 `json:"net_usage"`
		NetFee           int64 `json:"net_fee"`
		Result           string
	}
	Log []struct {
		Address, Data string
		Topics        []string
	}
}

func (n *net) info(half, id string) (i info) {
	n.Helper()
	n.ask(half+"/gettransactioninfobyid", object{"value": id}, &i)
	return i
}

// sun is what an account has in TRX, and false where nothing opened it.
func (n *net) sun(half string, a tron.Address) (int64, bool) {
	n.Helper()
	var has struct {
		Address string
		Balance int64
	}
	n.ask(half+"/getaccount", object{"address": a.String(), "visible": true}, &has)
	if has.Address != "" && has.Address != a.String() {
		n.Errorf("%s is %s", a, has.Address)
	}
	return has.Balance, has.Address != ""
}

// tokens asks the contract.
func (n *net) tokens(half string, a tron.Address) string {
	n.Helper()
	var r struct {
		Result         object
		ConstantResult []string `json:"constant_result"`
	}
	n.ask(half+"/triggerconstantcontract", object{
		"owner_address": alice.String(), "contract_address": usdt, "function_selector": "balanceOf(address)",
		"parameter": fmt.Sprintf("%064x", a[:]), "visible": true,
	}, &r)
	if len(r.ConstantResult) != 1 {
		n.Fatalf("%+v", r)
	}
	number, _ := new(big.Int).SetString(r.ConstantResult[0], 16)
	return number.String()
}

package fakeapi

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// The one chain and the one token there are.
const (
	ChainID = 84532
	USDC    = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
)

type transaction struct {
	fields object // as it is read
	units  string

	request     txRequest
	fingerprint string
	nonce       uint64
	place       *wire.ReplacedParams
}

func toUnits(amount string, decimals int) string {
	whole, fraction, _ := strings.Cut(amount, ".")
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", max(0, decimals-len(fraction))), 10)
	if n == nil {
		return "0"
	}
	return n.String()
}

type txRequest struct {
	Type, SignWith, To, Amount, TokenAddress, Data, Value, UnsignedTransaction, Replaces string
	ChainID                                                                              uint64
}

// intent is what the request means, as body and as effects.
func (q txRequest) intent() (wire.SignIntentParams, []chain.Effect, string) {
	p := wire.SignIntentParams{
		SignWith: q.SignWith, Chain: "base", ChainID: strconv.FormatUint(q.ChainID, 10),
		To: q.To, Value: "0", Data: "0x", GasLimit: "21000", MaxTotalFee: "42000000000000",
	}
	e := chain.Effect{Kind: chain.Transfer, From: q.SignWith, To: q.To}
	switch q.Type {
	case "transfer_token":
		e.Asset, e.Amount, e.Symbol, e.Decimals = q.TokenAddress, toUnits(q.Amount, 6), "USDC", 6
		e.Display, e.Contract = q.Amount+" USDC", q.TokenAddress
		units, _ := new(big.Int).SetString(e.Amount, 10)
		p.To = q.TokenAddress
		p.Data = fmt.Sprintf("0xa9059cbb%064s%064x", strings.ToLower(strings.TrimPrefix(q.To, "0x")), units)
		p.Transfer = &wire.TransferParams{Token: q.TokenAddress, To: q.To, Amount: e.Amount}
	case "transfer_native":
		e.Asset, e.Amount, e.Symbol, e.Decimals = "native", toUnits(q.Amount, 18), "ETH", 18
		p.Value = e.Amount
	default:
		p.Data = q.Data
		if q.Value != "" {
			p.Value = q.Value
		}
		e = chain.Effect{Kind: chain.UnknownCall, From: q.SignWith, Contract: q.To}
	}
	return p, []chain.Effect{e}, e.Amount
}

func (s *Server) organizationOf(address string) string {
	for _, x := range s.wallets {
		for _, a := range x.accounts {
			if strings.EqualFold(a.Address, address) {
				return x.subOrganization
			}
		}
	}
	return ""
}

// DataFee is what every preview shows as the data fee, in wei.
const DataFee = "7000"

func (s *Server) prepareTransaction(w http.ResponseWriter, r *http.Request) {
	var in txRequest
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	kind, replaces := in.Type, in.Replaces
	place := s.place(&in)
	organization := s.organizationOf(in.SignWith)
	if organization == "" {
		s.prepareExternal(w, r, in)
		return
	}
	params, effects, units := in.intent()
	shown := wire.Preview{
		SignWith:    in.SignWith,
		Chain:       "base",
		ChainID:     params.ChainID,
		Effects:     effects,
		MaxTotalFee: params.MaxTotalFee,
		DataFee:     DataFee,
	}
	if params.Replaces = place; place != nil {
		shown.Replaces, shown.Nonce = place.Fingerprint, place.Nonce
	}
	var id string
	var fields object
	if in.Type == "sign" {
		exact := wire.SignTransactionParams{
			SignWith: in.SignWith, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: params.ChainID,
			UnsignedTransaction: in.UnsignedTransaction,
		}
		id, fields = s.prepare(wire.SignTransaction, organization, exact, shown)
	} else {
		id, fields = s.prepare(wire.SignIntent, organization, params, shown)
	}
	record := object{
		"transactionId": id, "unsignedTransaction": "0x02", "from": in.SignWith, "to": in.To, "amount": in.Amount,
		"chainId": in.ChainID, "tokenAddress": in.TokenAddress, "network": "Base Sepolia",
		"status": "awaiting_signature", "custody": "enclave",
		"createdAt": now(), "expiresAt": fields["expiresAt"], "fee": object{
			"gasLimit": "21000", "maxFeePerGas": "2000000000", "maxPriorityFeePerGas": "1",
			"maxTotalFee": params.MaxTotalFee,
		},
	}
	if place != nil {
		record["replaces"] = replaces
	}
	s.transactions[id] = &transaction{
		fields: record, units: units, request: in, place: place, fingerprint: fields["fingerprint"].(string),
	}
	s.order = append(s.order, id)
	answer := object{}
	for _, from := range []object{record, fields} {
		for k, v := range from {
			answer[k] = v
		}
	}
	respond(w, r, http.StatusOK, answer, nil)
	record["type"], record["updatedAt"] = kind, record["createdAt"]
}

func (s *Server) confirmTransaction(w http.ResponseWriter, r *http.Request) {
	var in confirmation
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	t := s.transactions[in.TransactionID]
	if t == nil {
		fail(w, r, http.StatusNotFound, "not_found", "Transaction not found")
		return
	}
	if t.fields["status"] == "cancelled" {
		fail(w, r, http.StatusConflict, "transaction_state", "Transaction is cancelled")
		return
	}
	if t.fields["custody"] == "external" {
		s.confirmExternal(w, r, t, in)
		return
	}
	if !s.stamped(w, r, in.TransactionID, in) {
		return
	}
	t.fields["proof"] = s.execute(in.SignedActivity.Body, func(b wire.Body) *wire.Result {
		t.nonce = s.seq
		if t.place != nil {
			t.nonce, _ = strconv.ParseUint(t.place.Nonce, 10, 64)
		}
		t.fields["signedTransaction"], t.fields["txHash"] = t.request.sign(t.nonce)
		t.fields["nonce"] = t.nonce
		t.fields["status"] = "broadcast"
		if in.Broadcast != nil && !*in.Broadcast {
			t.fields["status"] = "pending"
		}
		s.add(t.fields["tokenAddress"], t.fields["to"], t.units)
		return &wire.Result{Transaction: &wire.Transaction{
			SignWith: t.fields["from"].(string), Chain: "base",
			ChainID: strconv.FormatUint(t.fields["chainId"].(uint64), 10), Nonce: strconv.FormatUint(t.nonce, 10),
			SignedTransaction: t.fields["signedTransaction"].(string), TxHash: t.fields["txHash"].(string),
		}}
	})
	respond(w, r, http.StatusOK, t.fields, nil)
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, status string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	items := []object{}
	for i := len(s.order) - 1; i >= 0; i-- {
		t := s.transactions[s.order[i]]
		if status == "" || t.fields["status"] == status {
			items = append(items, t.fields)
		}
	}
	respond(w, r, http.StatusOK, items, meta(len(items)))
}

func (s *Server) listTransactions(w http.ResponseWriter, r *http.Request) {
	s.list(w, r, r.URL.Query().Get("status"))
}

func (s *Server) listPending(w http.ResponseWriter, r *http.Request) {
	s.list(w, r, "awaiting_signature")
}

func (s *Server) one(w http.ResponseWriter, r *http.Request, change func(*transaction) object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	t := s.transactions[r.PathValue("id")]
	if t == nil {
		fail(w, r, http.StatusNotFound, "not_found", "Transaction not found")
		return
	}
	respond(w, r, http.StatusOK, change(t), nil)
}

func (s *Server) getTransaction(w http.ResponseWriter, r *http.Request) {
	s.one(w, r, func(t *transaction) object { return t.fields })
}

func (s *Server) cancelTransaction(w http.ResponseWriter, r *http.Request) {
	s.one(w, r, func(t *transaction) object {
		t.fields["status"] = "cancelled"
		return t.fields
	})
}

func (s *Server) broadcast(w http.ResponseWriter, r *http.Request) {
	s.one(w, r, func(t *transaction) object {
		if t.fields["status"] == "broadcast" && r.Method == http.MethodGet {
			t.fields["status"] = "confirmed"
		}
		return object{
			"transactionId": t.fields["transactionId"], "txHash": t.fields["txHash"], "status": t.fields["status"],
			"network": t.fields["network"], "broadcastedAt": t.fields["createdAt"], "confirmedAt": nil,
			"blockNumber": 7, "confirmations": 1,
		}
	})
}

func (s *Server) walletTransactions(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	items := []object{}
	for _, id := range s.order {
		f := s.transactions[id].fields
		items = append(items, object{
			"id": id, "txHash": f["txHash"], "type": "send", "amount": f["amount"], "tokenSymbol": "USDC",
			"from": f["from"], "to": f["to"], "counterparty": f["to"], "network": f["network"], "status": "confirmed",
			"timestamp": f["createdAt"],
		})
	}
	if x := s.wallets[r.PathValue("id")]; x != nil {
		items = append(items, s.receivedBy(x)...)
	}
	respond(w, r, http.StatusOK, items, meta(len(items)))
}

// receivedBy are the lines of what the faucet gave to a wallet.
func (s *Server) receivedBy(x *wallet) (lines []object) {
	for _, f := range s.drops {
		for _, a := range x.accounts {
			if strings.EqualFold(a.Address, fmt.Sprint(f["to"])) {
				lines = append(lines, f)
			}
		}
	}
	return lines
}

func (s *Server) faucet(w http.ResponseWriter, r *http.Request) {
	var in struct{ Chain, Address, Asset, Amount string }
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	hash := "0x" + random(32)
	if in.Asset != "native" {
		s.add(USDC, in.Address, toUnits(in.Amount, 6))
		s.drops = append(s.drops, object{
			"id": hash, "txHash": hash, "type": "receive", "amount": in.Amount, "tokenSymbol": in.Asset, "from": USDC,
			"to": in.Address, "counterparty": USDC, "network": in.Chain, "status": "confirmed", "blockNumber": 7,
			"timestamp": now(),
		})
	}
	respond(w, r, http.StatusOK, object{
		"txHash": hash, "chain": in.Chain, "address": in.Address, "asset": in.Asset, "amount": in.Amount,
	}, nil)
}

// add gives somebody money, out of nothing.
func (s *Server) add(token, to any, units string) {
	key := strings.ToLower(fmt.Sprint(token, to))
	have, _ := new(big.Int).SetString("0"+s.balances[key], 10)
	more, _ := new(big.Int).SetString("0"+units, 10)
	s.balances[key] = have.Add(have, more).String()
}

// rpc answers eth_call of balanceOf(address), and eth_getBalance.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     any
		Method string
		Params []json.RawMessage
	}
	if !read(w, r, &in) {
		return
	}
	if in.Method == "eth_getBalance" {
		write(w, http.StatusOK, object{"jsonrpc": "2.0", "id": in.ID, "result": "0xde0b6b3a7640000"})
		return
	}
	var call struct{ To, Data string }
	if in.Method != "eth_call" || len(in.Params) == 0 || json.Unmarshal(in.Params[0], &call) != nil ||
		len(call.Data) != 74 {
		write(w, http.StatusOK, object{
			"jsonrpc": "2.0", "id": in.ID, "error": object{"code": -32601, "message": "method not found"},
		})
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	n, _ := new(big.Int).SetString("0"+s.balances[strings.ToLower(call.To+"0x"+call.Data[34:])], 10)
	write(w, http.StatusOK, object{"jsonrpc": "2.0", "id": in.ID, "result": fmt.Sprintf("0x%064x", n)})
}

package widget_test

import (
	"encoding/json"
	"io"
	"math/big"
	"net/http"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	railkit "github.com/railkit/railkit/sdk/go"
)

// sentTransaction is what a page asks a wallet to send.
type sentTransaction struct {
	From, To, ChainID string
	Value             hexutil.Big
	Data              hexutil.Bytes
}

type walletError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// wallet answers what a page asks its visitor's wallet. It signs with a key of its own, and sends to the devnet.
func (w *world) wallet(out http.ResponseWriter, r *http.Request) {
	var asked struct {
		Method string
		Params []json.RawMessage
	}
	answer := map[string]any{}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		answer["error"] = walletError{-32700, err.Error()}
	} else if result, err := w.answer(r, asked.Method, asked.Params); err != nil {
		answer["error"] = err
	} else {
		answer["result"] = result
	}
	_ = json.NewEncoder(out).Encode(answer)
}

func (w *world) answer(r *http.Request, method string, params []json.RawMessage) (any, *walletError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, method)
	if w.refuses == method {
		return nil, &walletError{4001, "User rejected the request."}
	}
	switch method {
	case "eth_requestAccounts":
		return []string{w.account.Hex()}, nil
	case "eth_chainId":
		return w.chainID, nil
	case "wallet_switchEthereumChain":
		var to struct{ ChainID string }
		if json.Unmarshal(params[0], &to) != nil || to.ChainID != "0x14a34" {
			return nil, &walletError{4902, "Unrecognized chain ID."}
		}
		w.chainID = to.ChainID
		return nil, nil
	case "eth_sendTransaction":
		return w.send(r, params[0])
	}
	var result any
	args := make([]any, len(params))
	for i, p := range params {
		args[i] = p
	}
	if err := w.node.Client().CallContext(r.Context(), &result, method, args...); err != nil {
		return nil, &walletError{-32603, err.Error()}
	}
	return result, nil
}

// send signs a transaction as it was asked for, and nothing else.
func (w *world) send(r *http.Request, raw json.RawMessage) (any, *walletError) {
	var tx sentTransaction
	if err := json.Unmarshal(raw, &tx); err != nil {
		return nil, &walletError{-32602, err.Error()}
	}
	w.sent = append(w.sent, tx)
	nonce, err := w.node.PendingNonceAt(r.Context(), w.account)
	if err != nil {
		return nil, &walletError{-32603, err.Error()}
	}
	to := common.HexToAddress(tx.To)
	signed, err := types.SignNewTx(w.key, types.LatestSignerForChainID(big.NewInt(84532)), &types.DynamicFeeTx{
		ChainID: big.NewInt(84532), Nonce: nonce, GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(20e9), Gas: 200_000,
		To: &to, Value: tx.Value.ToInt(), Data: tx.Data,
	})
	if err == nil {
		err = w.node.SendTransaction(r.Context(), signed)
	}
	if err != nil {
		return nil, &walletError{-32603, err.Error()}
	}
	return signed.Hash().Hex(), nil
}

// backend is the shop's own, which holds the API key: it prepares what the visitor asks for.
func (w *world) backend(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.handed = append(w.handed, string(body))
	link := w.ceremony
	w.mu.Unlock()
	if link == "" {
		var prepared *railkit.PreparedTransaction
		if prepared, err = w.client.Transactions.Prepare(r.Context(), w.owner.Payment(ana, "25.5")); err == nil {
			link = prepared.CeremonyURL
		}
	}
	if err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(out).Encode(map[string]string{"ceremonyUrl": link})
}

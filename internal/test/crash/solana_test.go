package crash_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solanaPayee has nothing at the beginning.
const solanaPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"

// onSolana is the owner's account there.
type onSolana struct {
	address string
	mint    string
}

// fundOnSolana gives the owner an account and money.
func (w *world) fundOnSolana() {
	w.t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	token, _ := n.TokenBySymbol("USDC")
	account, err := w.api.Addresses.Create(w.t.Context(), w.owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: w.owner.Wallet.WalletID, Chain: "solana",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.solana = onSolana{account.Address, token.Address}
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		if _, err := w.api.Sandbox.Faucet(w.t.Context(), railkit.FaucetRequest{
			Chain: "solana", Address: account.Address, Asset: asset, Amount: amount,
		}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) prepareOnSolana() prepared {
	w.t.Helper()
	return w.prepareAny(railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: w.solana.address, Network: "solana", To: solanaPayee, Amount: "1",
		TokenAddress: w.solana.mint,
	})
}

// payOnSolana dies between the stamp and the end: whatever dies, the body is one message, and is paid once.
func payOnSolana(w *world, arm func()) {
	p := w.prepareOnSolana()
	arm()
	w.sign(p, nil)
}

// holdOnSolana signs, and sends later.
func holdOnSolana(w *world, arm func()) {
	p := w.prepareOnSolana()
	w.sign(p, map[string]any{"broadcast": false})
	arm()
	w.once(http.MethodPost, "/v1/transactions/broadcast/"+p.id, "")
}

func abandonedOnSolana(w *world) {
	p := w.prepareOnSolana()
	w.ends[p.id] = "confirmed"
	w.abandon(confirmPath, p.confirmation(w.t, "transactionId", nil), signed, abandonedTransaction...)
}

// killedOnSolana has the chain's own program killed between signature and block, and again once it is in one: what it
// has acknowledged is there when it is back.
func killedOnSolana(w *world) {
	p := w.prepareOnSolana()
	w.sign(p, map[string]any{"broadcast": false})
	w.Kill(apptest.Chain)
	w.once(http.MethodPost, "/v1/transactions/broadcast/"+p.id, "")
	w.Kill(apptest.Chain)
}

// askSolana calls the chain. A refusal is an error.
func (w *world) askSolana(method string, result any, params ...any) error {
	body := apptest.JSON(w.t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	res, err := http.Post(w.Devnet.RPCURL("solana"), "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var a struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		return err
	}
	if a.Error != nil {
		return fmt.Errorf("%s: %s", method, a.Error.Message)
	}
	return json.Unmarshal(a.Result, result)
}

// settledOnSolana holds the rows against the chain, by its own bytes and balances.
func (w *world) settledOnSolana(rows []railkit.Transaction) {
	w.t.Helper()
	paid, hashes := uint64(0), map[string]bool{}
	for _, row := range rows {
		if hashes[row.TxHash] {
			w.t.Errorf("two rows are the message %s", row.TxHash)
		}
		hashes[row.TxHash] = true
		var landed *struct{ Transaction []string }
		err := w.askSolana("getTransaction", &landed, row.TxHash, map[string]any{
			"encoding": "base64", "maxSupportedTransactionVersion": 1,
		})
		raw, bad := chain.ParseHex(row.SignedTransaction)
		if err != nil || bad != nil || row.Status != "confirmed" || landed == nil ||
			landed.Transaction[0] != base64.StdEncoding.EncodeToString(raw) {
			w.t.Errorf("%s is %s, and the chain has %+v: %v", row.TransactionID, row.Status, landed, err)
		}
		paid++
	}
	if micro := w.heldOnSolana(solanaPayee); micro != paid*1_000_000 {
		w.t.Errorf("%d payments on Solana are confirmed, and %d units arrived", paid, micro)
	}
}

func (w *world) heldOnSolana(owner string) (micro uint64) {
	w.t.Helper()
	to, err := solana.ParseAddress(owner)
	mint, err2 := solana.ParseAddress(w.solana.mint)
	if err != nil || err2 != nil {
		w.t.Fatal(err, err2)
	}
	var held struct{ Value struct{ Amount string } }
	at := solana.AssociatedAddress(to, mint, solana.TokenProgram).String()
	if err := w.askSolana("getTokenAccountBalance", &held, at); err != nil {
		return 0 // nothing was ever paid
	}
	if micro, err = strconv.ParseUint(held.Value.Amount, 10, 64); err != nil {
		w.t.Fatal(err)
	}
	return micro
}

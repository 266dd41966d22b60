package signing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
)

// tronFunded is whom the faucet funds.
const tronFunded = "TKHuVq1oKVruCGLvqVexFs6dawKv6fQgFs"

// Each call that is said to work on Tron does. Those that do not are refused in internal/test/walk.
func TestSigning_TronCalls(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	made := w.calls()
	for _, c := range api.Calls {
		call, has := made[c.Operation]
		if delete(made, c.Operation); has == (c.Not[chain.Tron] != "") {
			t.Errorf("%s: works on Tron, says the list: %v, and is made here: %v", c.Operation, !has, has)
		}
		if has {
			if err := call(); err != nil {
				t.Errorf("%s: %v", c.Operation, err)
			}
		}
	}
	for name := range made {
		t.Errorf("%s is not in the list", name)
	}
}

// calls make each call that works on Tron, in a way that has to succeed.
func (w *tronWorld) calls() map[string]func() error {
	from := w.alice.Address.Address
	asks := func(method, path, body string) func() error {
		return func() error {
			if got := w.Do(w.Keys.BenchKey, method, path, body); got.Status >= 300 {
				return fmt.Errorf("%d %s", got.Status, got.Body)
			}
			return nil
		}
	}
	send := func() error {
		_, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "1"))
		return err
	}
	return map[string]func() error{
		"POST /v1/signing/wallets/prepare": func() error {
			made, err := w.c.Wallets.Create(ctx, w.alice.Passkey, railkit.PrepareWalletRequest{
				WalletName: "Another", Chain: "tron", SubOrganizationID: w.alice.Sub.SubOrganizationID,
			})
			if err == nil && (len(made.Addresses) != 1 || made.Addresses[0].Address[0] != 'T') {
				err = fmt.Errorf("it has %+v", made.Addresses)
			}
			return err
		},
		"POST /v1/signing/wallets/accounts/prepare": func() error {
			_, err := w.c.Addresses.Create(ctx, w.alice.Passkey, railkit.PrepareAccountRequest{
				WalletID: w.alice.Wallet.WalletID, Chain: "tron",
			})
			return err
		},
		"POST /v1/transactions/prepare":       send,
		"POST /v1/transactions/confirm":       send,
		"POST /v1/transactions/sign":          func() error { _, err := w.exact("1"); return err },
		"POST /v1/transactions/broadcast/raw": w.sendExact,
		"POST /v1/signing/messages/sign": func() error {
			req := railkit.SignMessageRequest{SignWith: from, Type: railkit.MessageText, Payload: "Hello"}
			req.SignedActivity = stampedBy(w.t, w.alice)(w.c.Messages.Prepare(ctx, req))
			_, err := w.c.Messages.Sign(ctx, req)
			return err
		},
		"GET /v1/balance/token":    asks("GET", "/v1/balance/token?chain=tron&symbol=USDT&address="+from, ""),
		"GET /v1/balance/activity": asks("GET", "/v1/balance/activity?chain=tron&address="+from, ""),
		"GET /v1/signing/payees":   asks("GET", "/v1/signing/payees?network=tron", ""),
		"POST /v1/signing/payees": func() error {
			req := payeeOf(w.alice, "Ana", tronPayee)
			req.Network = "tron"
			added(w.t, w.c, w.alice, req)
			return nil
		},
		"GET /v1/action/blocks/recent/{chain}": asks("GET", "/v1/action/blocks/recent/tron", ""),
		"POST /v1/action/builders/transfer-native": asks("POST", "/v1/action/builders/transfer-native",
			`{"chain":"tron","title":"Tip","description":"A tip","url":"https://app.example.com/tip","address":"`+
				tronPayee+`"}`),
		"POST /v1/sandbox/faucet": func() error { return w.faucet() },
		"POST /v1/sandbox/mine":   asks("POST", "/v1/sandbox/mine", `{"chain":"tron","blocks":20}`),
		"POST /v1/sandbox/simulate-deposit": asks("POST", "/v1/sandbox/simulate-deposit",
			`{"chain":"tron","currency":"usdt","amount":"1","address":"`+tronPayee+`"}`),
	}
}

// faucet has the sandbox's faucet give both of Tron's assets, each once however often it is asked.
func (w *tronWorld) faucet() error {
	for asset, amount := range map[string]string{"native": "5", "USDT": "7"} {
		if _, err := w.c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "tron", Address: tronFunded, Asset: asset, Amount: amount,
		}); err != nil {
			return err
		}
	}
	if sun, micro := w.Held(tronFunded); sun != 5_000_000 || micro != 7_000_000 {
		return fmt.Errorf("it gave %d sun and %d of USDT", sun, micro)
	}
	return nil
}

// unsigned are the bytes of a payment that a node has made.
func (w *tronWorld) unsigned(sun string) (req railkit.SignTransactionRequest, err error) {
	body := fmt.Sprintf(`{"owner_address":%q,"to_address":%q,"amount":%s,"visible":true}`, w.alice.Address.Address,
		tronPayee, sun)
	res, err := http.Post(w.URL+"/node/a/wallet/createtransaction", "application/json", bytes.NewBufferString(body))
	if err != nil {
		return req, err
	}
	defer res.Body.Close()
	var made struct {
		Raw string `json:"raw_data_hex"`
	}
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || made.Raw == "" {
		return req, fmt.Errorf("the node makes no transaction: %w", err)
	}
	return railkit.SignTransactionRequest{
		SignWith: w.alice.Address.Address, Network: "tron", Type: "TRANSACTION_TYPE_TRON",
		UnsignedTransaction: "0x" + made.Raw,
	}, nil
}

// exact has the owner sign them.
func (w *tronWorld) exact(sun string) (*railkit.Transaction, error) {
	req, err := w.unsigned(sun)
	if err != nil {
		return nil, err
	}
	p, err := w.c.Transactions.PrepareSigning(ctx, req)
	if err != nil {
		return nil, err
	}
	stamp, err := w.alice.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		return nil, err
	}
	signed := p.Signed(stamp)
	req.SignedActivity = &signed
	return w.c.Transactions.Sign(ctx, req)
}

// sendExact broadcasts bytes that the owner has signed.
func (w *tronWorld) sendExact() error {
	t, err := w.exact("2")
	if err != nil {
		return err
	}
	sent, err := w.c.Transactions.BroadcastRaw(ctx, railkit.RawTransaction{SignedTransaction: t.SignedTransaction})
	if err == nil && sent.TxHash == "" {
		err = fmt.Errorf("%+v", sent)
	}
	return err
}

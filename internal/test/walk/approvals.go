package walk

import (
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	railkit "github.com/railkit/railkit/sdk/go"
)

const approvalsPath = "/v1/signing/approvals"

// signTransaction asks without a stamp for bytes of the world's own, which wait
// for a vote then.
func signTransaction(w *World) Request {
	w.T.Helper()
	to, err := evm.ParseAddress(payee)
	if err != nil {
		w.T.Fatal(err)
	}
	w.made++
	tx := evm.Tx{
		ChainID:  84532,
		GasPrice: big.NewInt(2_000_000_000),
		GasLimit: 21_000,
		To:       &to,
		Nonce:    uint64(w.made),
		Value:    big.NewInt(1),
	}
	return w.post(txPath+"/sign", map[string]any{
		"signWith": w.Owner().Address.Address, "unsignedTransaction": chain.Hex(tx.Unsigned()),
		"type": "TRANSACTION_TYPE_ETHEREUM",
	})
}

func signMessage(w *World) Request {
	return w.post("/v1/signing/messages/sign", map[string]string{
		"signWith": w.Owner().Address.Address, "type": "EIP191_TEXT", "payload": w.name("Hello"),
	})
}

// approval is the path of one that waits.
func (w *World) approval() string {
	w.T.Helper()
	var q struct{ ApprovalID string }
	w.must(signTransaction(w), &q)
	return approvalsPath + "/" + q.ApprovalID
}

// ballot is the last vote for something that waits.
func (w *World) ballot(verb string) Request {
	w.T.Helper()
	path := w.approval()
	var p railkit.Prepared
	w.must(w.post(path+"/"+verb+"?prepare=true", nil), &p)
	stamp, err := w.Owner().Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.post(path+"/"+verb, map[string]any{"signedActivity": p.Signed(stamp)})
}

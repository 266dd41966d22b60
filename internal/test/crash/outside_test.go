package crash_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// outsider holds a key that no wallet has.
type outsider struct {
	secret []byte
	from   evm.Address
	sent   uint64
}

func (w *world) newOutsider() outsider {
	w.t.Helper()
	o := outsider{secret: make([]byte, 32)}
	_, _ = rand.Read(o.secret) // never fails
	var err error
	if o.from, err = evm.AddressOf(secp256k1.PrivKeyFromBytes(o.secret).PubKey().SerializeCompressed()); err != nil {
		w.t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "100"} {
		if _, err := w.api.Sandbox.Faucet(w.t.Context(), railkit.FaucetRequest{
			Chain: "base", Address: o.from.String(), Asset: asset, Amount: amount,
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	return o
}

// signOutside prepares a payment and signs it. Nobody reserves a nonce for a key
// outside: the ones before have to be mined first.
func (w *world) signOutside() (id, confirmation string) {
	w.t.Helper()
	node := w.dial()
	w.until("what was signed outside before is mined", func() error {
		mined, err := node.NextNonce(w.t.Context(), w.outside.from.String())
		if err == nil && mined != w.outside.sent {
			err = fmt.Errorf("%d of %d are", mined, w.outside.sent)
		}
		return err
	})
	w.outside.sent++
	request := w.owner.Payment(w.payee, "1")
	request.SignWith = w.outside.from.String()
	var p struct{ Data railkit.PreparedTransaction }
	if err := json.Unmarshal(
		[]byte(w.once(http.MethodPost, preparePath, apptest.JSON(w.t, request)).Body), &p,
	); err != nil {
		w.t.Fatal(err)
	}
	raw, err := chain.ParseHex(p.Data.UnsignedTransaction)
	if err != nil {
		w.t.Fatal(err)
	}
	tx, err := evm.DecodeUnsigned(raw)
	if err != nil {
		w.t.Fatal(err)
	}
	signed, err := evm.SignTx(tx, w.outside.secret, w.outside.from)
	if err != nil {
		w.t.Fatal(err)
	}
	w.ends[p.Data.TransactionID], w.answers[p.Data.TransactionID] = "confirmed", chain.Hex(signed)
	return p.Data.TransactionID, apptest.JSON(w.t, railkit.ConfirmSignedRequest{
		TransactionID: p.Data.TransactionID, SignedTransaction: chain.Hex(signed),
	})
}

func confirmOutside(w *world, arm func()) {
	id, body := w.signOutside()
	signed := w.answers[id]
	arm()
	w.confirm(id, body)
	if w.answers[id] != signed {
		w.t.Errorf("%s was handed in and %s is the answer", signed, w.answers[id])
	}
}

// abandonedOutside is kept and not sent when the server dies, and nobody asks again.
func abandonedOutside(w *world) {
	_, body := w.signOutside()
	w.abandon(confirmPath, body, "node.before-send", "transaction.broadcast.before-commit",
		"transaction.confirmed.before-commit")
}

package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

// receive has a token come to the owner's wallet. However often the watcher dies
// over it, it is in the history, once.
func receive(w *world, arm func()) {
	arm()
	hash, err := w.Devnet.Faucet(w.t.Context(), "base", w.owner.Address.Address, "USDC", "3")
	if err != nil {
		w.t.Fatal(err)
	}
	path := "/v1/signing/wallets/" + w.owner.Wallet.WalletID + "/transactions?direction=in&limit=100"
	w.until("what came in is in the history", func() error {
		got, err := w.send(http.MethodGet, path, "", "")
		if err != nil {
			return err
		}
		var page struct {
			Data []railkit.WalletTransaction
		}
		if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
			return fmt.Errorf("%d %.200s", got.Status, got.Body)
		}
		lines := 0
		for _, l := range page.Data {
			if strings.EqualFold(l.TxHash, hash) && l.Status == "confirmed" && l.Amount == "3" {
				lines++
			}
		}
		if lines > 1 || strings.Count(got.Body, hash) > 1 {
			w.t.Fatalf("it came in twice: %s", got.Body)
		}
		if lines == 0 {
			return fmt.Errorf("%d %.400s", got.Status, got.Body)
		}
		return nil
	})
}

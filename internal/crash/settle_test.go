package crash_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// settle waits until everything has ended, and compares what the API, the signer
// and the chain say about it.
func (w *world) settle() {
	w.t.Helper()
	rows := map[string]railkit.Transaction{}
	w.until("every transaction has ended", func() error { return w.read(rows) })
	confirmed := uint64(0)
	nonces := map[uint64]string{}
	for id, row := range rows {
		if first := w.answers[id]; first != "" && row.SignedTransaction != first {
			w.t.Errorf("%s is %s, and was answered as %s", id, row.SignedTransaction, first)
		}
		if row.Status != "confirmed" {
			continue
		}
		confirmed++
		if other, twice := nonces[*row.Nonce]; twice {
			w.t.Errorf("%s and %s have one nonce", id, other)
		}
		nonces[*row.Nonce] = id
		w.compare(row)
	}
	for n := range confirmed {
		if nonces[n] == "" {
			w.t.Errorf("nonce %d was left out", n)
		}
	}
	w.count(confirmed)
	w.StopAll()
	w.journaled(confirmed)
	w.t.Logf("%d transactions, %d confirmed", len(rows), confirmed)
}

func (w *world) read(rows map[string]railkit.Transaction) error {
	clear(rows)
	for row, err := range w.api.AllTransactions(w.t.Context(), railkit.TransactionListOptions{}) {
		if err != nil {
			return err
		}
		if want, known := w.ends[row.TransactionID]; known && row.Status != want {
			return fmt.Errorf("%s is %s", row.TransactionID, row.Status)
		}
		rows[row.TransactionID] = row
	}
	for id := range w.ends {
		if _, found := rows[id]; !found {
			return fmt.Errorf("%s is lost", id)
		}
	}
	return nil
}

// compare holds a row against the signer's journal and the chain.
func (w *world) compare(row railkit.Transaction) {
	w.t.Helper()
	signer := client.New(w.EnclaveSock, w.EnclaveKey)
	defer signer.Close()
	out, err := signer.Outcome(w.t.Context(), railkit.Fingerprint(w.bodies[row.TransactionID]))
	if err != nil || out.Statement.Result == nil || out.Statement.Result.Transaction.SignedTransaction != row.SignedTransaction {
		w.t.Errorf("the signer has other bytes for %s: %+v, %v", row.TransactionID, out, err)
	}
	var mined string
	w.ask("eth_getRawTransactionByHash", &mined, row.TxHash)
	if mined != row.SignedTransaction {
		w.t.Errorf("the chain has other bytes for %s: %s", row.TransactionID, mined)
	}
}

// ask calls the chain.
func (w *world) ask(method string, result any, params ...any) {
	w.t.Helper()
	body := apptest.JSON(w.t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	resp, err := http.Post(w.Devnet.RPCURL("base"), "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&struct{ Result any }{result}); err != nil {
		w.t.Fatalf("%s: %v", method, err)
	}
}

// count holds what arrived and what was used up against what was confirmed.
func (w *world) count(confirmed uint64) {
	w.t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "base")
	node, err := rpc.Dial(w.t.Context(), w.Devnet.RPCURL("base"), n)
	if err != nil {
		w.t.Fatal(err)
	}
	defer node.Close()
	held, err := node.TokenBalance(w.t.Context(), w.address(apptest.USDC().Address), w.address(w.payee))
	if err != nil || held.Cmp(new(big.Int).SetUint64(confirmed*1_000_000)) != 0 {
		w.t.Errorf("%d payments are confirmed and %s units arrived: %v", confirmed, held, err)
	}
	used, err := node.MinedNonce(w.t.Context(), w.address(w.owner.Address.Address))
	if err != nil || used != confirmed {
		w.t.Errorf("%d payments are confirmed, and the chain counts %d: %v", confirmed, used, err)
	}
}

func (w *world) address(text string) evm.Address {
	w.t.Helper()
	a, err := evm.ParseAddress(text)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// journaled reads the signer's own file: no body stands in it twice, and no
// order beside those that were confirmed.
func (w *world) journaled(confirmed uint64) {
	w.t.Helper()
	dir, file := w.EnclaveFolder()
	secret, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(secret)
	if err != nil {
		w.t.Fatal(err)
	}
	g, err := enclave.LoadGenesis(dir, sealer)
	if err != nil {
		w.t.Fatal(err)
	}
	seen, orders := map[string]bool{}, uint64(0)
	j, err := journal.Open(journal.Options{
		Dir: dir, Key: [32]byte(g.JournalKey), Binding: string(g.Environment) + "|" + g.Hash(), MustExist: true,
	}, func(p journal.Position, payload []byte) error {
		var e decide.Event
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		if e.Fingerprint != "" && seen[e.Fingerprint] {
			return fmt.Errorf("entry %d decides a body again", p.Seq)
		}
		seen[e.Fingerprint] = true
		if e.Transaction != nil {
			orders++
		}
		return nil
	})
	if err != nil {
		w.t.Fatalf("reading the journal: %v", err)
	}
	if err := j.Close(); err != nil {
		w.t.Error(err)
	}
	if orders != confirmed {
		w.t.Errorf("%d orders in the journal, %d transactions confirmed", orders, confirmed)
	}
}

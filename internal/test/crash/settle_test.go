package crash_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/event"
	railkit "github.com/railkit/railkit/sdk/go"
)

// settle waits until everything has ended, and compares what the API, the signer
// and the chain say about it.
func (w *world) settle() {
	w.t.Helper()
	rows := map[string]railkit.Transaction{}
	w.until("every transaction has ended", func() error { return w.read(rows) })
	// By sender and nonce.
	var solana []railkit.Transaction
	orders, mined := 0, map[string]map[uint64]string{w.owner.Address.Address: {}, w.outside.from.String(): {}}
	for id, row := range rows {
		if first := w.answers[id]; first != "" && row.SignedTransaction != first {
			w.t.Errorf("%s is %s, and was answered as %s", id, row.SignedTransaction, first)
		}
		if row.SignedTransaction == "" {
			continue
		}
		if row.Network == "solana" {
			w.compareSigned(row)
			solana, orders = append(solana, row), orders+1
			continue
		}
		w.compare(row)
		if row.Custody == railkit.CustodyEnclave {
			orders++
		}
		if row.Status != "confirmed" {
			continue
		}
		if other, twice := mined[row.From][*row.Nonce]; twice {
			w.t.Errorf("%s and %s have one nonce", id, other)
		}
		mined[row.From][*row.Nonce] = id
	}
	w.received(rows)
	w.settledOnSolana(solana)
	for from, nonces := range mined {
		w.used(from, nonces)
	}
	w.StopAll()
	w.chained()
	w.told()
	w.journaled(orders)
	w.t.Logf("%d transactions, %d signed by the enclave, %d mined for it, %d of a key outside", len(rows), orders,
		len(mined[w.owner.Address.Address]), len(mined[w.outside.from.String()]))
}

func (w *world) read(rows map[string]railkit.Transaction) error {
	clear(rows)
	every := railkit.TransactionListOptions{Status: railkit.EveryStatus}
	for row, err := range w.api.Transactions.All(w.t.Context(), every) {
		if err != nil {
			return err
		}
		if want, known := w.ends[row.TransactionID]; known && row.Status != want {
			return fmt.Errorf("%s is %s", row.TransactionID, row.Status)
		}
		rows[row.TransactionID] = row
	}
	for _, pair := range w.rivals {
		one, other := rows[pair[0]], rows[pair[1]]
		if (one.Status != "confirmed" || other.Status != "failed") &&
			(one.Status != "failed" || other.Status != "confirmed") {
			return fmt.Errorf("%s is %s, and %s, in its place, %s", one.TransactionID, one.Status,
				other.TransactionID, other.Status)
		}
	}
	for id := range w.ends {
		if _, found := rows[id]; !found {
			return fmt.Errorf("%s is lost", id)
		}
	}
	return nil
}

// compare holds a row against the signer's journal and the chain, which has
// nothing of what has failed: another transaction was mined in its place.
func (w *world) compare(row railkit.Transaction) {
	w.t.Helper()
	if row.Custody == railkit.CustodyEnclave {
		w.compareSigned(row)
	}
	want := row.SignedTransaction
	if row.Status != "confirmed" {
		want = "0x"
	}
	var mined string
	w.ask("eth_getRawTransactionByHash", &mined, row.TxHash)
	if mined != want {
		w.t.Errorf("the chain has other bytes for %s, which is %s: %s", row.TransactionID, row.Status, mined)
	}
}

func (w *world) compareSigned(row railkit.Transaction) {
	w.t.Helper()
	signer := client.New(w.EnclaveSock, w.EnclaveKey)
	defer signer.Close()
	out, err := signer.Outcome(w.t.Context(), railkit.Fingerprint(w.bodies[row.TransactionID]))
	if err != nil || out.Statement.Result == nil ||
		out.Statement.Result.Transaction.SignedTransaction != row.SignedTransaction {
		w.t.Errorf("the signer has other bytes for %s: %+v, %v", row.TransactionID, out, err)
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

// dial gives the chain as the server sees it.
func (w *world) dial() *rpc.Client {
	w.t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "base")
	node, err := rpc.Dial(w.t.Context(), w.Devnet.RPCURL("base"), n)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(node.Close)
	return node
}

// received holds what arrived against the payments that were confirmed.
func (w *world) received(rows map[string]railkit.Transaction) {
	w.t.Helper()
	paid := uint64(0)
	for _, row := range rows {
		if row.Status == "confirmed" && row.To == w.payee {
			paid++
		}
	}
	held, err := w.dial().TokenBalance(w.t.Context(), apptest.USDC().Address, w.payee)
	if err != nil || held.Cmp(new(big.Int).SetUint64(paid*1_000_000)) != 0 {
		w.t.Errorf("%d payments are confirmed and %s units arrived: %v", paid, held, err)
	}
}

// used holds the nonces that a sender used up against those of its transactions.
func (w *world) used(from string, nonces map[uint64]string) {
	w.t.Helper()
	used, err := w.dial().NextNonce(w.t.Context(), from)
	if err != nil || used != uint64(len(nonces)) {
		w.t.Errorf("%d transactions of %s are confirmed, and the chain counts %d: %v", len(nonces), from, used, err)
	}
	for n := range used {
		if nonces[n] == "" {
			w.t.Errorf("nonce %d of %s was left out", n, from)
		}
	}
}

// chained wants the audit record whole: a commit that died left no gap in it.
func (w *world) chained() {
	w.t.Helper()
	record := w.Record()
	defer record.Close()
	r, err := audit.Verify(w.t.Context(), record, w.Keys.WorkspaceID, nil, func(int) {})
	if err != nil || len(r.Faults) > 0 || r.Head.Seq == 0 || r.Rows != r.Head.Seq {
		w.t.Errorf("the audit record: %+v, %v", r, err)
	}
}

// told wants the numbers of all events without a gap and without one twice: a commit that died took none. They are read
// in the database, since a key is shown those only that it may read.
func (w *world) told() {
	w.t.Helper()
	s := w.Record()
	defer s.Close()
	before, err := s.EventEnds(w.t.Context(), w.Keys.WorkspaceID)
	if err != nil {
		w.t.Fatal(err)
	}
	after := int64(0)
	for {
		some, err := s.Events(w.t.Context(), event.Filter{
			WorkspaceID: w.Keys.WorkspaceID, After: after, Limit: 200,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range some {
			if after++; e.Seq != after {
				w.t.Fatalf("event %d comes after %d", e.Seq, after-1)
			}
		}
		if len(some) == 0 {
			break
		}
	}
	ends, err := s.EventEnds(w.t.Context(), w.Keys.WorkspaceID)
	if err != nil || after == 0 || after < before.Last || after > ends.Last { // the server goes on meanwhile
		w.t.Errorf("the last of %d events is not that of the head: %+v, then %+v, %v", after, before, ends, err)
	}
}

// journaled reads the signer's own file: no body stands in it twice, and no
// order beside those that the API shows.
func (w *world) journaled(signed int) {
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
	seen, orders := map[string]decide.EventKind{}, 0
	j, err := journal.Open(journal.Options{
		Dir: dir, Key: [32]byte(g.JournalKey), Binding: string(g.Environment) + "|" + g.Hash(), MustExist: true,
	}, func(p journal.Position, payload []byte) error {
		var e decide.Event
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		before, again := seen[e.Fingerprint]
		// What is held is decided once more.
		if e.Fingerprint != "" && again && (before != decide.EventHeld || e.Kind == decide.EventHeld) {
			return fmt.Errorf("entry %d decides a body again", p.Seq)
		}
		seen[e.Fingerprint] = e.Kind
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
	if orders != signed {
		w.t.Errorf("%d orders in the journal, %d transactions signed", orders, signed)
	}
}

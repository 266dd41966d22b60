package ledger_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/testenv"
)

var update = flag.Bool("update", false, "write the corpus anew")

// Rents of the worlds: of many years, and of the second of the five steps in which it falls.
var rents = []uint64{6_960, 5_080}

// At night, 100,000 new transactions go through LiteSVM and through this ledger. With -update, 1,200 of them become the
// corpus.
func TestLiteSVM(t *testing.T) {
	if !testenv.Nightly() && !*update {
		t.Skip("LiteSVM runs at night; TestCorpus has what it did")
	}
	seed, each, worlds := testenv.Seed(t), 2_000, 50
	to := io.Writer(io.Discard)
	if *update {
		file, err := os.Create(corpus)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		zipped, err := gzip.NewWriterLevel(file, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		defer zipped.Close()
		to, seed, each, worlds = zipped, 1, 600, 2
	}
	r := newReplay()
	err := npmtest.InstallLiteSVM(t).Ask(func(ask func(q, a any) error) error {
		for n := range worlds {
			l := live{ask: ask, replay: r, out: json.NewEncoder(to)}
			if err := l.world(seed+uint64(n), rents[n%len(rents)], each); err != nil {
				return fmt.Errorf("world of seed %d: %w", seed+uint64(n), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("outcomes: %v", r.seen)
}

// live asks LiteSVM for each step, and holds the ledger to its answer.
type live struct {
	ask func(q, a any) error
	*replay
	out   *json.Encoder
	wrong []error
}

type answer struct {
	Blockhash, Broken string
	Error             *saidError
	Post              []*saidAccount
}

func (l *live) world(seed, rent uint64, transactions int) error {
	w := newWorld(seed, ledger.New(rent))
	first := w.begin(rent)
	var a answer
	err := errors.Join(l.ask(map[string]any{"ask": "begin", "rent": fmt.Sprint(rent)}, &a),
		l.ask(map[string]any{"ask": "put", "accounts": first.Put}, &a), l.done(first))
	if err != nil {
		return err
	}
	w.ledger = l.ledger
	for n := range transactions {
		if w.IntN(3) == 0 {
			w.before = [32]byte(parse(a.Blockhash))
			if err := l.ask(map[string]any{"ask": "expire"}, &a); err != nil {
				return err
			}
		}
		s := step{Hash: a.Blockhash, Unsigned: w.IntN(60) == 0}
		if err := l.transaction(w, s); err != nil {
			return fmt.Errorf("transaction %d: %w", n, err)
		}
	}
	return errors.Join(l.wrong...)
}

func (l *live) transaction(w *world, s step) error {
	m := w.message([32]byte(parse(s.Hash)))
	raw, err := m.Encode()
	if err != nil {
		return err
	}
	s.Message = raw
	tx, err := signed(s)
	if err != nil {
		return err
	}
	whole, err := tx.Encode()
	if err != nil {
		return err
	}
	q := map[string]any{"ask": "run", "raw": base64.StdEncoding.EncodeToString(whole), "accounts": names(m)}
	var a answer
	if err := l.ask(q, &a); err != nil || a.Broken != "" {
		return fmt.Errorf("%s: %w", a.Broken, err)
	}
	s.Error, s.Post = a.Error, a.Post
	if put := l.advanced(tx, s); len(put) > 0 {
		if err := l.ask(map[string]any{"ask": "put", "accounts": put}, &a); err != nil {
			return err
		}
	}
	return l.done(s)
}

// advanced corrects what LiteSVM does with a durable nonce in place of a blockhash, and gives the accounts that are to
// be laid down there. The network advances a nonce to the newest blockhash, also if the transaction fails. LiteSVM
// takes the old value for the newest blockhash, and of a transaction that fails it keeps no advance.
func (l *live) advanced(tx solana.Transaction, s step) map[string]*saidAccount {
	hash := [32]byte(parse(s.Hash))
	payer, _ := l.ledger.Account(tx.Keys[0])
	if !tx.IsDurable() || tx.Blockhash == hash || s.Post[0] == nil || s.Post[0].Lamports == payer.Lamports {
		return nil // it did not land
	}
	put := map[string]*saidAccount{}
	wrong, next := ledger.Durable(tx.Blockhash), ledger.Durable(hash)
	for i, a := range s.Post {
		if a == nil || len(a.Data) != 80 {
			continue
		}
		place := s.Error != nil && i == int(tx.Instructions[0].Accounts[0])
		if place || bytes.Equal(a.Data[40:72], wrong[:]) {
			copy(a.Data[40:], next[:])
			put[tx.Keys[i].String()] = a
		}
	}
	return put
}

func names(m solana.Message) (all []string) {
	for _, k := range m.Keys {
		all = append(all, k.String())
	}
	return all
}

func (l *live) done(s step) error {
	if err := l.out.Encode(s); err != nil {
		return err
	}
	err := l.step(s)
	if err == nil {
		return nil
	}
	l.wrong = append(l.wrong, errors.Join(err, describe(s)))
	if len(l.wrong) == mostWrong {
		return errors.Join(l.wrong...)
	}
	return l.follow(s)
}

// mostWrong is how many disagreements are told at once.
const mostWrong = 8

// follow lays down what LiteSVM has, so that one disagreement is not followed by its consequences.
func (l *live) follow(s step) error {
	m, err := solana.DecodeMessage(s.Message)
	if err != nil {
		return err
	}
	for i, k := range m.Keys {
		if a := s.Post[i]; a == nil {
			l.ledger.Put(k, ledger.Account{})
		} else if !isNetworks(k, parse(a.Owner)) {
			l.ledger.Put(k, ledger.Account{Lamports: a.Lamports, Owner: parse(a.Owner), Data: a.Data})
		}
	}
	return nil
}

func describe(s step) error {
	m, err := solana.DecodeMessage(s.Message)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s by %s, %v", m.Version.Name(), m.Keys[0], s.Error.error())
	all, _ := m.Resolve()
	for _, i := range all {
		text += fmt.Sprintf("\n  %s %x", i.Program, i.Data)
		for _, a := range i.Accounts {
			text += fmt.Sprintf("\n    %s signs %v written %v", a.Address, a.Signs, a.Written)
		}
	}
	return errors.New(text)
}

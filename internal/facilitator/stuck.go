package facilitator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/store/sqlite"
)

// Waiting is a settlement without an end, as an operator sees it.
type Waiting struct {
	Account     string `json:"account"`
	Network     string `json:"network"`
	Nonce       uint64 `json:"nonce"`
	Payment     string `json:"payment"` // the money that it moves: network, way, payer and nonce
	Since       string `json:"since"`
	Transaction string `json:"transaction,omitempty"` // its hash; without one the signer has not answered
	// TransactionID is what GET /v1/transactions/sign/{transactionId} tells of it.
	TransactionID string `json:"transactionId,omitempty"`
}

// ListWaiting lists what waits in a folder, of each account, also while its facilitator runs.
func ListWaiting(ctx context.Context, folder string) (all []Waiting, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.db"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		account, _, ok := families.ParseAddress(strings.TrimSuffix(filepath.Base(file), ".db"))
		if !ok {
			return nil, fmt.Errorf("%s is no journal of an account", file)
		}
		db, err := sqlite.Open(ctx, file)
		if err != nil {
			return nil, err
		}
		j := &journal{db: db}
		rows, err := j.list(ctx, `WHERE receipt IS NULL ORDER BY chain, nonce`)
		if err := errors.Join(err, db.Close()); err != nil {
			return nil, err
		}
		for _, s := range rows {
			all = append(all, s.waiting(account))
		}
	}
	return all, nil
}

func (s *settlement) waiting(account string) Waiting {
	w := Waiting{
		Account: account, Network: s.network(), Nonce: s.nonce, Payment: s.id, Since: clock.ISO(s.at),
		Transaction: s.hash,
	}
	w.TransactionID, _ = activityOf(s.ask) // "" of a signer that is not across the API
	return w
}

// network is where the settlement is made: an id begins with it.
func (s *settlement) network() string {
	name, _, _ := strings.Cut(s.id, " ")
	return name
}

// signedWithin is how long a request may still be signed: a stamped body waits 15 minutes, and 30 for votes.
const signedWithin = time.Hour

// Why an operator's wish is refused.
var (
	ErrNoPayment = errors.New("no settlement of this payment waits")
	ErrHasBytes  = errors.New("it is signed, and may be mined as long as its nonce is free: the wallet's owner uses the " +
		"nonce under a passkey (POST /v1/transactions/prepare with replaces), and the settlement ends by itself. On " +
		"Solana it ends by itself once its blockhash is too old")
	ErrTooYoung = fmt.Errorf("it is younger than %s: the signer may still sign it", signedWithin)
)

// GiveBack forgets a settlement that the signer never answered, in a folder whose facilitator is stopped. Who calls it
// has seen that the transaction of Waiting.TransactionID is not signed.
func GiveBack(ctx context.Context, folder, account, payment string, now time.Time) (err error) {
	j, err := openJournal(ctx, folder, account, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	s, err := j.find(ctx, payment)
	switch {
	case err != nil:
		return err
	case s == nil || s.ended():
		return ErrNoPayment
	case s.raw != nil:
		return ErrHasBytes
	case now.Sub(s.at) < signedWithin:
		return ErrTooYoung
	}
	return j.forget(ctx, s)
}

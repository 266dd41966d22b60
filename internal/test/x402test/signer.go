package x402test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/facilitator"
)

// Signer signs with a key of the test's, by the rules of the signer across a network: the same bytes for the same
// request, one transaction for a nonce, and nothing that was cancelled. It can be made to fail as that does.
type Signer struct {
	Key
	mu        sync.Mutex
	made      map[string][]byte // by request
	taken     map[nonce]string  // the request that was signed for it
	cancelled map[string]bool
	// Fail is asked before each signature; with lost, the bytes are signed and the answer is lost.
	Fail func() (lost bool, err error)
	// FailCancel is asked before each cancellation.
	FailCancel func() error
	Signs      int
}

type nonce struct{ chain, nonce uint64 }

// Address is the account's.
func (s *Signer) Address() evm.Address { return s.Key.Address }

// Ask makes a request of its own, also where the transaction is the same.
func (s *Signer) Ask(_ context.Context, tx evm.Tx) ([]byte, error) {
	return []byte(rand.Text() + " " + chain.Hex(tx.Unsigned())), nil
}

// Sign signs it.
func (s *Signer) Sign(_ context.Context, request []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancelled[string(request)] {
		return nil, facilitator.ErrNotSigned
	}
	if s.Fail != nil {
		if lost, err := s.Fail(); err != nil {
			if lost {
				_, failed := s.sign(request)
				err = errors.Join(err, failed)
			}
			return nil, err
		}
	}
	return s.sign(request)
}

func (s *Signer) sign(request []byte) ([]byte, error) {
	if raw, found := s.made[string(request)]; found {
		return raw, nil
	}
	_, text, _ := strings.Cut(string(request), " ")
	unsigned, err := chain.ParseHex(text)
	if err != nil {
		return nil, err
	}
	tx, err := evm.DecodeUnsigned(unsigned)
	if err != nil {
		return nil, err
	}
	at := nonce{tx.ChainID, tx.Nonce}
	if _, taken := s.taken[at]; taken {
		return nil, errors.Join(facilitator.ErrRefused, facilitator.NextNonce(tx.Nonce+1))
	}
	raw, err := evm.SignTx(tx, s.Secret, s.Key.Address)
	if err != nil {
		return nil, err
	}
	if s.made == nil {
		s.made, s.taken = map[string][]byte{}, map[nonce]string{}
	}
	s.made[string(request)], s.taken[at] = raw, string(request)
	s.Signs++
	return raw, nil
}

// Cancel has a request never be signed.
func (s *Signer) Cancel(_ context.Context, request []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.FailCancel != nil {
		if err := s.FailCancel(); err != nil {
			return err
		}
	}
	if _, signed := s.made[string(request)]; signed {
		return facilitator.ErrSigned
	}
	if s.cancelled == nil {
		s.cancelled = map[string]bool{}
	}
	s.cancelled[string(request)] = true
	return nil
}

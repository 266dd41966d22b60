package issuer

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Why an operator's word is not taken.
var (
	ErrNone    = errors.New("no server has seen this token on this network yet")
	ErrNothing = errors.New("its issuer is who was kept: there is nothing to accept")
	ErrOther   = errors.New("its nodes say something else by now: look at the list again")
)

// Find is the row of a token by its address or symbol.
func Find(ctx context.Context, s Store, network, token string) (Issuer, error) {
	all, err := s.Issuers(ctx)
	if err != nil {
		return Issuer{}, err
	}
	for _, i := range all {
		if i.Network == network && (i.Address == token || strings.EqualFold(i.Symbol, token)) {
			return i, nil
		}
	}
	return Issuer{}, ErrNone
}

// Accept keeps what the nodes say of a token, on an operator's word: as long as it is what he saw, by its hash.
func Accept(ctx context.Context, s Store, cmd *command.Command, i Issuer, hash, reason string, at time.Time) error {
	switch {
	case i.Kept == i.Seen:
		return ErrNothing
	case i.Seen.Hash() != hash:
		return ErrOther
	}
	_, err := s.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: http.StatusOK, Audit: command.Audit{
			Action: "token.accept_issuer", Resource: i.Network + "/" + i.Address,
			WorkspaceID: Platform, Detail: map[string]string{"reason": reason},
			Before: map[string]any{"issuer": i.Kept.Lines()},
			After:  map[string]any{"issuer": i.Seen.Lines(), "hash": hash},
		}}, tx.AcceptIssuer(ctx, i, at)
	})
	if errors.Is(err, record.ErrStale) {
		return ErrOther
	}
	return err
}

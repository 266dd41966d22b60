package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/db"
)

// Ceremony finds one by the hash of its token.
func (s Signing) Ceremony(ctx context.Context, tokenHash string) (link.Ceremony, error) {
	row, err := s.read.Ceremony(ctx, tokenHash)
	return one("Ceremony", row, err, ceremonyRow)
}

func ceremonyRow(r db.Ceremony) (link.Ceremony, error) {
	return link.Ceremony{
		TokenHash: r.TokenHash, WorkspaceID: r.WorkspaceID, Kind: link.Kind(r.Kind), Subject: r.Subject, Email: r.Email,
		CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt), FinishedAt: instant(r.FinishedAt), Given: r.Given,
	}, nil
}

// DropCeremonies deletes those that expired before the instant.
func (s Signing) DropCeremonies(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("dropping old ceremonies", tx.q.DropCeremonies(ctx, micros(before)))
	})
}

func (t *tx) InsertCeremony(ctx context.Context, c link.Ceremony) error {
	return doing("inserting a ceremony", t.q.InsertCeremony(ctx, db.InsertCeremonyParams{
		TokenHash: c.TokenHash, WorkspaceID: c.WorkspaceID, Kind: string(c.Kind), Subject: c.Subject, Email: c.Email,
		CreatedAt: micros(c.CreatedAt), ExpiresAt: micros(c.ExpiresAt), FinishedAt: micros(c.FinishedAt), Given: c.Given,
	}))
}

func (t *tx) TryCeremony(ctx context.Context, tokenHash, given string) error {
	return doing("trying a ceremony", t.q.TryCeremony(ctx, given, tokenHash))
}

// finishCeremony notes in the commit that a ceremony led to that it did. A
// second one with the same stamp finds it noted.
func (t *tx) finishCeremony(ctx context.Context, c *command.Ceremony) error {
	if c == nil {
		return nil
	}
	return doing("finishing a ceremony", t.q.FinishCeremony(ctx, micros(t.now), c.Given, c.ID))
}

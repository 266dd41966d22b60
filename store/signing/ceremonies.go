package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Ceremony finds one by the hash of its token.
func (s ceremonyReads) Ceremony(ctx context.Context, tokenHash string) (link.Ceremony, error) {
	row, err := s.db.Read.Ceremony(ctx, tokenHash)
	return sqldb.One("Ceremony", row, err, ceremonyRow)
}

func ceremonyRow(r db.Ceremony) (link.Ceremony, error) {
	return link.Ceremony{
		TokenHash: r.TokenHash, WorkspaceID: r.WorkspaceID, Kind: link.Kind(r.Kind), Subject: r.Subject, Email: r.Email,
		CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
		FinishedAt: sqldb.Instant(r.FinishedAt), Given: r.Given,
	}, nil
}

// DropCeremonies deletes those that expired before the instant.
func (s ceremonyReads) DropCeremonies(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old ceremonies", t.Q.DropCeremonies(ctx, sqldb.Micros(before)))
	})
}

func (t tx) InsertCeremony(ctx context.Context, c link.Ceremony) error {
	return sqldb.Doing("inserting a ceremony", t.Q.InsertCeremony(ctx, db.InsertCeremonyParams{
		TokenHash: c.TokenHash, WorkspaceID: c.WorkspaceID, Kind: string(c.Kind), Subject: c.Subject, Email: c.Email,
		CreatedAt: sqldb.Micros(c.CreatedAt), ExpiresAt: sqldb.Micros(c.ExpiresAt),
		FinishedAt: sqldb.Micros(c.FinishedAt), Given: c.Given,
	}))
}

func (t tx) TryCeremony(ctx context.Context, tokenHash, given string) error {
	return sqldb.Doing("trying a ceremony", t.Q.TryCeremony(ctx, given, tokenHash))
}

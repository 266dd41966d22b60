package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
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
		FinishedAt: sqldb.Instant(r.FinishedAt), Given: r.Given, Declined: r.Declined != 0,
		Return: command.Return{URL: r.ReturnUrl, State: r.ReturnState},
	}, nil
}

// DropCeremonies deletes those that expired before the instant.
func (s ceremonyReads) DropCeremonies(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old ceremonies", t.Q.DropCeremonies(ctx, sqldb.Micros(before)))
	})
}

func (t linkTx) InsertCeremony(ctx context.Context, c link.Ceremony) error {
	return sqldb.Doing("inserting a ceremony", t.Q.InsertCeremony(ctx, db.InsertCeremonyParams{
		TokenHash: c.TokenHash, WorkspaceID: c.WorkspaceID, Kind: string(c.Kind), Subject: c.Subject, Email: c.Email,
		CreatedAt: sqldb.Micros(c.CreatedAt), ExpiresAt: sqldb.Micros(c.ExpiresAt),
		FinishedAt: sqldb.Micros(c.FinishedAt), Given: c.Given, ReturnUrl: c.Return.URL, ReturnState: c.Return.State,
	}))
}

func (t linkTx) TryCeremony(ctx context.Context, tokenHash, given string) error {
	n, err := t.Q.TryCeremony(ctx, given, tokenHash)
	return sqldb.Swapped("trying a ceremony", n, err)
}

func (t linkTx) DeclineCeremony(ctx context.Context, d link.Decline) error {
	n, err := t.Q.DeclineCeremony(ctx, sqldb.Micros(d.At), d.Given, d.TokenHash)
	return t.ToldSwapped("declining a ceremony", n, err, event.Change{
		Type: event.CeremonyDeclined, WorkspaceID: d.WorkspaceID, Object: d.ID,
		Data: rest.EventCeremony{Kind: string(d.Kind), Reason: d.Reason},
	})
}

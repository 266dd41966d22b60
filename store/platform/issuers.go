package platform

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// issuers keeps who issues tokens.
type issuers struct {
	sqldb.Writer[issuer.Tx]
	db *sqldb.DB
}

// Issuers keeps who issues tokens.
func (s Store) Issuers() issuer.Store {
	d := s.db
	return issuers{sqldb.WriterOf(d, func(t *sqldb.Tx) issuer.Tx { return tx{t} }), d}
}

// Issuer finds the row of a token.
func (s issuers) Issuer(ctx context.Context, network, token string) (issuer.Issuer, bool, error) {
	row, err := s.db.Read.TokenIssuer(ctx, network, token)
	if sqldb.None(err) {
		return issuer.Issuer{}, false, nil
	}
	if err != nil {
		return issuer.Issuer{}, false, sqldb.Reading("reading who issues a token", err)
	}
	return IssuerRow(row), true, nil
}

// Issuers lists all.
func (s issuers) Issuers(ctx context.Context) ([]issuer.Issuer, error) {
	rows, err := s.db.Read.TokenIssuers(ctx)
	return sqldb.Many(rows, err, func(r db.TokenIssuer) (issuer.Issuer, error) { return IssuerRow(r), nil })
}

// IssuerRow is a token's issuer as it is stored.
func IssuerRow(r db.TokenIssuer) issuer.Issuer {
	return issuer.Issuer{
		Token: issuer.Token{Network: r.Chain, Address: r.Token, Symbol: r.Symbol},
		Kept:  issuer.Facts(r.Kept), KeptAt: sqldb.Instant(r.KeptAt),
		Seen: issuer.Facts(r.Seen), SeenAt: sqldb.Instant(r.SeenAt),
	}
}

func (t tx) KeepIssuer(ctx context.Context, i issuer.Issuer) error {
	n, err := t.Q.KeepTokenIssuer(ctx, db.KeepTokenIssuerParams{
		Chain: i.Network, Token: i.Address, Symbol: i.Symbol, Facts: string(i.Kept), Now: sqldb.Micros(i.KeptAt),
	})
	return sqldb.Swapped("keeping who issues a token", n, err)
}

func (t tx) SeeIssuer(ctx context.Context, was issuer.Issuer, seen issuer.Facts, at time.Time) error {
	n, err := t.Q.SeeTokenIssuer(ctx, db.SeeTokenIssuerParams{
		Chain: was.Network, Token: was.Address, WasSeen: string(was.Seen), WasKept: string(was.Kept),
		Seen: string(seen), Now: sqldb.Micros(at),
	})
	return sqldb.Swapped("writing who issues a token now", n, err)
}

func (t tx) AcceptIssuer(ctx context.Context, was issuer.Issuer, at time.Time) error {
	n, err := t.Q.AcceptTokenIssuer(ctx, db.AcceptTokenIssuerParams{
		Chain: was.Network, Token: was.Address, WasSeen: string(was.Seen), WasKept: string(was.Kept),
		Now: sqldb.Micros(at),
	})
	return sqldb.Swapped("accepting who issues a token", n, err)
}

package platformtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var issuerTests = map[string]func(*testing.T, *bench){"Issuers": testIssuers}

// A token's issuer is kept once, and changes only from what its writer has read.
func testIssuers(t *testing.T, b *bench) {
	issuers, at := b.Issuers(), storetest.Start
	write := func(what string, want error, fn func(context.Context, issuer.Tx) error) {
		t.Helper()
		if err := record.Do(t.Context(), issuers, issuer.Platform, fn); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", what, err, want)
		}
	}
	holds := func(what string, want issuer.Issuer) {
		t.Helper()
		got, found, err := issuers.Issuer(t.Context(), want.Network, want.Address)
		storetest.OK(t, err)
		storetest.Equal(t, what, got, want)
		storetest.Equal(t, what+", found", found, want.Kept != "")
	}
	one := issuer.Issuer{
		Token: issuer.Token{Network: "solana", Address: "mint-1", Symbol: "USDT"}, Kept: "a: 1", KeptAt: at,
		Seen: "a: 1", SeenAt: at,
	}
	two := one
	two.Address, two.Symbol = "mint-2", "USDC"
	_, found, err := issuers.Issuer(t.Context(), "solana", "mint-1")
	storetest.OK(t, err)
	storetest.Equal(t, "found before", found, false)
	for _, i := range []issuer.Issuer{one, two} {
		write("first", nil, func(ctx context.Context, tx issuer.Tx) error { return tx.KeepIssuer(ctx, i) })
	}
	other := one
	other.Kept, other.Seen = "a: 2", "a: 2"
	write("a second first", record.ErrStale, func(ctx context.Context, tx issuer.Tx) error {
		return tx.KeepIssuer(ctx, other)
	})
	holds("kept", one)
	at = at.Add(time.Hour)
	see := func(ctx context.Context, tx issuer.Tx) error { return tx.SeeIssuer(ctx, one, "a: 2", at) }
	accept := func(was issuer.Issuer) func(context.Context, issuer.Tx) error {
		return func(ctx context.Context, tx issuer.Tx) error { return tx.AcceptIssuer(ctx, was, at) }
	}
	write("seen", nil, see)
	write("seen by another", record.ErrStale, see)
	write("accepted unseen", record.ErrStale, accept(one))
	one.Seen, one.SeenAt = "a: 2", at
	holds("seen", one)
	at = at.Add(time.Hour)
	write("accepted", nil, accept(one))
	write("accepted twice", record.ErrStale, accept(one))
	one.Kept, one.KeptAt = "a: 2", at
	holds("accepted", one)
	holds("the other", two)
	all, err := issuers.Issuers(t.Context())
	storetest.OK(t, err)
	storetest.Equal(t, "listed", all, []issuer.Issuer{two, one})
}

package admin

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/record"
)

// The operator sees which token's issuer changed, and accepts what he saw and nothing else.
func TestPlatform_AdminTokens(t *testing.T) {
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) (string, error) {
				var out bytes.Buffer
				err := command(t.Context(), cli.Env{Out: &out, Err: &out}, append(args, r.flags...))
				return out.String(), err
			}
			if out, err := do(listTokens); err != nil || !strings.Contains(out, "none: servers write") ||
				!strings.Contains(out, "metric railkit_token_issuer_unknown") {
				t.Errorf("before the first: %v: %s", err, out)
			}
			usdc := issuer.Issuer{
				Token: issuer.Token{Network: "solana", Address: "4zMM", Symbol: "USDC"},
				Kept:  "mint authority: circle\ndecimals: 6", KeptAt: time.Now(),
			}
			usdc.Seen, usdc.SeenAt = usdc.Kept, usdc.KeptAt
			usdt := usdc
			usdt.Address, usdt.Symbol = "Es9v", "USDT"
			thief := issuer.Facts("mint authority: thief\ndecimals: 6")
			err := record.Do(t.Context(), r.Store.Issuers(), issuer.Platform,
				func(ctx context.Context, tx issuer.Tx) error {
					for _, i := range []issuer.Issuer{usdc, usdt} {
						if err := tx.KeepIssuer(ctx, i); err != nil {
							return err
						}
					}
					return tx.SeeIssuer(ctx, usdc, thief, time.Now())
				})
			if err != nil {
				t.Fatal(err)
			}
			out, err := do(listTokens)
			if err != nil || strings.Count(out, "changed") != 1 || strings.Count(out, "kept") != 1 ||
				!strings.Contains(out, "mint authority was circle, is thief\n  railkit admin token accept "+
					"--network solana --token 4zMM --hash "+thief.Hash()) {
				t.Errorf("%v: %s", err, out)
			}
			accept := func(hash string) []string {
				return []string{"--network", "solana", "--token", "USDC", "--reason", "their notice", "--hash", hash}
			}
			for want, args := range map[string][]string{
				"--hash: must be given":    accept("")[:6],
				"--hash: its nodes say":    accept(usdc.Kept.Hash()),
				"--token: no server":       append(accept(thief.Hash()), "--token", "EURC"),
				"there is nothing to":      append(accept(usdt.Seen.Hash()), "--token", "USDT"),
				"--network: must be given": append(accept(thief.Hash()), "--network", ""),
			} {
				if out, err := do(acceptToken, args...); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %v: %s", args, err, out)
				}
			}
			if out, err := do(acceptToken, accept(thief.Hash())...); err != nil ||
				out != "USDC on solana is paid and credited again\n" {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := do(listTokens); err != nil || strings.Contains(out, "changed") {
				t.Errorf("afterwards: %v: %s", err, out)
			}
			var n int
			err = r.Store.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM audit WHERE workspace_id = $1 "+
				"AND actor = 'operator' AND action = 'token.accept_issuer' AND detail LIKE '%their notice%' "+
				"AND before LIKE '%circle%' AND after LIKE '%thief%'", issuer.Platform).Scan(&n)
			if err != nil || n != 1 {
				t.Errorf("%d entries, %v", n, err)
			}
		})
	}
}

package doctor

import (
	"context"
	"strings"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/web/ceremony"
)

// checkPage says which page belongs to this program and, where one is served,
// whether it is that one, and pinned to the signer that is looked at.
func checkPage(ctx context.Context, t target) []finding {
	own := finding{note, "page", "this program's passkey page is " + ceremony.Hash()}
	if t.CeremonyOrigin == "" {
		return []finding{own}
	}
	page, err := ceremony.Served(ctx, t.CeremonyOrigin)
	if err != nil {
		return []finding{own, {failure, "page", "it is not served at its origin: " + cli.OneLine(err)}}
	}
	if page.Hash != ceremony.Hash() {
		return []finding{own, {failure, "page",
			"another one is served: " + page.Hash + "; find out who serves it before anybody uses it"}}
	}
	all := append([]finding{own}, checkPin(page.Pin, t)...)
	if len(page.Missing) > 0 {
		all = append(all,
			finding{warning, "page", "it comes without, or with another: " + strings.Join(page.Missing, ", ") +
				"; let who serves it send the headers of docs/trust.md"})
	}
	if len(all) == 1 {
		all = append(all, finding{fine, "page", "it is served as it is, for RP id " + page.Pin.RPID})
	}
	return all
}

// checkPin compares what the page holds the signer against to the settings.
func checkPin(pin ceremony.Pin, t target) []finding {
	var all []finding
	for _, pinned := range []struct{ have, want, text string }{
		{pin.IdentityKey, t.EnclaveKey, "with the key of another signer"},
		{pin.RPID, t.RPID, "for another RP id than --rp-id"},
		{pin.Environment, t.Environment, "for another environment than --environment"},
	} {
		if pinned.want != "" && pinned.have != pinned.want {
			all = append(all, finding{failure, "page", "it is served " + pinned.text})
		}
	}
	return all
}

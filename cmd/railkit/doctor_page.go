package main

import (
	"context"

	"github.com/railkit/railkit/web/ceremony"
)

// checkPage says which page belongs to this program and, where one is served,
// whether it is that one, and pinned to the signer that is looked at.
func checkPage(ctx context.Context, t target) []finding {
	own := finding{note, "page", "this program's passkey page is " + ceremony.Hash()}
	if t.ceremonyOrigin == "" {
		return []finding{own}
	}
	hash, pin, err := ceremony.Served(ctx, t.ceremonyOrigin)
	switch {
	case err != nil:
		return []finding{own, {failure, "page", "it is not served at its origin: " + oneLine(err)}}
	case hash != ceremony.Hash():
		return []finding{own, {failure, "page", "another one is served: " + hash + "; find out who serves it before anybody uses it"}}
	case t.enclaveKey != "" && pin.IdentityKey != t.enclaveKey:
		return []finding{own, {failure, "page", "it is served with the key of another signer"}}
	}
	return []finding{own, {fine, "page", "it is served as it is, for RP id " + pin.RPID}}
}

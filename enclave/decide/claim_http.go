package decide

import (
	"strings"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of what a signature of the second form says.
const (
	maxAuthority        = 260 // a host name and its port
	minNonce, maxNonce  = 16, 64
	nonceCharacters     = digits + "abcdefghijklmnopqrstuvwxyz" + capitals + "-_"
	authorityCharacters = digits + "abcdefghijklmnopqrstuvwxyz.-:[]"
)

var (
	errMalformedHTTP = refusal.ErrAgentAuth.Msg("an HTTP signature covers a host in lower case, path and query of visible ASCII, " +
		"and has created, expires at most 60 seconds later, and a nonce of 16 to 64 characters of base64url or hex")
	errWantsHTTP = refusal.ErrAgentAuth.Msg("the agent's limits take requests under an HTTP signature (RFC 9421) only")
)

// readHTTP reads a claim under a signature of the second form. Its text is made here: what the host calls a parameter
// is not taken over.
func (c *Claim) readHTTP(q wire.VerifyAgentRequest, h wire.HTTPSignature) error {
	created, ok := number(h.Created)
	expires, also := number(h.Expires)
	switch {
	case !ok || !also || created > 1<<40 || expires <= created || expires-created > wire.SignatureLife,
		len(h.Nonce) < minNonce || len(h.Nonce) > maxNonce || !consists(h.Nonce, len(h.Nonce), nonceCharacters),
		len(h.Authority) > maxAuthority || !consists(h.Authority, len(h.Authority), authorityCharacters),
		!strings.HasPrefix(h.Query, "?") || len(h.Query) > maxPath || !visible(h.Query) || !visible(q.Path),
		q.Timestamp != "":
		return errMalformedHTTP
	}
	c.At, c.Until = int64(created), int64(expires)
	c.Messages = []string{q.Message()}
	return nil
}

// Permits refuses a signature of the first form where the agent's limits ask for the second.
func (c Claim) Permits(l *wire.AgentLimits) error {
	if l != nil && l.RequireHTTPSignature && c.Until == 0 {
		return errWantsHTTP
	}
	return nil
}

// visible reports whether text is of ASCII characters that are seen: no line break that would make two lines of one.
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

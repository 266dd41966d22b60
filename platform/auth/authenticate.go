package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
)

// Errors of a call without a valid key. They do not tell an unknown key from a revoked one, an expired one, or one of
// another environment.
var (
	ErrNoHeader = fault.Define(fault.Unauthenticated, "authorization_missing", "Authorization header is missing",
		"The request has no Authorization header")
	ErrBadHeader = fault.Define(fault.Unauthenticated, "authorization_malformed", "Authorization header is malformed",
		"The header is not of the form: ApiKey or Bearer, a space, the credential; or there is more than one")
	ErrScheme = fault.Define(fault.Unauthenticated, "authorization_scheme", "Unsupported authorization scheme",
		"The operation does not accept this authorization scheme")
	ErrKeyAsBearer = fault.Define(fault.Unauthenticated, "api_key_as_bearer",
		"This is an API key: send it as Authorization: ApiKey <key>, not as Bearer",
		"Bearer is for the sessions of members, and the credential has the form of an API key")
	ErrTwoCredentials = fault.Define(fault.Unauthenticated, "authorization_twice",
		"Send an Authorization header or the headers of an agent, not both",
		"The request has two kinds of credentials, and it is not said whose it is")
	ErrNoKey = fault.Define(fault.NotFound, "api_key_not_found", "API key not found",
		"The key is unknown, revoked, expired or of another environment")
	ErrScope = fault.Define(fault.Forbidden, "insufficient_scope", "Insufficient permissions for this resource",
		"The key's scopes do not open this operation, or the key is of another workspace than integratorId names")
	ErrAddress = fault.Define(fault.Forbidden, "ip_not_allowed", "IP address is not allowed for this API key",
		"The key has a list of addresses from which it may be used, and the caller's is not on it")
	ErrLoginNotFresh = fault.Define(fault.Forbidden, "login_not_fresh",
		"Log in with your passkey again: the login must be at most 5 minutes old",
		"A bank account or a return address is confirmed, and a return origin registered, with a session that began just now, not with one that was left open")
	ErrExpired = fault.Define(fault.Unauthenticated, "session_expired", "Session has expired",
		"The access token's 15 minutes are over: refresh it; or the session's 7 days without use or 30 in all: "+
			"log in again")
	ErrVerification = fault.Define(fault.Forbidden, "verification_incomplete", "Business verification is not complete",
		"The workspace's KYB status is not approved, which the payout kit asks for, or it is rejected, which stops its agents")
	ErrModule = fault.Define(fault.Forbidden, "module_inactive", "The %s module is not active for this workspace",
		"The workspace has not switched on the kit that the operation belongs to")
)

// Wrong reports whether an error of Authenticate may be due to a guessed credential, so that it counts towards the
// limit of wrong guesses of the caller's network.
//
//   - A request without a credential is no guess.
//   - A key used from an address outside its allow-list counts against that network, not against the key: a thief must
//     not be able to lock the owner out.
//   - An expired session is no guess: its signature was verified before its time was checked.
func Wrong(err error) bool {
	f, ok := fault.As(err)
	if !ok || errors.Is(f, ErrNoHeader) || errors.Is(f, ErrExpired) {
		return false
	}
	return f.Kind == fault.Unauthenticated || f.Kind == fault.NotFound || errors.Is(f, ErrAddress)
}

// Presented has the credentials of a request.
type Presented struct {
	Authorization string      // the whole header; several are joined by a comma
	Agent         *AgentClaim // nil if the request has no header of an agent
	RemoteIP      string
}

// AgentClaim is an agent's signature and the data that it covers.
type AgentClaim struct {
	AgentID, Timestamp, MAC string
	Method, Path            string // as the agent signs it: without a query
	Query                   bool   // whether the request has a query
	Body                    []byte
	HTTP                    *HTTPSignature // of the second form, which has no timestamp; nil: the first
	// Told is what the signer said of the agent when it found the claim right, for the kit that knows its form: a call
	// need not ask who its caller is a second time.
	Told any
}

// HTTPSignature is what an agent's signature of the second form (RFC 9421) says beside the request. It covers host and
// query as well.
type HTTPSignature struct{ Authority, Query, Created, Expires, Nonce string }

// Signers verifies agents' signatures. The enclave does so, since only it has their secrets.
type Signers interface {
	VerifyAgent(ctx context.Context, c AgentClaim) (Principal, error)
}

// Sessions finds members by their access tokens.
type Sessions interface {
	Member(ctx context.Context, token string) (Principal, error)
}

// Authenticator turns the credentials of a request into a principal.
type Authenticator struct {
	Store       Store
	Agents      Signers  // nil: the server has no agents
	Sessions    Sessions // nil: nobody can log in
	Clock       clock.Clock
	Environment string // sandbox | production; keys of the other one are unknown here
	Uses        Uses   // nil: uses are not recorded
}

// Uses records each use of a key. It never fails and never blocks.
type Uses interface {
	Used(workspaceID, keyID string, at time.Time)
}

// Authenticate finds the caller of a request. A caller of another kind than those given is refused.
func (a *Authenticator) Authenticate(ctx context.Context, shown Presented, kinds []Kind) (Principal, error) {
	if claim := shown.claim(kinds); claim != nil && a.Agents != nil {
		if shown.Authorization != "" {
			return Principal{}, ErrTwoCredentials
		}
		return a.Agents.VerifyAgent(ctx, *claim)
	}
	kind, text, err := credential(shown.Authorization)
	if err != nil {
		return Principal{}, err
	}
	switch {
	case kind == BySession && strings.HasPrefix(text, keyHead):
		return Principal{}, ErrKeyAsBearer
	case !slices.Contains(kinds, kind):
		return Principal{}, ErrScheme
	case kind == ByKey:
		return a.byKey(ctx, text, shown.RemoteIP)
	case kind == BySession && a.Sessions != nil:
		return a.Sessions.Member(ctx, text)
	}
	return Principal{}, ErrScheme
}

// claim is the agent's claim of a request, if agents may call the operation. If only agents may, a request without a
// claim gets the error that names the headers of an agent.
func (p Presented) claim(kinds []Kind) *AgentClaim {
	if !slices.Contains(kinds, ByAgent) {
		return nil
	}
	if p.Agent == nil && p.Authorization == "" && len(kinds) == 1 {
		return &AgentClaim{}
	}
	return p.Agent
}

func (a *Authenticator) byKey(ctx context.Context, text, ip string) (Principal, error) {
	if !WellFormed(text) {
		return Principal{}, ErrNoKey
	}
	key, tenant, err := a.Store.KeyByHash(ctx, Hash(text))
	if errors.Is(err, ErrNoKey) {
		return Principal{}, ErrNoKey
	}
	if err != nil {
		return Principal{}, fmt.Errorf("finding an API key: %w", err)
	}
	now := a.Clock.Now()
	if !key.Active(now) || key.Environment != a.Environment {
		return Principal{}, ErrNoKey
	}
	if !key.mayComeFrom(ip) {
		return Principal{}, ErrAddress
	}
	if a.Uses != nil {
		a.Uses.Used(key.WorkspaceID, key.ID, now)
	}
	return Principal{
		Tenant: tenant, Kind: ByKey, ID: key.ID, Scopes: key.Scopes, Environment: key.Environment, Limits: key.Limits,
	}, nil
}

// mayComeFrom reports whether the key may be used from an address.
func (k Key) mayComeFrom(ip string) bool {
	if len(k.Networks) == 0 {
		return true
	}
	a, err := netip.ParseAddr(ip)
	return err == nil && slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool {
		return n.Contains(a.Unmap().WithZone(""))
	})
}

// credential splits an Authorization header into the kind of caller and its credential.
func credential(header string) (Kind, string, error) {
	if header == "" {
		return "", "", ErrNoHeader
	}
	scheme, text, _ := strings.Cut(header, " ")
	kind := map[string]Kind{"apikey": ByKey, "bearer": BySession}[strings.ToLower(scheme)]
	if kind == "" {
		return "", "", ErrScheme
	}
	if text == "" || strings.ContainsAny(text, " \t,") {
		return "", "", ErrBadHeader
	}
	return kind, text, nil
}

package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
)

func TestGenerateKey(t *testing.T) {
	form := regexp.MustCompile(`^rk_client_key_v1_[A-Za-z0-9_-]{43}$`)
	seen := map[string]bool{}
	for range 100 {
		text, err := GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		if !form.MatchString(text) || !WellFormed(text) || seen[text] {
			t.Errorf("bad key of %d characters", len(text))
		}
		if len(Prefix(text)) != 20 || len(LastFour(text)) != 4 || len(Hash(text)) != 64 {
			t.Errorf("prefix %d, last %d, hash %d characters", len(Prefix(text)), len(LastFour(text)), len(Hash(text)))
		}
		seen[text] = true
	}
}

func TestWellFormed(t *testing.T) {
	good := keyHead + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if !WellFormed(good) {
		t.Error("a good key is refused")
	}
	for _, bad := range []string{"", keyHead, good[1:], good + "A", good[:len(good)-1], good[:len(good)-1] +
		"=", good[:len(good)-1] + "B", "RK" + good[2:]} {
		if WellFormed(bad) {
			t.Errorf("accepted %q", bad)
		}
	}
}

// Every scope against every kind of access, row by row.
func TestScopeMatrix(t *testing.T) {
	reads := []Access{AccessRead, AccessReadOrWrite, AccessAgentRead, AccessOwnAgentRead}
	writes := []Access{AccessWrite, AccessReadOrWrite, AccessPayoutWrite, AccessAgentWrite, AccessSkillCall}
	operates := slices.Concat(reads, writes, []Access{AccessManage, AccessTeam, AccessWebhooks, AccessOperate})
	opens := map[Scope][]Access{
		Integrator:      slices.Concat(reads, writes),
		IntegratorRead:  reads,
		IntegratorWrite: writes,
		PayoutWrite:     {AccessPayoutWrite},
		Agent:           {AccessAgentRead, AccessAgentWrite, AccessOwnAgentRead, AccessSkillCall},
		Client:          {},
		Internal:        operates,
		Admin:           append(slices.Clone(operates), AccessAudit),
		Manage:          {AccessManage, AccessWebhooks},
		Team:            {AccessTeam},
		AuditRead:       {AccessAudit},
		Webhooks:        {AccessWebhooks},
		OwnAgent:        {AccessOwnAgentRead, AccessOwnAgentWrite, AccessSkillCall},
		"no such scope": {},
	}
	for _, scope := range Assignable {
		if _, tested := opens[scope]; !tested {
			t.Errorf("what %s opens is not tested", scope)
		}
	}
	for scope, want := range opens {
		for access := range matrix {
			if got := (Principal{Scopes: []Scope{Client, scope}}).May(access); got != slices.Contains(want, access) {
				t.Errorf("%s may %s: %v", scope, access, got)
			}
		}
	}
	if (Principal{}).May(AccessRead) || (Principal{Scopes: []Scope{Admin}}).May("no such access") {
		t.Error("no scope, or no such access, opened something")
	}
}

type oneKey struct {
	key Key
	err error
}

func (s oneKey) KeyByHash(_ context.Context, hash string) (Key, Tenant, error) {
	if s.err != nil {
		return Key{}, Tenant{}, s.err
	}
	if hash != s.key.Hash {
		return Key{}, Tenant{}, ErrNoKey
	}
	return s.key, Tenant{WorkspaceID: s.key.WorkspaceID, Modules: []Module{Signing}}, nil
}

func TestAuthenticate(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	text, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	good := Key{WorkspaceID: "w", ID: "k", Hash: Hash(text), Environment: "sandbox", Scopes: []Scope{Integrator},
		Limits: Limits{Standard: 7}}
	changed := func(f func(*Key)) Key { k := good; f(&k); return k }
	down := errors.New("database is down")
	cases := []struct {
		name, header string
		ip           string
		store        oneKey
		want         error
	}{
		{"good", "ApiKey " + text, "192.0.2.7", oneKey{key: good}, nil},
		{"no header", "", "192.0.2.7", oneKey{key: good}, ErrNoHeader},
		{"HMAC", "HMAC abc", "192.0.2.7", oneKey{key: good}, ErrScheme},
		{"no key", "ApiKey ", "192.0.2.7", oneKey{key: good}, ErrBadHeader},
		{"joined headers", "ApiKey " + text + ", ApiKey " + text, "192.0.2.7", oneKey{key: good}, ErrBadHeader},
		{"unknown", "ApiKey " + text, "192.0.2.7", oneKey{}, ErrNoKey},
		{"malformed key", "ApiKey x", "192.0.2.7", oneKey{err: down}, ErrNoKey},
		{"revoked", "ApiKey " + text, "192.0.2.7",
			oneKey{key: changed(func(k *Key) { k.RevokedAt = now.Add(time.Hour) })}, ErrNoKey},
		{"expired", "ApiKey " + text, "192.0.2.7", oneKey{key: changed(func(k *Key) { k.ExpiresAt = now })}, ErrNoKey},
		{"other environment", "ApiKey " + text, "192.0.2.7",
			oneKey{key: changed(func(k *Key) { k.Environment = "production" })}, ErrNoKey},
		{"listed network", "ApiKey " + text, "::ffff:192.0.2.7", oneKey{key: changed(func(k *Key) {
			k.Networks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		})}, nil},
		{"other network", "ApiKey " + text, "192.0.3.7", oneKey{key: changed(func(k *Key) {
			k.Networks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		})}, ErrAddress},
		{"no address", "ApiKey " + text, "", oneKey{key: changed(func(k *Key) {
			k.Networks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		})}, ErrAddress},
		{"session", "Bearer abc", "", oneKey{key: good}, ErrScheme},
		{"a key as a session", "Bearer " + text, "", oneKey{key: good}, ErrKeyAsBearer},
		{"store fails", "ApiKey " + text, "192.0.2.7", oneKey{err: down}, down},
	}
	for _, c := range cases {
		a := &Authenticator{Store: c.store, Clock: clock.Func(func() time.Time { return now }), Environment: "sandbox"}
		p, err := a.Authenticate(t.Context(), Presented{Authorization: c.header, RemoteIP: c.ip}, []Kind{ByKey})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if c.want == nil && (p.WorkspaceID != "w" || p.ID != "k" || p.Limits.Standard != 7 || !p.HasModule(Signing) ||
			p.HasModule(Payout)) {
			t.Errorf("%s: %+v", c.name, p)
		}
		if c.want != nil && p.ID != "" {
			t.Errorf("%s: a principal beside an error", c.name)
		}
	}
}

func TestWrong(t *testing.T) {
	for err, want := range map[error]bool{
		ErrNoKey: true, ErrBadHeader: true, ErrScheme: true, ErrKeyAsBearer: true, fault.Missing("Agent"): true,
		fmt.Errorf("finding: %w", ErrNoKey): true, ErrAddress: true, ErrNoHeader: false, ErrExpired: false,
		ErrScope: false, fault.ErrUnavailable: false, errors.New("database"): false,
	} {
		if got := Wrong(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

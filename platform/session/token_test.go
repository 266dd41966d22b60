package session

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/team"
)

func newKey(t *testing.T) Key {
	t.Helper()
	file, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKey(file)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func signed(t *testing.T, method jwt.SigningMethod, key any, kid string, c jwt.Claims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, c)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestPlatform_AccessToken(t *testing.T) {
	began := time.Date(2026, 11, 21, 9, 0, 0, 700_000_000, time.UTC)
	now := began
	s := &Service{c: Config{Key: newKey(t), Clock: clock.Func(func() time.Time { return now }), Environment: "sandbox"}}
	token, ends, err := s.access(Living{
		Session: Session{WorkspaceID: "w", ID: "s"}, Member: team.Member{ID: "m", Role: auth.RoleViewer},
	}, now)
	if err != nil || !ends.Equal(began.Add(15*time.Minute).Truncate(time.Second)) {
		t.Fatal(ends, err)
	}
	for at, want := range map[time.Time]error{
		began: nil, ends.Add(-1): nil, ends: ErrExpired, ends.Add(time.Hour): ErrExpired,
		began.Truncate(time.Second).Add(-5 * time.Second): nil, began.Add(-6 * time.Second): ErrInvalid,
	} {
		now = at
		c, err := s.verify(token)
		if !errors.Is(err, want) ||
			want == nil && (c.Subject != "m" || c.Workspace != "w" || c.Session != "s" || c.Role != "viewer") {
			t.Errorf("at %v: %v %+v, want %v", at, err, c, want)
		}
	}
}

// Every other way to make a token.
func TestPlatform_AccessTokenForged(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s := &Service{c: Config{Key: newKey(t), Clock: clock.Func(func() time.Time { return now }), Environment: "sandbox"}}
	good := jwt.MapClaims{
		"iss": "railkit", "aud": "sandbox", "sub": "m", "ws": "w", "sid": "s", "role": "admin",
		"exp": now.Add(time.Minute).Unix(), "nbf": now.Unix(),
	}
	but := func(name string, v any) jwt.MapClaims {
		c := maps.Clone(good)
		c[name] = v
		if v == nil {
			delete(c, name)
		}
		return c
	}
	public := s.c.Key.private.Public().(ed25519.PublicKey)
	other := newKey(t)
	eddsa := func(c jwt.MapClaims) string { return signed(t, jwt.SigningMethodEdDSA, s.c.Key.private, s.c.Key.id, c) }
	if _, err := s.verify(eddsa(good)); err != nil {
		t.Fatalf("a good one: %v", err)
	}
	intact := eddsa(good)
	head, rest, _ := strings.Cut(intact, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	text := base64.RawURLEncoding.EncodeToString
	withHeader := func(alg jwt.SigningMethod, key any, header map[string]any) string {
		token := jwt.NewWithClaims(alg, good)
		maps.Copy(token.Header, header)
		made, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	theirs := map[string]any{"kty": "OKP", "crv": "Ed25519", "x": text(other.private.Public().(ed25519.PublicKey))}
	ours := s.c.Key.id
	forged := map[string]string{
		"a key in the header": withHeader(jwt.SigningMethodEdDSA,
			other.private, map[string]any{"kid": ours, "jwk": theirs}),
		"a key at a URL": withHeader(jwt.SigningMethodEdDSA, other.private, map[string]any{
			"kid": ours, "jku": "https://evil.example/keys",
		}),
		"a certificate": withHeader(jwt.SigningMethodEdDSA, other.private, map[string]any{
			"kid": ours, "x5c": []string{"AAAA"},
		}),
		"no id of a key": withHeader(jwt.SigningMethodEdDSA, s.c.Key.private, nil),
		"a list of ids": withHeader(jwt.SigningMethodEdDSA,
			s.c.Key.private, map[string]any{"kid": []string{ours}}),
		"an id that is a path": withHeader(jwt.SigningMethodEdDSA,
			s.c.Key.private, map[string]any{"kid": "../" + ours}),
		"alg none, kept signature": text([]byte(`{"alg":"none","kid":"`+ours+`"}`)) + "." +
			payload + "." + signature,
		"alg nOnE": text([]byte(`{"alg":"nOnE","kid":"`+ours+`"}`)) + "." + payload + ".",
		"alg eddsa": text([]byte(`{"alg":"eddsa","kid":"`+ours+`"}`)) + "." +
			payload + "." + signature,
		"no alg":                  text([]byte(`{"kid":"`+ours+`"}`)) + "." + payload + "." + signature,
		"HS512, the public key":   signed(t, jwt.SigningMethodHS512, []byte(public), ours, good),
		"HS256, nothing as a key": signed(t, jwt.SigningMethodHS256, []byte{}, ours, good),
		"another payload": head + "." +
			text([]byte(`{"iss":"railkit","aud":"sandbox","exp":9999999999}`)) + "." + signature,
		"no signature":                           head + "." + payload + ".",
		"two parts":                              head + "." + payload,
		"four parts":                             intact + "." + signature,
		"padding":                                head + "." + payload + "." + signature + "==",
		"space before":                           " " + intact,
		"the end as a list":                      eddsa(but("exp", []int64{9999999999})),
		"another environment, as text in a text": eddsa(but("aud", "sandbox,production")),
		"two issuers":                            eddsa(but("iss", []string{"railkit"})),
		"an issuer with a space":                 eddsa(but("iss", "railkit ")),
	}
	for name, token := range forged {
		if _, err := s.verify(token); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, token := range map[string]string{
		"nothing": "", "text": "a.b.c", "alg none": signed(t, jwt.SigningMethodNone,
			jwt.UnsafeAllowNoneSignatureType, s.c.Key.id, good),
		"the public key as a secret": signed(t, jwt.SigningMethodHS256, []byte(public), s.c.Key.id, good),
		"another key":                signed(t, jwt.SigningMethodEdDSA, other.private, other.id, good),
		"another key, our id":        signed(t, jwt.SigningMethodEdDSA, other.private, s.c.Key.id, good),
		"another key, over": signed(t, jwt.SigningMethodEdDSA, other.private,
			s.c.Key.id, but("exp", now.Unix())),
		"our key, another id": signed(t, jwt.SigningMethodEdDSA, s.c.Key.private, other.id, good),
		"another environment": eddsa(but("aud", "production")),
		"no environment":      eddsa(but("aud", nil)),
		"another issuer":      eddsa(but("iss", "someone")),
		"no end":              eddsa(but("exp", nil)),
		"not yet":             eddsa(but("nbf", now.Add(time.Second).Unix())),
		"cut":                 intact[:len(intact)-1],
		"longer":              intact + "A",
	} {
		if _, err := s.verify(token); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.verify(eddsa(but("exp", now.Unix()))); !errors.Is(err, ErrExpired) {
		t.Errorf("at its last second: %v", err)
	}
}

func TestParseKey(t *testing.T) {
	for _, bad := range []string{"", "hunter2", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := ParseKey([]byte(bad)); err == nil {
			t.Errorf("took %q for a key", bad)
		}
	}
	k := newKey(t)
	one, err := k.Derive("one")
	two, err2 := k.Derive("two")
	if err != nil || err2 != nil || string(one) == string(two) || len(one) != 32 {
		t.Error("two purposes have one secret")
	}
}

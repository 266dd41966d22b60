package session

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/auth"
)

const (
	issuer = "railkit"
	// accessLife is how long an access token is good. At its last second it is not.
	accessLife = 15 * time.Minute
	// early is how long before its making a token is good already: another server's
	// clock may be behind. The checks themselves have no leeway.
	early = 5 * time.Second
)

// claims are what an access token says. Role is for whoever shows it to a
// person: what the member may do, the server reads from the member each time.
type claims struct {
	jwt.RegisteredClaims
	Workspace string    `json:"ws"`
	Role      auth.Role `json:"role"`
	Session   string    `json:"sid"`
}

// access makes the access token of a session.
func (s *Service) access(l Living, now time.Time) (token string, ends time.Time, err error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return "", ends, fmt.Errorf("making an access token: %w", err)
	}
	ends = now.Add(accessLife).Truncate(time.Second) // a JWT counts seconds
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{s.c.Environment}, Subject: l.Member.ID, ID: id.String(),
			IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now.Add(-early)),
			ExpiresAt: jwt.NewNumericDate(ends),
		},
		Workspace: l.Session.WorkspaceID, Role: l.Member.Role, Session: l.Session.ID,
	})
	t.Header["kid"] = s.c.Key.id
	token, err = t.SignedString(s.c.Key.private)
	if err != nil {
		return "", ends, fmt.Errorf("signing an access token: %w", err)
	}
	return token, ends, nil
}

// verify checks all of a token that it says by itself.
func (s *Service) verify(token string) (claims, error) {
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, s.keyOf,
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithIssuer(issuer),
		jwt.WithAudience(s.c.Environment),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.c.Clock.Now), jwt.WithStrictDecoding())
	if errors.Is(err, jwt.ErrTokenExpired) {
		return claims{}, ErrExpired.Because(err)
	}
	if err != nil {
		return claims{}, ErrInvalid.Because(err)
	}
	return c, nil
}

// keyOf takes the one key of this installation, whatever a token asks for.
func (s *Service) keyOf(t *jwt.Token) (any, error) {
	kid, _ := t.Header["kid"].(string)
	if subtle.ConstantTimeCompare([]byte(kid), []byte(s.c.Key.id)) != 1 {
		return nil, errors.New("another key")
	}
	return s.c.Key.private.Public(), nil
}

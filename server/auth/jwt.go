package auth

import (
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/allspark/allspark/server/fault"
)

// Audiences. A token of one is refused where another is wanted.
const (
	AudienceConsole = "console"
	AudienceCLI     = "cli"
	audienceAgent   = "agent"

	issuer = "allspark"

	// SessionLife bounds a session; operators sign in once a shift.
	SessionLife = 12 * time.Hour
	// CredentialLife bounds an agent's credential; it renews at half of it.
	CredentialLife = 24 * time.Hour

	// clockLeeway is how far the clocks of two replicas may be apart.
	clockLeeway = 30 * time.Second
	maxJWT      = 4096 // bytes; ours have about 400
)

// claims are what our JWTs say.
type claims struct {
	jwt.RegisteredClaims
	Epoch int64  `json:"epo,omitempty"` // sessions
	App   string `json:"app,omitempty"` // agents
	IDC   string `json:"idc,omitempty"`
}

func sign(k Key, c *claims) (string, error) {
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, c)
	t.Header["kid"] = k.ID
	return t.SignedString(k.Secret)
}

// parse accepts a JWT signed by one of keys for one of the audiences, and
// nothing else: the algorithm is pinned, the key is found by id only among ours.
func parse(raw string, keys []Key, now time.Time, audiences ...string) (*claims, error) {
	if len(raw) > maxJWT {
		return nil, fault.New(fault.Unauthorized, "the credential is too long")
	}
	var c claims
	_, err := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audiences...),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(clockLeeway),
		jwt.WithTimeFunc(func() time.Time { return now }),
	).ParseWithClaims(raw, &c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		for _, k := range keys {
			if k.ID == kid && now.Before(k.Retires) {
				return k.Secret, nil
			}
		}
		return nil, errors.New("unknown key")
	})
	if errors.Is(err, jwt.ErrTokenExpired) {
		return nil, fault.Wrap(fault.Unauthorized, err, "the session has expired, sign in again")
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unauthorized, err, "the credential is not valid here")
	}
	return &c, nil
}

func registered(aud, subject, id string, now time.Time, life time.Duration) jwt.RegisteredClaims {
	return jwt.RegisteredClaims{
		Issuer: issuer, Subject: subject, ID: id, Audience: jwt.ClaimStrings{aud},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
	}
}

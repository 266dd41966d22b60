package signing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// life is how long a prepared request waits for its stamp.
const life = 15 * time.Minute

// UnsignedActivity is what a client stamps: body, to the byte.
type UnsignedActivity struct {
	URL            string `json:"url" doc:"Where the stamped body is sent"`
	OrganizationID string `json:"organizationId"`
	TimestampMs    string `json:"timestampMs"`
	Body           string `json:"body" doc:"JSON text; its bytes are what the passkey stamps"`
}

// AllowCredential names a passkey that may stamp.
type AllowCredential struct {
	Type       string   `json:"type" enum:"public-key"`
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// Prepared is common to every prepare answer.
type Prepared struct {
	UnsignedActivity UnsignedActivity  `json:"unsignedActivity"`
	Fingerprint      string            `json:"fingerprint" doc:"sha256: and hex of the body's SHA-256"`
	Challenge        string            `json:"challenge" doc:"WebAuthn challenge text: lower-case hex SHA-256 of the body"`
	ExpiresAt        string            `json:"expiresAt" format:"date-time"`
	AllowCredentials []AllowCredential `json:"allowCredentials"`
	Preview          wire.Proof        `json:"preview" doc:"What the enclave says that the body does; verify it before stamping"`
	CeremonyURL      string            `json:"ceremonyUrl,omitempty" doc:"Page on which the owner sees what it does and stamps it; once, and a secret until then"`
}

// Stamped is a body that came back with its stamp.
type Stamped struct {
	URL            string     `json:"url,omitempty"`
	OrganizationID string     `json:"organizationId,omitempty"`
	TimestampMs    string     `json:"timestampMs,omitempty"`
	Body           string     `json:"body" text:"any" doc:"The prepared body, unchanged"`
	Stamp          wire.Stamp `json:"stamp"`
}

// draft is a body on its way to being prepared.
type draft struct {
	kind     wire.ActivityType
	sub      SubOrganization
	params   any
	url      string
	id       string // activity id
	held     string // of a vote: the body that it is for
	now      time.Time
	body     string
	ceremony Ceremony
	Prepared
}

// prepare writes the body and has the enclave say what it does. What a rule refuses
// is refused here, before anybody is asked for a stamp.
func (s *Service) prepare(ctx context.Context, d *draft) error {
	d.now = s.clock.Now()
	expires := d.now.Add(life)
	params, err := encode(d.params)
	if err != nil {
		return err
	}
	body, err := encode(wire.Body{
		Type: d.kind, Environment: string(s.env), OrganizationID: d.sub.ID, ActivityID: d.id,
		TimestampMs: millis(d.now), ExpiresAtMs: millis(expires), Parameters: params,
	})
	if err != nil {
		return err
	}
	d.body = string(body)
	proof, st, err := s.preview(ctx, *d)
	if err != nil {
		return err
	}
	if denial := st.Preview.Denial; denial != nil {
		r := refused{workspaceID: d.sub.WorkspaceID, subOrganizationID: d.sub.ID, fingerprint: wire.Fingerprint(d.body)}
		return s.deny(ctx, r, *denial, nil)
	}
	allow, err := s.allowCredentials(ctx, d.sub)
	if err != nil {
		return err
	}
	d.Prepared = Prepared{
		UnsignedActivity: UnsignedActivity{URL: d.url, OrganizationID: d.sub.ID, TimestampMs: millis(d.now), Body: d.body},
		Fingerprint:      wire.Fingerprint(d.body), Challenge: wire.Digest(d.body),
		ExpiresAt: clock.ISO(expires), AllowCredentials: allow, Preview: proof,
	}
	d.ceremony, d.CeremonyURL = s.newCeremony(Ceremony{
		WorkspaceID: d.sub.WorkspaceID, Kind: ceremonyKinds[d.kind], Subject: d.id, CreatedAt: d.now, ExpiresAt: expires,
	})
	return nil
}

func (s *Service) preview(ctx context.Context, d draft) (wire.Proof, wire.Statement, error) {
	if d.held != "" {
		return s.enclave.PreviewVote(ctx, d.body, d.held)
	}
	return s.enclave.Preview(ctx, d.body)
}

func (s *Service) allowCredentials(ctx context.Context, sub SubOrganization) ([]AllowCredential, error) {
	keys, err := s.store.Passkeys(ctx, sub.WorkspaceID, sub.ID)
	if err != nil {
		return nil, err
	}
	allow := []AllowCredential{}
	for _, k := range keys {
		allow = append(allow, AllowCredential{Type: "public-key", ID: k.CredentialID, Transports: k.Transports})
	}
	return allow, nil
}

func (d draft) expires() time.Time { return d.now.Add(life) }

func (d draft) preview() (string, error) { return text(d.Preview) }

// encode writes JSON as people read it: no escapes for < and >.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func text(v any) (string, error) {
	raw, err := encode(v)
	return string(raw), err
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

package sandbox

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/crash"
)

// How a notice is sent: so long it may take, so often and so long it is tried.
const (
	deliveryTime = 5 * time.Second
	firstRetry   = time.Second
	longestRetry = time.Minute
	givenUpAfter = 48 * time.Hour
)

// webhook sends to where it was told and nowhere else.
var webhook = &http.Client{
	Timeout:       deliveryTime,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// keepDelivering sends what is in the box.
func (s *Server) keepDelivering(ctx context.Context) {
	for {
		sent, err := s.deliverOne(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.config.Log.Error("a notice waits", "error", err)
		}
		if sent && err == nil {
			continue
		}
		if !s.news.wait(ctx, idle/5) {
			return
		}
	}
}

// parcel is a notice in the box.
type parcel struct {
	seq, due, since int64
	attempts        int
	body            string
	how             manners
}

func (s *Server) deliverOne(ctx context.Context) (bool, error) {
	where, err := s.webhookURL(ctx)
	if err != nil || where == "" {
		return false, err
	}
	p, found, err := s.nextParcel(ctx)
	if err != nil || !found {
		return false, err
	}
	signature, err := s.sign(p)
	if err != nil {
		return false, err
	}
	crash.At("Partner", "before-notice")
	delivered := send(ctx, where, signature, p.body)
	if p.how.Twice {
		send(ctx, where, signature, p.body)
	}
	crash.At("Partner", "after-notice")
	return true, s.update(ctx, func(t *tx) error {
		_, err := t.exec(`UPDATE events SET due = ?, attempts = attempts + 1, signature = ? WHERE seq = ? AND due = ?`,
			p.again(t.now, delivered), signature, p.seq, p.due)
		return err
	})
}

// webhookURL is where notices go, "" for nowhere.
func (s *Server) webhookURL(ctx context.Context) (string, error) {
	where := s.config.WebhookURL
	if where != "" {
		return where, nil
	}
	err := setting(s.view(ctx), "webhook", &where)
	return where, err
}

// again is when a notice is sent again, NULL for never.
func (p parcel) again(now time.Time, delivered bool) any {
	if delivered || now.Sub(time.UnixMicro(p.since)) > givenUpAfter {
		return nil
	}
	return instant(now.Add(min(firstRetry<<min(p.attempts, 10), longestRetry)))
}

// nextParcel is the oldest that is due, or the newest of those that are to be reordered.
func (s *Server) nextParcel(ctx context.Context) (p parcel, found bool, err error) {
	var how string
	err = s.db.Reader.QueryRowContext(ctx, `SELECT seq, due, since, attempts, body, how FROM events WHERE due <= ?
		ORDER BY attempts, CASE WHEN how LIKE '%"reordered":true%' THEN -seq ELSE seq END LIMIT 1`,
		time.Now().UnixMicro()).
		Scan(&p.seq, &p.due, &p.since, &p.attempts, &p.body, &how)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(how), &p.how)
	}
	if err != nil {
		return p, false, fmt.Errorf("looking for a notice: %w", err)
	}
	return p, true, nil
}

// SignatureHeader is where a notice's signature stands.
const SignatureHeader = "X-Webhook-Signature"

// sign signs as Bridge does: the SHA-256 digest of time, dot and body is the
// message of an RSA signature with SHA-256.
func (s *Server) sign(p parcel) (string, error) {
	at := time.Now()
	if p.how.Stale {
		at = at.Add(-time.Hour)
	}
	stamp := fmt.Sprint(at.UnixMilli())
	message := sha256.Sum256([]byte(stamp + "." + p.body))
	if p.how.BadSignature {
		message = sha256.Sum256([]byte("another notice"))
	}
	digest := sha256.Sum256(message[:])
	raw, err := rsa.SignPKCS1v15(rand.Reader, s.signer, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("signing a notice: %w", err)
	}
	return "t=" + stamp + ",v0=" + base64.StdEncoding.EncodeToString(raw), nil
}

func send(ctx context.Context, where, signature, body string) (delivered bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, where, bytes.NewReader([]byte(body)))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(SignatureHeader, signature)
	res, err := webhook.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode/100 == 2
}

// mutation is what a notice says happened.
type mutation string

const (
	created      mutation = "created"
	updated      mutation = "updated"
	transitioned mutation = "updated.status_transitioned"
)

// notice is a webhook's body.
type notice struct {
	Version   string    `json:"api_version"`
	ID        string    `json:"event_id"`
	Category  string    `json:"event_category"`
	Type      string    `json:"event_type"`
	ObjectID  string    `json:"event_object_id"`
	Status    string    `json:"event_object_status"`
	Object    any       `json:"event_object"`
	Changes   struct{}  `json:"event_object_changes"`
	CreatedAt time.Time `json:"event_created_at"`
}

// manners are how notices are sent. The zero value is how they should be.
type manners struct {
	LateMs       int64 `json:"lateMs,omitempty"`       // so much later
	Twice        bool  `json:"twice,omitempty"`        // the same one two times
	Reordered    bool  `json:"reordered,omitempty"`    // collected for a moment, and the newest first
	Lost         bool  `json:"lost,omitempty"`         // never
	BadSignature bool  `json:"badSignature,omitempty"` // signed by somebody else
	Stale        bool  `json:"stale,omitempty"`        // with a time of an hour ago
	Times        int   `json:"times,omitempty"`        // for so many notices; 0: until it is set again
}

// collecting is how long notices that are to be reordered wait for others.
const collecting = 2 * time.Second

// emit puts a notice into the box that is emptied after the commit. It is there
// if and only if what it tells of has happened.
func (t *tx) emit(category string, m mutation, id, status string, object any) error {
	n := notice{
		Version: "v0", ID: "wh_" + uuid.NewString(), Category: category, Type: category + "." + string(m),
		ObjectID: id, Status: status, Object: object, CreatedAt: t.stamp(),
	}
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encoding a notice: %w", err)
	}
	return t.box(n.ID, raw)
}

func (t *tx) box(id string, body []byte) error {
	how, err := t.manners()
	if err != nil {
		return err
	}
	due := t.now.Add(time.Duration(how.LateMs) * time.Millisecond)
	if how.Reordered {
		due = due.Add(collecting)
	}
	if how.Lost {
		due = time.Time{}
	}
	raw, err := json.Marshal(how)
	if err != nil {
		return fmt.Errorf("encoding how to send: %w", err)
	}
	_, err = t.exec(`INSERT INTO events (id, body, how, due, since) VALUES (?, ?, ?, ?, ?)`,
		id, string(body), string(raw), instant(due), t.now.UnixMicro())
	return err
}

// manners are those for the next notice.
func (t *tx) manners() (manners, error) {
	var how manners
	if err := setting(&t.view, "manners", &how); err != nil || how.Times == 0 {
		return how, err
	}
	rest := how
	if rest.Times--; rest.Times == 0 {
		rest = manners{}
	}
	return how, t.set("manners", rest)
}

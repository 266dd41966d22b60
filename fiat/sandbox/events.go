package sandbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

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

package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/railkit/railkit/internal/test/apptest"
)

const approvalPath = "/v1/signing/approvals/"

// message asks for a signature without a stamp: it waits for a vote.
func (w *world) message() string {
	w.made++
	return apptest.JSON(w.t, map[string]string{
		"signWith": w.owner.Address.Address, "type": "EIP191_TEXT", "payload": fmt.Sprint("Message ", w.made),
	})
}

func (w *world) queueMessage() (approval string) {
	w.t.Helper()
	got := w.once(http.MethodPost, "/v1/signing/messages/sign", w.message())
	var q struct{ ApprovalID string }
	if err := json.Unmarshal([]byte(got.Body), &q); err != nil ||
		got.Status != http.StatusAccepted || q.ApprovalID == "" {
		w.t.Fatalf("not queued: %d %s", got.Status, got.Body)
	}
	return q.ApprovalID
}

func queueMessage(w *world, arm func()) {
	arm()
	w.stands(w.queueMessage(), "pending")
}

// lastVote has the message signed, also where nobody heard the vote's answer.
func lastVote(w *world, arm func()) {
	id := w.queueMessage()
	vote := w.prepare(approvalPath+id+"/approve?prepare=true", map[string]string{})
	arm()
	w.once(http.MethodPost, approvalPath+id+"/approve",
		apptest.JSON(w.t, map[string]any{"signedActivity": vote.signed}))
	w.stands(id, "approved")
}

func rejectMessage(w *world, arm func()) {
	id := w.queueMessage()
	arm()
	w.once(http.MethodPost, approvalPath+id+"/reject", `{"reason":"not ours"}`)
	w.stands(id, "rejected")
}

// stands waits until an approval stands so and, where it is decided, nothing of
// it is left to do.
func (w *world) stands(id, status string) {
	w.t.Helper()
	w.until("the approval is "+status, func() error {
		got, err := w.send(http.MethodGet, approvalPath+id, "", "")
		if err != nil {
			return err
		}
		signed := strings.Contains(got.Body, `\"signature\":{`)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, `"status":"`+status+`"`) ||
			signed != (status == "approved") {
			return fmt.Errorf("%d %s", got.Status, got.Body)
		}
		return nil
	})
}

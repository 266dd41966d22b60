package enclave

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
)

// Bounds of the memory for unanswered challenges. When a workspace is full its
// oldest challenge makes room, so that nobody is locked out by asking often;
// workspaces beyond the bound are refused until others expire.
const (
	challengeLife = 5 * time.Minute
	perWorkspace  = 256
	maxWorkspaces = 4096
)

// challenges remembers what was issued and not yet answered. It is memory only:
// after a restart the ceremony begins again.
type challenges struct {
	mu    sync.Mutex
	byRef map[string][]issued // by workspace, oldest first
}

type issued struct {
	text string
	decide.Challenge
}

func newChallenges() *challenges { return &challenges{byRef: map[string][]issued{}} }

// issue makes a challenge for one workspace and e-mail.
func (c *challenges) issue(workspaceID, email string, now time.Time) (issued, error) {
	if workspaceID == "" || len(workspaceID) > 64 {
		return issued{}, refusal.ErrBody.Msg("workspaceId is missing or too long")
	}
	if !decide.IsEmail(email) {
		return issued{}, refusal.ErrBody.Msg("email is not an e-mail address")
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return issued{}, fmt.Errorf("making a challenge: %w", err)
	}
	ch := issued{
		text:      base64.RawURLEncoding.EncodeToString(raw),
		Challenge: decide.Challenge{WorkspaceID: workspaceID, Email: email, ExpiresAt: now.Add(challengeLife)},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(now)
	if _, known := c.byRef[workspaceID]; !known && len(c.byRef) >= maxWorkspaces {
		return issued{}, errBusy
	}
	list := append(c.byRef[workspaceID], ch)
	if len(list) > perWorkspace {
		list = list[len(list)-perWorkspace:]
	}
	c.byRef[workspaceID] = list
	return ch, nil
}

// expire drops what is too old. Lists are in order of time.
func (c *challenges) expire(now time.Time) {
	for ws, list := range c.byRef {
		for len(list) > 0 && !now.Before(list[0].ExpiresAt) {
			list = list[1:]
		}
		if len(list) == 0 {
			delete(c.byRef, ws)
			continue
		}
		c.byRef[ws] = list
	}
}

// find gives the challenge, nil where it was never issued here.
func (c *challenges) find(workspaceID, text string) *decide.Challenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ch := range c.byRef[workspaceID] {
		if ch.text == text {
			return &ch.Challenge
		}
	}
	return nil
}

// use removes a challenge that was answered.
func (c *challenges) use(workspaceID, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.byRef[workspaceID]
	for i, ch := range list {
		if ch.text == text {
			c.byRef[workspaceID] = append(append([]issued{}, list[:i]...), list[i+1:]...)
			return
		}
	}
}

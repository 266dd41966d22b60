package agent

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// The variables that FromEnv reads.
const (
	EnvAgentID = "RAILKIT_AGENT_ID"
	EnvSecret  = "RAILKIT_AGENT_SECRET"
	EnvBaseURL = "RAILKIT_API_URL"
)

const (
	mostBatch    = 100    // events that the API takes in one call
	mostWaiting  = 10_000 // events that wait to be reported; of more, the oldest are dropped
	mostAttempts = 4      // of a payment, in all
	mostPause    = time.Minute
)

// Config says which agent runs here, and how patient it is. What is left out has its default.
type Config struct {
	BaseURL string // scheme and host of the API, without /v1
	AgentID string
	Secret  string `json:"-"` // as the agent's owner got it

	KillPoll        time.Duration // how often the agent's status is asked for; default 30 s
	FlushEvery      time.Duration // how long an event waits at most before it is reported; default 10 s
	BatchSize       int           // events that are reported at once, at most 100; default 50
	ApprovalTimeout time.Duration // how long Pay waits for the owner's decision; default 5 min

	HTTPClient *http.Client // default: 30 s timeout
	Logger     *slog.Logger // default: none. The secret is never logged
}

// FromEnv reads who the agent is from RAILKIT_AGENT_ID, RAILKIT_AGENT_SECRET and RAILKIT_API_URL.
func FromEnv() (Config, error) {
	var c Config
	for name, to := range map[string]*string{EnvAgentID: &c.AgentID, EnvSecret: &c.Secret, EnvBaseURL: &c.BaseURL} {
		if *to = os.Getenv(name); *to == "" {
			return Config{}, fmt.Errorf("agent: the environment has no %s", name)
		}
	}
	return c, nil
}

// Format prints a Config without its secret, whatever the verb.
func (c Config) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, "agent "+c.AgentID+" at "+c.BaseURL)
}

// withDefaults fills in what was left out, and refuses what makes no sense.
func (c Config) withDefaults() (Config, error) {
	for _, d := range []struct {
		name     string
		value    *time.Duration
		standard time.Duration
	}{
		{"KillPoll", &c.KillPoll, 30 * time.Second},
		{"FlushEvery", &c.FlushEvery, 10 * time.Second},
		{"ApprovalTimeout", &c.ApprovalTimeout, 5 * time.Minute},
	} {
		if *d.value < 0 {
			return c, errors.New("agent: " + d.name + " must not be negative")
		}
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	if c.BatchSize < 0 || c.BatchSize > mostBatch {
		return c, fmt.Errorf("agent: BatchSize must be from 1 to %d", mostBatch)
	}
	if c.BatchSize == 0 {
		c.BatchSize = 50
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func (c Config) client() (*railkit.AgentClient, error) {
	return railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: c.BaseURL, AgentID: c.AgentID, Secret: c.Secret, HTTPClient: c.HTTPClient,
		// In the first form the same payment, asked for again by a program that crashed a second ago, is a replay.
		HTTPSignatures: true,
		Retry:          railkit.Retry{Attempts: 1}, // each of polls, payments and events is tried again in its own way
	})
}

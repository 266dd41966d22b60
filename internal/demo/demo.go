// Package demo walks the whole story of Railkit against a running platform,
// through the public HTTP API only, as a client that trusts nobody but the
// enclave's key.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// World is a platform that the demo may start, kill and start again on the
// same data.
type World interface {
	Start(ctx context.Context) (Facts, error) // ctx bounds the start, not the life
	KillAll() error                           // SIGKILL to every process, at once
	Stop() error                              // in order; harmless where nothing runs
	Logs() string                             // of all processes, newest last
}

// Facts are dev.json: what a local platform says of itself, and all that a client
// of it has to know.
type Facts struct {
	BaseURL        string            `json:"baseUrl"`
	Environment    string            `json:"environment"` // sandbox
	APIKey         string            `json:"apiKey"`
	InternalKey    string            `json:"internalKey"`
	AdminKey       string            `json:"adminKey"`
	BenchKey       string            `json:"benchKey"`
	WorkspaceID    string            `json:"workspaceId"`
	EVMRPCURL      string            `json:"evmRpcUrl"`
	SolanaRPCURL   string            `json:"solanaRpcUrl"`
	TronURL        string            `json:"tronUrl"`
	ChainID        uint64            `json:"chainId"`
	Tokens         map[string]string `json:"tokens"` // symbol to address, on that chain
	EnclaveSocket  string            `json:"enclaveSocket"`
	EnclaveKey     string            `json:"enclaveKey"` // the identity key to pin
	RPID           string            `json:"rpId"`
	CeremonyOrigin string            `json:"ceremonyOrigin"`
	DashboardURL   string            `json:"dashboardUrl"` // where members log in
	PricesURL      string            `json:"pricesUrl"`
	PartnerURL     string            `json:"partnerUrl"`
	FacilitatorURL string            `json:"facilitatorUrl"` // settles payments of x402
	ShopURL        string            `json:"shopUrl"`        // sells by x402
	LyingShopURL   string            `json:"lyingShopUrl"`   // tells a lie at each of its paths
	MailURL        string            `json:"mailUrl"`        // page that shows what was mailed
}

// Options are what a run needs.
type Options struct {
	Out     io.Writer
	World   World
	Getenv  func(string) string // default: no variable is set
	Timeout time.Duration       // of one step; default 90 s
	Poll    time.Duration       // between two looks; default 150 ms

	without []string // steps that a test's own world cannot do
}

// Run starts the platform, tells the story and stops the platform. It fails
// with the first step that does, after showing what is needed to see why.
func Run(ctx context.Context, o Options) (err error) {
	if o.Timeout <= 0 {
		o.Timeout = 90 * time.Second
	}
	if o.Poll <= 0 {
		o.Poll = 150 * time.Millisecond
	}
	sc := newScreen(o.Out, o.Getenv)
	began := time.Now()
	defer func() { err = errors.Join(err, stop(o.World)) }()

	s := &story{Options: o, recorder: newRecorder()}
	sc.title()
	if err := sc.run(0, "Starting server, enclave and EVM node", func() (string, error) {
		return s.start(ctx)
	}); err != nil {
		sc.failure("starting the platform", err, nil, o.World.Logs())
		return fmt.Errorf("starting the platform: %w", err)
	}
	for i, st := range s.told() {
		err := sc.run(i+1, st.what, func() (string, error) { return s.within(ctx, st.do) })
		if ctx.Err() != nil {
			return fmt.Errorf("stopped in step %d: %w", i+1, ctx.Err())
		}
		if err != nil {
			sc.failure(fmt.Sprintf("step %d, %q", i+1, st.what), err, s.recorder.last(), o.World.Logs())
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	sc.summary(s, time.Since(began))
	return nil
}

func stop(w World) error {
	if err := w.Stop(); err != nil {
		return fmt.Errorf("stopping the platform: %w", err)
	}
	return nil
}

// told are the steps of this run.
func (s *story) told() []step {
	return slices.DeleteFunc(s.steps(), func(st step) bool { return slices.Contains(s.without, st.what) })
}

// within gives a step its time.
func (s *story) within(ctx context.Context, do func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	return do(ctx)
}

// start brings the platform up and makes a client that pins its enclave's key.
func (s *story) start(ctx context.Context) (string, error) {
	facts, err := s.World.Start(ctx)
	if err != nil {
		return "", err
	}
	if facts.BaseURL == "" || facts.EnclaveKey == "" || facts.Tokens[token] == "" {
		return "", errors.New("the platform's facts lack its address, its enclave key or its " + token)
	}
	s.facts = facts
	s.memory = railkit.NewMemory()
	s.client, err = s.newClient(s.recorder)
	return "", err
}

// newClient makes a client that talks through a transport.
func (s *story) newClient(transport http.RoundTripper) (*railkit.Client, error) {
	key := s.facts.BenchKey
	if key == "" {
		key = s.facts.APIKey
	}
	return railkit.New(railkit.Config{
		BaseURL: s.facts.BaseURL, APIKey: key, EnclaveKey: s.facts.EnclaveKey, Environment: "sandbox",
		RPID: s.facts.RPID, HTTPClient: &http.Client{Transport: transport, Timeout: 30 * time.Second}, Memory: s.memory,
		UserAgent: "railkit-demo",
	})
}

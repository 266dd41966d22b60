// Package client is how the server reaches the enclave. It trusts the socket for
// nothing but delivery: every statement is checked against the pinned key and
// against the body it is about.
package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/requestid"
)

// timeout bounds one call. The enclave answers in milliseconds or not at all.
const timeout = 10 * time.Second

// callsPerConnection is half of what the transport has numbers for. Beyond the
// last it begins at the first, and the other side refuses that.
const callsPerConnection = 1 << 30

// Client calls one enclave; it connects when it is first needed and again after
// a connection breaks.
type Client struct {
	socket string
	pinned string // identity key, compressed hex
	tell   func(ctx context.Context, method string, took time.Duration, err error)

	mu    sync.Mutex
	conn  *ttrpc.Client
	calls int // over conn
}

// New makes a client of the enclave behind the socket whose identity key is pinned.
func New(socket, pinned string) *Client {
	return &Client{socket: socket, pinned: pinned, tell: func(context.Context, string, time.Duration, error) {}}
}

// Observe has each call told, before the first one is made.
func (c *Client) Observe(tell func(ctx context.Context, method string, took time.Duration, err error)) {
	c.tell = tell
}

// Outcome is an outcome with its statement, checked.
type Outcome struct {
	State       wire.OutcomeState
	Proof       wire.Proof
	Statement   wire.Statement
	AgentSecret string // see wire.OutcomeReply
}

// Info describes the enclave. An identity key other than the pinned one is an error.
func (c *Client) Info(ctx context.Context) (wire.InfoReply, error) {
	var a wire.InfoReply
	if err := c.call(ctx, wire.MInfo, struct{}{}, &a); err != nil {
		return a, err
	}
	if a.IdentityKey != c.pinned {
		return a, errors.New("the enclave behind the socket has another identity key than the pinned one")
	}
	return a, nil
}

// Challenge asks for a registration challenge.
func (c *Client) Challenge(ctx context.Context, workspaceID, email string) (wire.ChallengeReply, error) {
	var a wire.ChallengeReply
	err := c.call(ctx, wire.MChallenge, wire.ChallengeRequest{WorkspaceID: workspaceID, Email: email}, &a)
	return a, err
}

// Recovery begins a recovery.
func (c *Client) Recovery(ctx context.Context, q wire.RecoveryRequest) (wire.RecoveryReply, error) {
	var a wire.RecoveryReply
	err := c.call(ctx, wire.MRecovery, q, &a)
	return a, err
}

// Preview asks what a body would do.
func (c *Client) Preview(ctx context.Context, body string) (wire.Proof, wire.Statement, error) {
	return c.preview(ctx, wire.PreviewRequest{Body: body})
}

// PreviewVote asks what a vote is for; held is the body that waits.
func (c *Client) PreviewVote(ctx context.Context, body, held string) (wire.Proof, wire.Statement, error) {
	p, st, err := c.preview(ctx, wire.PreviewRequest{Body: body, Held: held})
	if err == nil && (st.Preview.Held == nil || st.Preview.Approves == nil ||
		st.Preview.Approves.Fingerprint != fingerprintOf(held)) {
		err = errors.New("the enclave answered a vote's preview with that of another")
	}
	return p, st, err
}

func (c *Client) preview(ctx context.Context, q wire.PreviewRequest) (wire.Proof, wire.Statement, error) {
	var p wire.Proof
	if err := c.call(ctx, wire.MPreview, q, &p); err != nil {
		return p, wire.Statement{}, err
	}
	st, err := p.Open(c.pinned)
	if err == nil && (st.Kind != wire.KindPreview || st.Preview == nil || st.Fingerprint != fingerprintOf(q.Body)) {
		err = errors.New("the enclave answered a preview with another statement")
	}
	return p, st, err
}

// Submit executes a body, once.
func (c *Client) Submit(ctx context.Context, q wire.SubmitRequest, fingerprint string) (Outcome, error) {
	return c.outcome(ctx, wire.MSubmit, q, fingerprint)
}

// Cancel makes sure that a body is never executed, or tells that it was.
func (c *Client) Cancel(ctx context.Context, fingerprint string) (Outcome, error) {
	return c.outcome(ctx, wire.MCancel, wire.FingerprintRequest{Fingerprint: fingerprint}, fingerprint)
}

// Outcome asks what became of a body.
func (c *Client) Outcome(ctx context.Context, fingerprint string) (Outcome, error) {
	return c.outcome(ctx, wire.MOutcome, wire.FingerprintRequest{Fingerprint: fingerprint}, fingerprint)
}

// Known asks which of the bodies have an outcome. It names as many as there are: each call asks about some of them.
func (c *Client) Known(ctx context.Context, fingerprints []string) (known []string, err error) {
	for some := range slices.Chunk(fingerprints, wire.MaxKnown) {
		var a wire.KnownReply
		if err := c.call(ctx, wire.MKnown, wire.KnownRequest{Fingerprints: some}, &a); err != nil {
			return nil, err
		}
		known = append(known, a.Known...)
	}
	return known, nil
}

// State asks for a new statement about what is.
func (c *Client) State(ctx context.Context, q wire.StateRequest) (wire.Proof, error) {
	var p wire.Proof
	if err := c.call(ctx, wire.MState, q, &p); err != nil {
		return p, err
	}
	st, err := p.Open(c.pinned)
	if err == nil && (st.Kind != wire.KindState || st.State == nil || st.OrganizationID != q.OrganizationID) {
		err = errors.New("the enclave answered about its state with another statement")
	}
	return p, err
}

// Heads asks which heads the journal had at these entries.
func (c *Client) Heads(ctx context.Context, seqs []string) (wire.Proof, error) {
	var p wire.Proof
	if err := c.call(ctx, wire.MHeads, wire.HeadsRequest{Seqs: seqs}, &p); err != nil {
		return p, err
	}
	st, err := p.Open(c.pinned)
	stated := make([]string, len(st.Heads))
	for i, h := range st.Heads {
		stated[i] = h.Seq
	}
	if err == nil && (st.Kind != wire.KindJournal || !slices.Equal(stated, seqs)) {
		err = errors.New("the enclave answered about its journal with another statement")
	}
	return p, err
}

// Agent asks about an agent.
func (c *Client) Agent(ctx context.Context, agentID string) (wire.AgentReply, error) {
	var a wire.AgentReply
	err := c.call(ctx, wire.MAgent, wire.AgentRequest{AgentID: agentID}, &a)
	return a, err
}

// VerifyAgent asks whose a signed request is. A write is told once.
func (c *Client) VerifyAgent(ctx context.Context, q wire.VerifyAgentRequest) (wire.AgentReply, error) {
	var a wire.AgentReply
	err := c.call(ctx, wire.MVerifyAgent, q, &a)
	return a, err
}

// Prices hands in a sheet of the price signer, and tells which prices count.
func (c *Client) Prices(ctx context.Context, sheet wire.SignedSheet) (wire.PricesReply, error) {
	var a wire.PricesReply
	err := c.call(ctx, wire.MPrices, wire.PricesRequest{Sheet: sheet}, &a)
	return a, err
}

func fingerprintOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (c *Client) outcome(ctx context.Context, method string, q any, fingerprint string) (Outcome, error) {
	var a wire.OutcomeReply
	if err := c.call(ctx, method, q, &a); err != nil {
		return Outcome{}, err
	}
	if a.State == wire.Unknown && a.Proof == nil {
		return Outcome{State: a.State}, nil // nothing happened, and nothing proves it
	}
	if a.Proof == nil {
		return Outcome{}, errors.New("the enclave's answer has no proof")
	}
	st, err := a.Proof.Open(c.pinned)
	if err != nil {
		return Outcome{}, err
	}
	if st.Kind != wire.KindResult || st.Fingerprint != fingerprint {
		return Outcome{}, errors.New("the enclave's answer is about another body")
	}
	if stated := stateOf(st); a.State != stated || stated == "" {
		return Outcome{}, errors.New("the enclave's answer says another thing than its proof")
	}
	return Outcome{State: a.State, Proof: *a.Proof, Statement: st, AgentSecret: a.AgentSecret}, nil
}

// stateOf is what a statement proves: who executed has a result to tell, and who
// waits or was denied says so. Anything else proves nothing.
func stateOf(st wire.Statement) wire.OutcomeState {
	r := st.Result
	switch {
	case r == nil && st.Outcome == "":
		return wire.Cancelled
	case r == nil:
		return ""
	case st.Outcome == "" && r.Denial == nil, st.Outcome == wire.Held, st.Outcome == wire.Denied && r.Denial != nil:
		return cmp.Or(st.Outcome, wire.Done)
	}
	return ""
}

func (c *Client) call(ctx context.Context, method string, q, a any) error {
	began := time.Now()
	err := c.ask(ctx, method, q, a)
	c.tell(ctx, method, time.Since(began), err)
	return err
}

func (c *Client) ask(ctx context.Context, method string, q, a any) error {
	raw, err := frame.Call(q)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out wrapperspb.BytesValue
	crash.At(method, "before-call")
	if id := requestid.Of(ctx); id != "" { // beside the call, so that what is signed and journaled has nothing of it
		ctx = ttrpc.WithMetadata(ctx, ttrpc.MD{requestid.Key: {id}})
	}
	if err := c.send(ctx, method, wrapperspb.Bytes(raw), &out); err != nil {
		return fault.ErrUnavailable.Because(fmt.Errorf("calling the enclave: %w", err))
	}
	crash.At(method, "after-call")
	refused, err := frame.ReadAnswer(out.GetValue(), a)
	switch {
	case errors.Is(err, frame.ErrRelease): // nothing was done: it could not read the call either
		return fault.ErrUnavailable.Because(err)
	case err != nil:
		return fmt.Errorf("reading the enclave's reply: %w", err)
	case refused != nil:
		return asFault(*refused)
	}
	return nil
}

// send sends a call. Every call is idempotent, so a call that met a connection
// the enclave's restart had broken is sent once more on a new one. (VerifyAgent
// is not: a write that was accepted and comes again is refused, which is safe.)
func (c *Client) send(ctx context.Context, method string, in, out *wrapperspb.BytesValue) error {
	for attempt := 0; ; attempt++ {
		conn, err := c.connect(ctx)
		if err != nil {
			return err
		}
		err = conn.Call(ctx, wire.Service, method, in, out)
		if err == nil || !errors.Is(err, ttrpc.ErrClosed) || attempt > 0 {
			return err
		}
		c.drop(conn)
	}
}

func (c *Client) connect(ctx context.Context) (*ttrpc.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && c.calls < callsPerConnection {
		c.calls++
		return c.conn, nil
	}
	var d net.Dialer
	raw, err := d.DialContext(ctx, "unix", c.socket)
	if err != nil {
		return nil, err
	}
	if old := c.conn; old != nil { // with calls under way
		time.AfterFunc(timeout, func() { _ = old.Close() })
	}
	c.conn, c.calls = ttrpc.NewClient(raw), 1
	return c.conn, nil
}

func (c *Client) drop(conn *ttrpc.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		_ = conn.Close()
		c.conn = nil
	}
}

// Close ends the connection.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return nil
	}
	err := c.conn.Close()
	c.conn = nil
	return err
}

func asFault(f wire.Fault) error {
	e := &fault.Error{
		Kind:       fault.Kind(f.Kind),
		Code:       f.Code,
		Message:    f.Message,
		RetryAfter: time.Duration(f.RetryAfterMs) * time.Millisecond,
		Details:    f.Details,
	}
	if f.Cause == "" {
		return e
	}
	return e.Because(errors.New(f.Cause))
}

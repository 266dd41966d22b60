package client

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// impostor sits on the enclave's socket without its identity key. All it has are
// statements that the enclave once made.
type impostor struct {
	t      *testing.T
	key    *ecdsa.PrivateKey // the enclave's, to make those statements
	answer any               // to every call
	raw    []byte            // where set: the frame itself
	swap   chan string       // where set: two calls at once exchange what they ask for
}

func newImpostor(t *testing.T) (*impostor, *Client) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &impostor{t: t, key: key}
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := ttrpc.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]ttrpc.Method{}
	for _, m := range []string{wire.MPreview, wire.MSubmit, wire.MCancel, wire.MOutcome, wire.MState} {
		methods[m] = i.reply
	}
	server.RegisterService(wire.Service, &ttrpc.ServiceDesc{Methods: methods})
	go func() { _ = server.Serve(context.Background(), l) }()
	c := New(filepath.Join(dir, "s"), wire.CompressP256(&key.PublicKey))
	t.Cleanup(func() { _ = c.Close(); _ = server.Close(); _ = os.RemoveAll(dir) })
	return i, c
}

func (i *impostor) reply(_ context.Context, unmarshal func(any) error) (any, error) {
	var q wrapperspb.BytesValue
	if err := unmarshal(&q); err != nil {
		return nil, err
	}
	answer := i.answer
	if i.swap != nil {
		answer = i.swapped(q.GetValue())
	}
	raw, err := frame.Answer(answer)
	if i.raw != nil {
		raw = i.raw
	}
	return wrapperspb.Bytes(raw), err
}

// swapped is a good answer to what the other of two calls asks.
func (i *impostor) swapped(q []byte) any {
	var mine wire.FingerprintRequest
	if err := frame.ReadCall(q, &mine); err != nil {
		i.t.Error(err)
	}
	var other string
	select {
	case i.swap <- mine.Fingerprint:
		other = <-i.swap
	case other = <-i.swap:
		i.swap <- mine.Fingerprint
	}
	st := wire.Statement{Kind: wire.KindResult, Fingerprint: other, Result: &wire.Result{}}
	return wire.OutcomeReply{State: wire.Done, Proof: i.proof(st)}
}

func (i *impostor) proof(st wire.Statement) *wire.Proof {
	i.t.Helper()
	p, err := wire.SignStatement(i.key, st)
	if err != nil {
		i.t.Fatal(err)
	}
	return &p
}

func TestSigning_K08_OutcomeOfAnImpostor(t *testing.T) {
	i, c := newImpostor(t)
	asked, other := fingerprintOf("asked"), fingerprintOf("other")
	result := &wire.Result{Wallet: &wire.Wallet{ID: "w"}}
	proof := func(kind, fingerprint string, r *wire.Result) *wire.Proof {
		return i.proof(wire.Statement{Kind: kind, Fingerprint: fingerprint, Result: r})
	}
	waits, denied := &wire.Result{
		Approval: &wire.Approval{Fingerprint: asked},
	}, &wire.Result{Denial: &wire.Denial{Rule: "maxValueUsd"}}
	outcome := func(o wire.OutcomeState, r *wire.Result) *wire.Proof {
		return i.proof(wire.Statement{Kind: wire.KindResult, Fingerprint: asked, Outcome: o, Result: r})
	}
	for _, tc := range []struct {
		what   string
		answer wire.OutcomeReply
		good   bool
	}{
		{"unknown", wire.OutcomeReply{State: wire.Unknown}, true},
		{"done", wire.OutcomeReply{State: wire.Done, Proof: proof(wire.KindResult, asked, result)}, true},
		{"cancelled", wire.OutcomeReply{State: wire.Cancelled, Proof: proof(wire.KindResult, asked, nil)}, true},
		{"done without proof", wire.OutcomeReply{State: wire.Done}, false},
		{"cancelled without proof", wire.OutcomeReply{State: wire.Cancelled}, false},
		{"no state", wire.OutcomeReply{}, false},
		{"cancelled with the proof of a result",
			wire.OutcomeReply{State: wire.Cancelled, Proof: proof(wire.KindResult, asked, result)}, false},
		{"unknown with the proof of a result",
			wire.OutcomeReply{State: wire.Unknown, Proof: proof(wire.KindResult, asked, result)}, false},
		{"done with the proof of a cancel",
			wire.OutcomeReply{State: wire.Done, Proof: proof(wire.KindResult, asked, nil)}, false},
		{"another body's", wire.OutcomeReply{State: wire.Done, Proof: proof(wire.KindResult, other, result)}, false},
		{"a preview", wire.OutcomeReply{State: wire.Done, Proof: proof(wire.KindPreview, asked, result)}, false},
		{"not signed", wire.OutcomeReply{State: wire.Done, Proof: &wire.Proof{Payload: "{}"}}, false},
		{"held", wire.OutcomeReply{State: wire.Held, Proof: outcome(wire.Held, waits)}, true},
		{"denied", wire.OutcomeReply{State: wire.Denied, Proof: outcome(wire.Denied, denied)}, true},
		{"held with the proof of a result",
			wire.OutcomeReply{State: wire.Held, Proof: proof(wire.KindResult, asked, result)}, false},
		{"done with the proof of what waits",
			wire.OutcomeReply{State: wire.Done, Proof: outcome(wire.Held, waits)}, false},
		{"done with the proof of a denial",
			wire.OutcomeReply{State: wire.Done, Proof: outcome(wire.Denied, denied)}, false},
		{"done, and denied", wire.OutcomeReply{State: wire.Done, Proof: proof(wire.KindResult, asked, denied)}, false},
		{"denied without a denial", wire.OutcomeReply{State: wire.Denied, Proof: outcome(wire.Denied, result)}, false},
		{"held without a result", wire.OutcomeReply{State: wire.Cancelled, Proof: outcome(wire.Held, nil)}, false},
		{"no state of a proof of none", wire.OutcomeReply{Proof: outcome("lost", result)}, false},
	} {
		i.answer = tc.answer
		for call, err := range map[string]error{
			"outcome": second(c.Outcome(t.Context(), asked)),
			"cancel":  second(c.Cancel(t.Context(), asked)),
			"submit":  second(c.Submit(t.Context(), wire.SubmitRequest{Body: "asked"}, asked)),
		} {
			if (err == nil) != tc.good {
				t.Errorf("%s: %s: %v", call, tc.what, err)
			}
		}
	}
}

func TestSigning_K08_StatementsOfAnImpostor(t *testing.T) {
	i, c := newImpostor(t)
	shown, state := &wire.Preview{WalletName: "Main"}, &wire.Result{}
	for _, tc := range []struct {
		what string
		st   wire.Statement
		good bool // as the preview of "asked", or as the state of "org"
	}{
		{"preview", wire.Statement{Kind: wire.KindPreview, Fingerprint: fingerprintOf("asked"), Preview: shown}, true},
		{"preview of another body",
			wire.Statement{Kind: wire.KindPreview, Fingerprint: fingerprintOf("other"), Preview: shown}, false},
		{"preview of nothing", wire.Statement{Kind: wire.KindPreview, Fingerprint: fingerprintOf("asked")}, false},
		{"state", wire.Statement{Kind: wire.KindState, OrganizationID: "org", State: state}, true},
		{"state of another", wire.Statement{Kind: wire.KindState, OrganizationID: "other", State: state}, false},
		{"result as state", wire.Statement{Kind: wire.KindResult, OrganizationID: "org", Result: state}, false},
	} {
		i.answer = i.proof(tc.st)
		var err error
		if tc.st.Kind == wire.KindPreview {
			_, _, err = c.Preview(t.Context(), "asked")
		} else {
			_, err = c.State(t.Context(), wire.StateRequest{OrganizationID: "org"})
		}
		if (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A vote is shown with what it is for, and with nothing else.
func TestSigning_A10_VotePreviewOfAnImpostor(t *testing.T) {
	i, c := newImpostor(t)
	held := fingerprintOf("held")
	for _, tc := range []struct {
		what  string
		shown wire.Preview
		good  bool
	}{
		{"the vote", wire.Preview{Approves: &wire.Approval{Fingerprint: held}, Held: &wire.Preview{}}, true},
		{"another body",
			wire.Preview{Approves: &wire.Approval{Fingerprint: fingerprintOf("other")}, Held: &wire.Preview{}}, false},
		{"no body", wire.Preview{Approves: &wire.Approval{Fingerprint: held}}, false},
		{"no approval", wire.Preview{Held: &wire.Preview{}}, false},
	} {
		i.answer = i.proof(wire.Statement{
			Kind: wire.KindPreview, Fingerprint: fingerprintOf("vote"), Preview: &tc.shown,
		})
		if _, _, err := c.PreviewVote(t.Context(), "vote", "held"); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
}

// The transport numbers the calls of a connection and cannot begin anew: before
// the numbers end, another connection takes over.
func TestNumbersOfCallsNeverEnd(t *testing.T) {
	i, c := newImpostor(t)
	i.answer = wire.OutcomeReply{State: wire.Unknown}
	ask := func() *ttrpc.Client {
		t.Helper()
		if _, err := c.Outcome(t.Context(), fingerprintOf("asked")); err != nil {
			t.Fatal(err)
		}
		return c.conn
	}
	first := ask()
	c.calls = callsPerConnection - 1
	if ask() != first {
		t.Error("the last call of a connection went over another")
	}
	next := ask()
	if next == first || ask() != next {
		t.Error("the connection goes on beyond its last call, or the next one does not")
	}
	call, err := frame.Call(wire.FingerprintRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Call(t.Context(), wire.Service, wire.MOutcome, wrapperspb.Bytes(call),
		&wrapperspb.BytesValue{}); err != nil {
		t.Errorf("a call under way on the old connection: %v", err)
	}
}

// Two calls get each other's answer, as from a transport that confuses its streams.
func TestSigning_K08_AnswersSwapped(t *testing.T) {
	i, c := newImpostor(t)
	i.swap = make(chan string)
	errs := make(chan error, 2)
	for _, body := range []string{"one", "two"} {
		go func() { errs <- second(c.Outcome(t.Context(), fingerprintOf(body))) }()
	}
	for range 2 {
		if err := <-errs; err == nil {
			t.Error("the answer to another call was taken")
		}
	}
}

// A signer of another release is no reason to think that something was done, and the log says what it is.
func TestSignerOfAnotherRelease(t *testing.T) {
	i, c := newImpostor(t)
	for what, raw := range map[string]string{
		"JSON of before":  `{"fault":{"kind":500,"code":"internal","message":"Internal server error"}}`,
		"a later version": string([]byte{frame.Version + 1, 0, 0xa0}),
	} {
		i.raw = []byte(raw)
		_, err := c.Outcome(t.Context(), fingerprintOf("asked"))
		if !errors.Is(err, fault.ErrUnavailable) || !errors.Is(err, frame.ErrRelease) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

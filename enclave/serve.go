package enclave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// Listen makes the socket in a folder that only the enclave's user enters. A
// socket that a dead enclave left behind is replaced: the journal's lock has
// shown already that no other one lives.
func Listen(path string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the socket's folder: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("removing an old socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening on the socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Serve answers calls of the peer with this uid until the context ends.
func (s *Service) Serve(ctx context.Context, l net.Listener, peerUID int) error {
	server, err := ttrpc.NewServer(ttrpc.WithServerHandshaker(ttrpc.UnixSocketRequireUidGid(peerUID, -1)))
	if err != nil {
		return fmt.Errorf("making the server: %w", err)
	}
	server.RegisterService(wire.Service, &ttrpc.ServiceDesc{Methods: map[string]ttrpc.Method{
		wire.MInfo:      method(func(struct{}) (wire.InfoReply, error) { return s.Info(), nil }),
		wire.MChallenge: method(s.Challenge),
		wire.MPreview:   method(s.Preview),
		wire.MSubmit:    method(s.Submit),
		wire.MCancel:    method(s.Cancel),
		wire.MOutcome:   method(s.Outcome),
		wire.MState:     method(s.State),
	}})
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
			_ = server.Close()
		case <-done:
		}
	}()
	err = server.Serve(ctx, l)
	if errors.Is(err, ttrpc.ErrServerClosed) {
		return nil
	}
	return err
}

// method wraps a call of the service: JSON in, a wire.Reply with JSON out.
func method[Q, A any](call func(Q) (A, error)) ttrpc.Method {
	return func(_ context.Context, unmarshal func(any) error) (any, error) {
		var in wrapperspb.BytesValue
		if err := unmarshal(&in); err != nil {
			return nil, err
		}
		var q Q
		if err := json.Unmarshal(in.GetValue(), &q); err != nil {
			return reply(nil, fault.ErrInternal.Because(err))
		}
		a, err := call(q)
		return reply(a, err)
	}
}

// reply carries a fault as data: the caller must get kind, code and message, and
// nothing of what went wrong inside.
func reply(a any, err error) (*wrapperspb.BytesValue, error) {
	r := wire.Reply{}
	if err != nil {
		f, ok := fault.As(err)
		if !ok {
			f = fault.ErrInternal.Because(err)
		}
		r.Fault = &wire.Fault{Kind: int(f.Kind), Code: f.Code, Message: f.Message, Cause: causeOf(f)}
	} else if r.Value, err = json.Marshal(a); err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	return wrapperspb.Bytes(raw), nil
}

// causeOf is for the operator's log on the other side. Causes never hold keys:
// nothing that touches one puts it into an error.
func causeOf(f *fault.Error) string {
	if c := f.Unwrap(); c != nil {
		return c.Error()
	}
	return ""
}

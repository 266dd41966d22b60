package enclave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/requestid"
)

// Listen makes the socket in a folder that only the enclave's user enters, and
// the group, where one is given (-1: none): the server is another user then. A
// socket that a dead enclave left behind is replaced: the journal's lock has
// shown already that no other one lives.
func Listen(path string, group int) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the socket's folder: %w", err)
	}
	if err := removeSocket(path); err != nil {
		return nil, fmt.Errorf("removing an old socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening on the socket: %w", err)
	}
	if err := admit(path, group); err != nil {
		return nil, errors.Join(fmt.Errorf("setting the socket's permissions: %w", err), l.Close())
	}
	return l, nil
}

// admit opens folder and socket to the group and to nobody else. Who may call is
// decided by the peer's uid all the same.
func admit(path string, group int) error {
	if group < 0 {
		return os.Chmod(path, 0o600)
	}
	dir := filepath.Dir(path)
	return errors.Join(os.Chown(dir, -1, group), os.Chmod(dir, 0o710), os.Chown(path, -1, group), os.Chmod(path, 0o660))
}

// removeSocket removes nothing else: a mistyped path may be somebody's file.
func removeSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket {
		return errors.New("there is a file that is no socket")
	}
	return os.Remove(path)
}

// maxReply is below the transport's 4 MiB: an answer over that would end the
// connection, and with it the calls of everybody else on it.
const maxReply = 4<<20 - 64<<10

// Serve answers calls of the peer with this uid until the context ends, or until
// the journal cannot be written any more: then only a restart can help.
func (s *Service) Serve(ctx context.Context, l net.Listener, peerUID int) error {
	if peerUID < 0 || int64(peerUID) >= math.MaxUint32 {
		return errors.Join(errors.New("the peer's uid is not that of a user"), l.Close())
	}
	server, err := ttrpc.NewServer(ttrpc.WithServerHandshaker(newDoor(peerUID)))
	if err != nil {
		return fmt.Errorf("making the server: %w", err)
	}
	// All are registered as streams of one message each way, which is the same on
	// the wire. For what it calls a method, ttrpc keeps a nil stream, and a data
	// frame for it is a panic that ends the process (seen with v1.2.10).
	server.RegisterService(wire.Service, &ttrpc.ServiceDesc{Streams: map[string]ttrpc.Stream{
		wire.MInfo:      {Handler: method(s.log, wire.MInfo, s.tellInfo)},
		wire.MChallenge: {Handler: method(s.log, wire.MChallenge, s.Challenge)},
		wire.MPreview:   {Handler: method(s.log, wire.MPreview, s.Preview)},
		wire.MSubmit:    {Handler: method(s.log, wire.MSubmit, s.Submit)},
		wire.MCancel:    {Handler: method(s.log, wire.MCancel, s.Cancel)},
		wire.MOutcome:   {Handler: method(s.log, wire.MOutcome, s.Outcome)},
		wire.MKnown:     {Handler: method(s.log, wire.MKnown, s.Known)},
		wire.MState:     {Handler: method(s.log, wire.MState, s.State)},
		wire.MHeads:     {Handler: method(s.log, wire.MHeads, s.Heads)},
		wire.MPrices:    {Handler: method(s.log, wire.MPrices, s.Prices)},

		wire.MRecovery:    {Handler: method(s.log, wire.MRecovery, s.Recovery)},
		wire.MAgent:       {Handler: method(s.log, wire.MAgent, s.Agent)},
		wire.MVerifyAgent: {Handler: method(s.log, wire.MVerifyAgent, s.VerifyAgent)},
	}})
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
		case <-s.failed:
		case <-done:
			return
		}
		_ = server.Close()
	}()
	err = server.Serve(ctx, l)
	if errors.Is(err, ttrpc.ErrServerClosed) {
		return s.failure()
	}
	return err
}

// tellInfo is Info in the form of a call.
func (s *Service) tellInfo(struct{}) (wire.InfoReply, error) { return s.Info(), nil }

// method wraps a call of the service: a frame in, a frame out, and a line in the log.
func method[Q, A any](log *slog.Logger, name string, call func(Q) (A, error)) ttrpc.StreamHandler {
	return func(ctx context.Context, stream ttrpc.StreamServer) (any, error) {
		began := time.Now()
		var in wrapperspb.BytesValue
		if err := stream.RecvMsg(&in); err != nil {
			return nil, err
		}
		var q Q
		if err := frame.ReadCall(in.GetValue(), &q); err != nil {
			return misread(log, in.GetValue(), err)
		}
		a, err := guarded(call, q)
		logCall(ctx, log, name, time.Since(began), err)
		return reply(a, err)
	}
}

// decides are the calls that may change something. Each has a line in the log; the others have one at the level debug.
var decides = map[string]bool{wire.MSubmit: true, wire.MCancel: true, wire.MRecovery: true}

// logCall writes the line of a call: its name, how long it took, the code of a refusal, and the id of the server's
// request. Nothing else that the server sent is in it, and an id that is not Valid is left out: the server may be
// somebody else's by now, and write what it likes.
func logCall(ctx context.Context, log *slog.Logger, name string, took time.Duration, err error) {
	level := slog.LevelDebug
	if decides[name] {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{slog.String("call", name), slog.Float64("ms", float64(took.Microseconds())/1000)}
	if f, ok := fault.As(err); ok {
		attrs = append(attrs, slog.String("refused", f.Code))
		if f.Kind == fault.Internal {
			level = slog.LevelError
		}
	} else if err != nil {
		attrs, level = append(attrs, slog.String("refused", fault.ErrInternal.Code)), slog.LevelError
	}
	id, _ := ttrpc.GetMetadataValue(ctx, requestid.Key)
	log.LogAttrs(requestid.With(ctx, id), level, "called", attrs...)
}

// guarded makes a panic a fault of this one call. What the panic says stays
// here: it may hold anything.
func guarded[Q, A any](call func(Q) (A, error), q Q) (a A, err error) {
	defer func() {
		if recover() != nil {
			err = fault.ErrInternal.Because(errors.New("the enclave panicked"))
		}
	}()
	return call(q)
}

// misread answers what is no call. A server of a release from before there were frames reads JSON only, and tells its
// operator what it read.
func misread(log *slog.Logger, call []byte, err error) (any, error) {
	log.Warn("what came over the socket is no call", "error", err)
	if len(call) > 0 && call[0] == '{' {
		raw, err := json.Marshal(map[string]wire.Fault{"fault": faultOf(fault.ErrUnavailable.Because(err))})
		return wrapperspb.Bytes(raw), err
	}
	return reply(nil, fault.ErrInternal.Because(err))
}

// reply carries a fault as data: the caller must get kind, code and message, and
// nothing of what went wrong inside.
func reply(a any, err error) (*wrapperspb.BytesValue, error) {
	var raw []byte
	if err == nil {
		raw, err = frame.Answer(a)
	}
	if err == nil && len(raw) > maxReply {
		err = refusal.ErrBody.Msg("the answer is too large, ask for one address")
	}
	if err != nil {
		raw, err = frame.Fault(faultOf(err))
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	return wrapperspb.Bytes(raw), nil
}

func faultOf(err error) wire.Fault {
	f, ok := fault.As(err)
	if !ok {
		f = fault.ErrInternal.Because(err)
	}
	return wire.Fault{
		Kind:         int(f.Kind),
		Code:         f.Code,
		Message:      f.Message,
		Cause:        causeOf(f),
		RetryAfterMs: f.RetryAfter.Milliseconds(),
		Details:      f.Details,
	}
}

// causeOf is for the operator's log on the other side. Causes never hold keys:
// nothing that touches one puts it into an error.
func causeOf(f *fault.Error) string {
	if c := f.Unwrap(); c != nil {
		return c.Error()
	}
	return ""
}

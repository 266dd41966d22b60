package enclave

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testwait"
)

// nobody is a user that owns nothing on a usual machine.
const nobody = 65534

// serve answers on a socket for the user, until the test ends.
func (w *world) serve(uid int) string {
	w.t.Helper()
	l := listener(w.t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Serve(ctx, l, uid) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("serving: %v", err)
		}
	})
	return l.Addr().String()
}

func (w *world) client(socket string) *client.Client {
	c := client.New(socket, w.Info().IdentityKey)
	w.t.Cleanup(func() { _ = c.Close() })
	return c
}

// quiet is a log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

// transported is a frame of the transport.
func transported(stream uint32, kind, flags byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(append(b, kind, flags), payload...)
}

// called is a call as it stands on the socket.
func called(t testing.TB, q any) []byte {
	t.Helper()
	raw, err := frame.Call(q)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func requestFrame(t *testing.T, stream uint32, method string, body []byte) []byte {
	t.Helper()
	payload, err := proto.Marshal(wrapperspb.Bytes(body))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(&ttrpc.Request{Service: wire.Service, Method: method, Payload: payload})
	if err != nil {
		t.Fatal(err)
	}
	return transported(stream, 1, 0, raw)
}

// K08: whatever comes over the socket, the enclave lives on and answers others.
func TestSigning_K08_HostileFrames(t *testing.T) {
	w := newWorld(t)
	socket := w.serve(os.Getuid())
	long := called(t, wire.PreviewRequest{Body: strings.Repeat(" ", 1<<20)})
	for what, raw := range map[string][]byte{
		"half a header":          {0, 0, 0},
		"half a frame":           transported(1, 1, 0, make([]byte, 64))[:20],
		"4 GB announced":         {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 1, 0},
		"no request":             transported(1, 1, 0, []byte("garbage")),
		"data for no stream":     transported(7, 3, 0, []byte("x")),
		"data for a call":        append(requestFrame(t, 1, wire.MPreview, long), transported(1, 3, 0, []byte("x"))...),
		"end of data for a call": append(requestFrame(t, 1, wire.MPreview, long), transported(1, 3, 5, nil)...),
		"end of data twice": append(requestFrame(t, 1, wire.MPreview, long),
			append(transported(1, 3, 5, nil), transported(1, 3, 1, nil)...)...),
		"unknown method": requestFrame(t, 1, "Export", called(t, struct{}{})),
		"no call":        requestFrame(t, 1, wire.MSubmit, nil),
		"half a call":    requestFrame(t, 1, wire.MSubmit, long[:1<<10]),
		"null":           requestFrame(t, 1, wire.MSubmit, []byte{frame.Version, 0xf6}),
		"body null":      requestFrame(t, 1, wire.MSubmit, called(t, wire.SubmitRequest{Body: "null"})),
		"a list without end": requestFrame(t, 1, wire.MHeads,
			[]byte("\x02\xa1\x64seqs\x9b\xff\xff\xff\xff\xff\xff\xff\xff")),
		"response instead of call": transported(1, 2, 0, []byte("x")),
	} {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(raw); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if c, ok := conn.(*net.UnixConn); ok {
			_ = c.CloseWrite()
		}
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second)) // given up: what it says is not looked at
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
		if _, err := w.client(socket).Info(t.Context()); err != nil {
			t.Fatalf("after %s: %v", what, err)
		}
	}
}

// A panic is a fault of one call, not the end of the process.
func TestSigning_K08_PanicIsAnInternalFault(t *testing.T) {
	broken := method(quiet, "Info", func(struct{}) (wire.InfoReply, error) { panic("secret in a panic") })
	raw := answered(t, broken, called(t, struct{}{}))
	f, err := frame.ReadAnswer(raw, &wire.InfoReply{})
	if f == nil || err != nil || f.Code != fault.ErrInternal.Code || strings.Contains(string(raw), "secret") {
		t.Errorf("reply: %q, %v", raw, err)
	}
}

// An answer that the transport cannot carry would end the connection, and with
// it the calls of everybody else.
func TestSigning_K08_AnswerTooLarge(t *testing.T) {
	long := method(quiet, "Info", func(struct{}) (wire.InfoReply, error) {
		return wire.InfoReply{Version: strings.Repeat("x", 5<<20)}, nil
	})
	raw := answered(t, long, called(t, struct{}{}))
	if f, err := frame.ReadAnswer(raw, &wire.InfoReply{}); len(raw) > 1<<10 || f == nil || err != nil {
		t.Errorf("a reply of %d bytes, %v", len(raw), err)
	}
}

// What the host sent does not come back in a cause, which ends in its log.
func TestSigning_K06_NoValueOfTheCallInAnError(t *testing.T) {
	submit := method(quiet, wire.MSubmit, func(wire.SubmitRequest) (wire.OutcomeReply, error) {
		return wire.OutcomeReply{}, nil
	})
	good := string(called(t, wire.SubmitRequest{Body: "canary7f3a"}))
	for _, q := range []string{
		good + "canary", strings.Replace(good, "body", "b\xffdy", 1), `{"body":"canary7f3a"}`,
		"\x02\xa1\x64body\x46canary",
	} {
		raw := answered(t, submit, []byte(q))
		if strings.Contains(string(raw), "canary") || !strings.Contains(string(raw), "cause") {
			t.Errorf("reply: %q", raw)
		}
	}
}

// A server of before there were frames sends JSON, and reads nothing else: it is told why it gets no answer.
func TestSigning_ServerOfAnOlderRelease(t *testing.T) {
	info := method(quiet, "Info", func(struct{}) (wire.InfoReply, error) { return wire.InfoReply{}, nil })
	var r struct{ Fault *wire.Fault }
	if err := json.Unmarshal(answered(t, info, []byte(`{}`)), &r); err != nil || r.Fault == nil ||
		r.Fault.Kind != 503 || !strings.Contains(r.Fault.Cause, "another release") {
		t.Errorf("it is told %+v, %v", r.Fault, err)
	}
}

// answered is what a method says to a call, byte for byte.
func answered(t *testing.T, m ttrpc.StreamHandler, call []byte) []byte {
	t.Helper()
	a, err := m(context.Background(), callStream{call: call})
	if err != nil {
		t.Fatal(err)
	}
	return a.(*wrapperspb.BytesValue).GetValue()
}

// callStream is a stream that holds one call.
type callStream struct {
	ttrpc.StreamServer
	call []byte
}

func (c callStream) RecvMsg(to any) error {
	proto.Merge(to.(proto.Message), wrapperspb.Bytes(c.call))
	return nil
}

// K08: another user's process is not answered, whoever can open the socket.
func TestSigning_K08_PeerOfAnotherUser(t *testing.T) {
	if target := os.Getenv("RAILKIT_TEST_SOCKET"); target != "" {
		askAsChild(t, target)
		return
	}
	w := newWorld(t)
	if _, err := w.client(w.serve(os.Getuid())).Info(t.Context()); err != nil {
		t.Fatalf("the enclave's own user: %v", err)
	}
	if _, err := w.client(w.serve(os.Getuid() + 1)).Info(t.Context()); err == nil {
		t.Error("a user that is not the peer was answered")
	}
	if os.Getuid() != 0 {
		return // only root can start a process of another user
	}
	for uid, answered := range map[int]bool{0: false, nobody: true} {
		socket := w.serve(uid)
		// The folder and the socket are opened to all: what is left is the check of the peer.
		if err := os.Chmod(filepath.Dir(socket), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(socket, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := askAs(t, socket, nobody); got != answered {
			t.Errorf("peer uid %d: user %d answered: %v", uid, nobody, got)
		}
	}
}

// askAs runs this test again as another user, with a copy of the program that it may read.
func askAs(t *testing.T, socket string, uid uint32) bool {
	t.Helper()
	program := filepath.Join(filepath.Dir(socket), "test"+strconv.Itoa(int(time.Now().UnixNano())))
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestSigning_K08_PeerOfAnotherUser$", "-test.v")
	cmd.Dir = filepath.Dir(socket)
	cmd.Env = []string{"RAILKIT_TEST_SOCKET=" + socket}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	switch {
	case strings.Contains(string(out), "peer was answered"):
		return true
	case strings.Contains(string(out), "peer was refused"):
		return false
	}
	t.Fatalf("the child says: %s", out)
	return false
}

func askAsChild(t *testing.T, socket string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	c := ttrpc.NewClient(conn)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), testwait.Bound)
	defer cancel()
	var out wrapperspb.BytesValue
	if err := c.Call(ctx, wire.Service, wire.MInfo, wrapperspb.Bytes(called(t, struct{}{})), &out); err != nil {
		t.Log("peer was refused")
		return
	}
	t.Log("peer was answered")
}

// -1 is "any user" to the library, and a number past 32 bits is another user.
func TestSigning_K08_PeerMustBeAUser(t *testing.T) {
	w := newWorld(t)
	for _, uid := range []int{-1, 1 << 32} {
		l := listener(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // given up: what never ends by itself
		if err := w.Serve(ctx, l, uid); err == nil {
			t.Errorf("serving user %d", uid)
		}
		cancel()
	}
}

func TestListenRemovesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path, -1); err == nil {
		t.Error("it listens where a file was")
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != "kept" {
		t.Errorf("the file is now %q, %v", kept, err)
	}
}

func TestSigning_K08_SocketOfAGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "s")
	l, err := Listen(path, os.Getgid())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]os.FileMode{path: 0o660, filepath.Dir(path): 0o710} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v, want %v", filepath.Base(name), info.Mode().Perm(), err, want)
		}
	}
}

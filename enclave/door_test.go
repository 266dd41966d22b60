package enclave

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testwait"
)

func (w *world) dial(socket string) net.Conn {
	w.t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (w *world) send(conn net.Conn, raw []byte) {
	w.t.Helper()
	if _, err := conn.Write(raw); err != nil {
		w.t.Fatal(err)
	}
}

// isServed calls as the server would. Under a flood a connection may go twice,
// which is a call that has to be made again and never a wrong answer.
func (w *world) isServed(c *client.Client, when string) {
	w.t.Helper()
	testwait.Until(w.t, when+": the signer answers", func() bool { // the queue of the socket may be full
		_, err := c.Info(w.t.Context())
		return err == nil
	})
}

func usage(t *testing.T) (files int, heap uint64) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return len(open), m.HeapAlloc + m.StackInuse
}

func TestSigning_K08_TenThousandConnections(t *testing.T) {
	w := newWorld(t)
	socket := w.serve(os.Getuid())
	legitimate := w.client(socket)
	w.isServed(legitimate, "before")
	files, heap := usage(t)
	const mine = 200 // held open on this side at any time
	var held []net.Conn
	half := requestFrame(t, 1, wire.MInfo, called(t, struct{}{}))
	for i := range 10_000 {
		conn := w.dialOnce(socket)
		switch i % 3 { // a third each is silent, stops within a frame, asks and stays
		case 1:
			_, _ = conn.Write(half[:12])
		case 2:
			_, _ = conn.Write(half)
		}
		if held = append(held, conn); len(held) > mine {
			_ = held[0].Close()
			held = held[1:]
		}
		if i%500 == 0 {
			w.isServed(legitimate, "within the flood")
		}
	}
	w.isServed(legitimate, "after the flood")
	nowFiles, nowHeap := usage(t)
	if nowFiles-files > mine+maxConnections+10 {
		t.Errorf("%d descriptors more", nowFiles-files)
	}
	if nowHeap > heap+16<<20 {
		t.Errorf("%d bytes more", nowHeap-heap)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
}

// dialOnce waits where the queue of the socket is full, as the kernel does for
// other kinds of sockets.
func (w *world) dialOnce(socket string) net.Conn {
	w.t.Helper()
	conn, err := net.Dial("unix", socket)
	testwait.Until(w.t, "room in the socket's queue", func() bool {
		if errors.Is(err, syscall.EAGAIN) {
			conn, err = net.Dial("unix", socket)
		}
		return !errors.Is(err, syscall.EAGAIN)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// The memory for a frame is taken when its length is known: a length beyond any
// call ends the connection before that.
func TestSigning_K08_FrameOfFourGigabytes(t *testing.T) {
	w := newWorld(t)
	socket := w.serve(os.Getuid())
	for _, length := range []uint32{maxFrame + 1, 4<<20 - 1, 4 << 20, 1<<32 - 1} {
		conn := w.dial(socket)
		w.send(conn, []byte{byte(length >> 24), byte(length >> 16), byte(length >> 8), byte(length), 0, 0, 0, 1, 1, 0})
		_ = conn.SetReadDeadline(time.Now().Add(testwait.Bound))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes announced: %d, %v", length, n, err)
		}
		w.isServed(w.client(socket), "after a frame too large")
	}
}

// A peer that never takes its answers is not read any further.
func TestSigning_K08_AnswersThatNobodyTakes(t *testing.T) {
	w := newWorld(t)
	socket := w.serve(os.Getuid())
	conn := w.dial(socket)
	const most = 5_000 // what the buffers of both directions take, and some more
	taken := 0
	for ; taken < most; taken++ {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // given up: what never is taken
		if _, err := conn.Write(requestFrame(t, uint32(2*taken+1), wire.MInfo, called(t, struct{}{}))); err != nil {
			break
		}
	}
	if taken == most {
		t.Errorf("%d calls were taken without one answer being read", taken)
	}
	w.isServed(w.client(socket), "beside it")
}

// Large calls are fewer: what is held for a connection is bounded in bytes too.
func TestSigning_K08_LargeCallsThatNobodyAnswers(t *testing.T) {
	g, far := pair(t, time.Minute, time.Minute)
	held := make(chan int)
	go func() {
		total := 0
		for b := make([]byte, 64<<10); ; {
			n, err := g.Read(b)
			if total += n; err != nil {
				held <- total
				return
			}
		}
	}()
	const most = 32
	sent := 0
	for ; sent < most; sent++ {
		_ = far.SetWriteDeadline(time.Now().Add(time.Second)) // given up: what never is taken
		if _, err := far.Write(transported(uint32(2*sent+1), 1, 0, make([]byte, 1<<20))); err != nil {
			break
		}
	}
	if sent == most {
		t.Errorf("%d calls of a megabyte were taken without one answer", sent)
	}
	_ = g.Close()
	if total := <-held; total > maxUnanswered*callUnit+maxFrame {
		t.Errorf("%d bytes are held", total)
	}
}

// Frames of a kind that is never answered do not hold a place for good.
func TestSigning_K08_FramesWithoutAnswer(t *testing.T) {
	t.Parallel()
	g, far := pair(t, time.Second, time.Minute)
	if _, err := far.Write(bytes.Repeat(transported(1, 7, 0, nil), maxUnanswered)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, g); err != nil {
		t.Error(err)
	}
	if g.unanswered != maxUnanswered {
		t.Errorf("%d frames wait", g.unanswered)
	}
}

// An answer takes from the account what its own call put there.
func TestSigning_K08_AnswersBalanceCalls(t *testing.T) {
	g, _ := pair(t, time.Minute, time.Minute)
	of := func(stream byte, length uint32, kind byte) (h header) {
		binary.BigEndian.PutUint32(h[:], length)
		h[7], h[8] = stream, kind
		return h
	}
	g.frameRead(of(1, 100, 1))
	g.frameRead(of(3, 1<<20, 1))
	g.frameRead(of(3, 1<<20, 3))
	for _, step := range []struct {
		stream     byte
		unanswered int
	}{{1, 66}, {1, 66}, {5, 66}, {3, 0}, {3, 0}} {
		g.frameWritten(of(step.stream, 9, 2))
		if g.unanswered != step.unanswered {
			t.Errorf("after an answer to %d: %d, want %d", step.stream, g.unanswered, step.unanswered)
		}
	}
	if len(g.calls) != 0 {
		t.Errorf("%d calls are remembered", len(g.calls))
	}
}

// Each answer makes room for a call.
func TestSigning_K08_ManyCallsOfOneConnection(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.serve(os.Getuid()))
	for range 3 * maxUnanswered {
		if _, err := c.Info(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// pair is a connection through a door of short patience, and its other end.
func pair(t *testing.T, silence, stall time.Duration) (*guest, net.Conn) {
	t.Helper()
	l := listener(t)
	defer l.Close()
	far, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	d := newDoor(os.Getuid())
	d.silence, d.stall = silence, stall
	conn, _, err := d.Handshake(context.Background(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close(); _ = conn.Close() })
	return conn.(*guest), far
}

func TestSigning_K08_HalfAFrameThenSilence(t *testing.T) {
	t.Parallel()
	g, far := pair(t, time.Second, time.Minute)
	half := transported(1, 1, 0, make([]byte, 64))[:20]
	if _, err := far.Write(half); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(g); err != nil || !bytes.Equal(got, half) {
		t.Errorf("read %x, %v", got, err)
	}
	if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still there: %v", err)
	}
}

func TestSigning_K08_PeerThatStalls(t *testing.T) {
	g, _ := pair(t, time.Minute, 20*time.Millisecond)
	if _, err := g.Write(make([]byte, 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write: %v", err)
	}
}

// Who has to go for a new connection: first who said nothing, then who waits for
// nothing, and of these who was silent the longest.
func TestSigning_K08_WhoHasToGo(t *testing.T) {
	now := time.Now()
	of := func(called bool, unanswered, age int) *guest {
		return &guest{called: called, unanswered: unanswered, heard: now.Add(-time.Duration(age) * time.Second)}
	}
	inOrder := []struct {
		what string
		g    *guest
	}{
		{"silent, older", of(false, 0, 9)}, {"silent", of(false, 0, 1)},
		{"idle, older", of(true, 0, 8)}, {"idle", of(true, 0, 2)},
		{"waiting, older", of(true, 1, 7)}, {"waiting", of(true, 3, 3)},
	}
	for i := range inOrder {
		for k := range inOrder {
			if got := inOrder[i].g.neededLess(inOrder[k].g); got != (i < k) {
				t.Errorf("%s before %s: %v", inOrder[i].what, inOrder[k].what, got)
			}
		}
	}
}

// Frames are told apart however the bytes are cut.
func TestSigning_K08_FramesInPieces(t *testing.T) {
	stream := bytes.Join([][]byte{
		transported(1, 2, 0, []byte(strings.Repeat("x", 30))), transported(3, 3, 0, []byte("y")),
		transported(3, 3, 5, nil), transported(5, 2, 0, nil),
	}, nil)
	for size := 1; size <= len(stream); size++ {
		var f frames
		all, last := 0, 0
		for b := stream; len(b) > 0; b = b[min(size, len(b)):] {
			f.follow(b[:min(size, len(b))], func(h header) {
				all++
				if h.isLast() {
					last++
				}
			})
		}
		if all != 4 || last != 3 {
			t.Errorf("in pieces of %d: %d frames, %d of them last", size, all, last)
		}
	}
}

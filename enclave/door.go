package enclave

import (
	"context"
	"io"
	"net"
	"sync"
	"time"

	"github.com/containerd/ttrpc"
)

// Bounds of what a peer can make the enclave hold. The server needs one
// connection. A body has at most 128 KiB, and no call is much larger.
const (
	maxConnections = 64
	maxUnanswered  = 128      // calls of one connection; what follows waits in the socket
	callUnit       = 32 << 10 // a call counts as one more for each of these
	maxFrame       = 2 << 20
	maxSilence     = 2 * time.Minute  // in a frame or between two
	maxStall       = 10 * time.Second // of a peer that does not take its answer
)

// door lets in the peer and nobody else, and only so many connections at once:
// for a new one, another has to go. A client whose connection went calls again
// on a new one.
type door struct {
	peer    ttrpc.UnixCredentialsFunc
	silence time.Duration
	stall   time.Duration

	mu   sync.Mutex
	open map[*guest]bool
}

func newDoor(peerUID int) *door {
	return &door{
		peer: ttrpc.UnixSocketRequireUidGid(peerUID, -1), silence: maxSilence, stall: maxStall, open: map[*guest]bool{},
	}
}

// Handshake is called for each connection before anything is read from it.
func (d *door) Handshake(ctx context.Context, conn net.Conn) (net.Conn, any, error) {
	conn, who, err := d.peer.Handshake(ctx, conn)
	if err != nil {
		return nil, nil, err
	}
	g := &guest{Conn: conn, door: d, heard: time.Now(), in: frames{limit: maxFrame}, calls: map[uint32]int{}}
	g.answered.L = &g.mu
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.open) >= maxConnections {
		d.sendAway()
	}
	d.open[g] = true
	return g, who, nil
}

// sendAway ends the connection that is needed least. The caller holds mu.
func (d *door) sendAway() {
	var least *guest
	for g := range d.open {
		if least == nil || g.neededLess(least) {
			least = g
		}
	}
	delete(d.open, least)
	least.end()
}

func (d *door) forget(g *guest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, g)
}

// guest is a connection that came through the door.
type guest struct {
	net.Conn
	door    *door
	in, out frames // only the one who reads uses in, only the one who writes uses out

	mu         sync.Mutex
	answered   sync.Cond      // Read waits for an answer to go out
	heard      time.Time      // the last whole header, or the connection's begin
	called     bool           // something whole was heard
	calls      map[uint32]int // what waits for an answer, by stream
	unanswered int            // sum of calls
	ended      bool
}

// rank is what a connection is worth: one that waits for an answer most, one
// that never said anything least.
func (g *guest) rank() (rank int, heard time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.called:
		return 0, g.heard
	case g.unanswered == 0:
		return 1, g.heard
	}
	return 2, g.heard
}

func (g *guest) neededLess(than *guest) bool {
	rank, heard := g.rank()
	other, later := than.rank()
	return rank < other || (rank == other && heard.Before(later))
}

// Read ends a connection that is silent for too long, and one that announces a
// frame larger than any call: the transport would take the memory for it first.
// Every end looks like the peer's own: after another error the transport keeps
// the connection, without reading it (seen with v1.2.10).
func (g *guest) Read(b []byte) (int, error) {
	if !g.wait() || g.SetReadDeadline(time.Now().Add(g.door.silence)) != nil {
		return 0, io.EOF
	}
	n, err := g.Conn.Read(b)
	if fits := g.in.follow(b[:n], g.frameRead); !fits || err != nil {
		g.end()
		return 0, io.EOF
	}
	return n, nil
}

// wait holds back a peer that calls faster than it takes its answers, and ends
// one that gets none: there are frames that the transport never answers.
func (g *guest) wait() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unanswered >= maxUnanswered {
		late := time.AfterFunc(g.door.silence, func() { _ = g.end() })
		defer late.Stop()
	}
	for g.unanswered >= maxUnanswered && !g.ended {
		g.answered.Wait()
	}
	return !g.ended
}

// frameRead counts by stream: the transport may answer a call twice, or two
// frames once.
func (g *guest) frameRead(h header) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard, g.called = time.Now(), true
	n := 1 + int(h.length()/callUnit)
	g.calls[h.stream()] += n
	g.unanswered += n
}

func (g *guest) Write(b []byte) (int, error) {
	if err := g.SetWriteDeadline(time.Now().Add(g.door.stall)); err != nil {
		return 0, err
	}
	n, err := g.Conn.Write(b)
	g.out.follow(b[:n], g.frameWritten)
	return n, err
}

func (g *guest) frameWritten(h header) {
	if !h.isLast() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unanswered -= g.calls[h.stream()]
	delete(g.calls, h.stream())
	g.answered.Signal()
}

// Close also gives the place free.
func (g *guest) Close() error {
	g.door.forget(g)
	return g.end()
}

func (g *guest) end() error {
	g.mu.Lock()
	g.ended = true
	g.answered.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

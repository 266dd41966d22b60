package dev

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/freeport"
)

func TestNextFreePort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := portOf(taken.Addr().String())
	next, err := FreePortAfter(port - 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := portOf(next); got <= port || got > port+99 {
		t.Errorf("after %d, where %d is taken, came %d", port-1, port, got)
	}
	for _, none := range []int{0, 65535} {
		if next, err := FreePortAfter(none); err != nil || portOf(next) == 0 {
			t.Errorf("after %d came %q, %v", none, next, err)
		}
	}
}

func TestCheckLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:0": true, "[::1]:80": true, "127.1.2.3:1": true, "0.0.0.0:80": false,
		":8080": false, "192.168.1.1:80": false, "example.com:80": false, "127.0.0.1": false, "": false,
	} {
		if got := checkLoopback(addr) == nil; got != want {
			t.Errorf("%q: %v", addr, got)
		}
	}
}

// Every name of the machine in a URL is localhost: an RP id cannot be an IP address.
func TestAsLocalhost(t *testing.T) {
	for addr, want := range map[string]string{"127.0.0.1:8080": "localhost:8080", "[::1]:1": "localhost:1"} {
		if got := asLocalhost(addr); got != want {
			t.Errorf("%s became %s", addr, got)
		}
	}
}

func TestSandbox_SameKeysAtEveryStart(t *testing.T) {
	d := &dataDir{path: t.TempDir()}
	first, err := d.sandbox(options{addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.sandbox(options{addr: "127.0.0.1:9"})
	if err != nil || again != first {
		t.Errorf("the second start has other keys: %v", err)
	}
	if _, err := d.sandbox(options{ceremonyAddr: first.CeremonyAddr}); err != nil {
		t.Errorf("the sealed address itself is refused: %v", err)
	}
	if first.APIKey == first.BenchKey {
		t.Error("two keys are one")
	}
}

func TestSocket_FitsTheKernel(t *testing.T) {
	for _, depth := range []int{0, 10, 30} {
		d := &dataDir{path: filepath.Join(t.TempDir(), strings.Repeat("deep/", depth))}
		path, err := d.socket()
		if err != nil {
			t.Fatal(err)
		}
		if len(path) > 107 {
			t.Errorf("a socket path of %d bytes", len(path))
		}
		d.close()
	}
}

// The page's port is sealed: a start waits for it a moment, as it does after a
// platform that was killed, and not for ever.
func TestDev_WaitsForItsOwnPort(t *testing.T) {
	taken, err := freeport.Listen()
	if err != nil {
		t.Fatal(err)
	}
	addr := taken.Addr().String()
	if err := waitFree(t.Context(), 50*time.Millisecond, addr, "free it"); err == nil ||
		!strings.Contains(err.Error(), "is taken by another process; free it") {
		t.Errorf("while it is taken: %v", err)
	}
	free := make(chan error)
	go func() { free <- waitFree(t.Context(), time.Minute, addr, "free it") }()
	select {
	case err := <-free:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond): // it waits, as far as can be seen
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-free; err != nil {
		t.Fatal(err)
	}
}

// Skills and sellers of one's own are asked beside the two shops.
func TestFetchLocal(t *testing.T) {
	env := cli.Env{Out: io.Discard, Err: io.Discard}
	o, err := parseFlags(env, []string{"--fetch-local", "127.0.0.1:9402 localhost:9403"})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataDir{path: t.TempDir()}
	at, err := d.ports(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	shops, err := newMarket(at)
	if err != nil {
		t.Fatal(err)
	}
	defer shops.close()
	p := platform{
		data: d, ports: at, addr: "127.0.0.1:0", shops: shops, local: strings.Fields(o.fetchLocal),
	}
	args := p.serverSpec(supervise.Facts{}, addresses{}).Args(nil)
	want := strings.Join(shops.places(), " ") + " 127.0.0.1:9402 localhost:9403"
	if i := slices.Index(args, "--fetch-local"); i < 0 || args[i+1] != want {
		t.Errorf("the server is started with %v", args)
	}
	if _, err := parseFlags(env, []string{"--fetch-local", "192.168.1.1:80"}); err == nil {
		t.Error("another machine is taken")
	}
}

// Every part writes its log from the level on that dev was given, and else from its own.
func TestLogLevel(t *testing.T) {
	env := cli.Env{Out: io.Discard, Err: io.Discard}
	for _, given := range [][]string{nil, {"--log-level", "debug"}} {
		o, err := parseFlags(env, given)
		if err != nil {
			t.Fatal(err)
		}
		d := &dataDir{path: t.TempDir()}
		at, err := d.ports(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		p, none := platform{data: d, ports: at, level: o.logLevel}, supervise.Facts{"addr": "127.0.0.1:1"}
		if p.shops, err = newMarket(at); err != nil {
			t.Fatal(err)
		}
		defer p.shops.close()
		for _, part := range []supervise.Spec{
			p.devnetSpec(), p.enclaveSpec("socket"), p.pricesSpec(), p.partnerSpec(addresses{}),
			p.serverSpec(none, addresses{}), p.facilitatorSpec(none, addresses{}, gasAccount{}),
		} {
			args := part.Args(none)
			if i := slices.Index(args, "--log-level"); (i >= 0) != (given != nil) ||
				i >= 0 && !slices.Equal(args[i:], given) {
				t.Errorf("with %q, %s is started with %q", given, part.Name, args)
			}
		}
	}
	if _, err := parseFlags(env, []string{"--log-level", "loud"}); err == nil {
		t.Error("a level that there is not is taken")
	}
}

// A part listens where it did at the last start. Where another program does that now, a line says so, and where the
// part is from then on.
func TestDev_PortsAreKept(t *testing.T) {
	d := &dataDir{path: t.TempDir()}
	start := func(told *strings.Builder) (*ports, string) {
		t.Helper()
		p, err := d.ports(told)
		if err != nil {
			t.Fatal(err)
		}
		addr, err := p.take("shop")
		if err != nil {
			t.Fatal(err)
		}
		return p, addr
	}
	var told strings.Builder
	_, first := start(&told)
	if _, again := start(&told); again != first || told.Len() > 0 {
		t.Errorf("at %s, then at %s: %s", first, again, told.String())
	}
	taken, err := net.Listen("tcp", first)
	if err != nil {
		t.Fatal(err)
	}
	_, other := start(&told)
	if said := told.String(); other == first || strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, "another program listens at "+first+", where the shop was: it is at "+other) {
		t.Errorf("at %s: %s", other, said)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if _, again := start(&told); again != other {
		t.Errorf("at %s, and then at %s", other, again)
	}
	if err := os.WriteFile(d.in("ports.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ports(&told); err == nil || !strings.Contains(err.Error(), "remove") {
		t.Errorf("a file that is none: %v", err)
	}
}

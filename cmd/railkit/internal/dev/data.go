package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/platform/auth"
)

// dataDir is the folder of a local platform, held by this process alone.
type dataDir struct {
	path string
	// lock is this process's. held is its children's too: they keep it open
	// without knowing, so that it stays locked until the last of them is gone,
	// also after this process was killed.
	lock, held *os.File
	short      string // folder for the socket where path is too deep, or ""
}

// leftBehind is how long the children of a killed predecessor may take to notice.
const leftBehind = 5 * time.Second

var errSecondDev = errors.New("another railkit dev is running on this data folder")

func openData(ctx context.Context, path string) (*dataDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	d := &dataDir{path: path}
	var err error
	if d.lock, err = takeLock(d.in("dev.lock")); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, leftBehind)
	defer cancel()
	for {
		if d.held, err = takeLock(d.in("children.lock")); !errors.Is(err, errSecondDev) {
			break
		}
		select {
		case <-waiting.Done():
			d.close()
			return nil, errors.New("processes of an earlier railkit dev still use this data folder")
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, d.removeFacts()
}

// takeLock holds a file that the kernel lets go of when its holders end, however they end.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data folder cannot be written to: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errSecondDev
	}
	return nil, fmt.Errorf("locking the data folder: %w", err)
}

func (d *dataDir) close() {
	for _, f := range []*os.File{d.held, d.lock} {
		if f != nil {
			f.Close()
		}
	}
	if d.short != "" {
		os.RemoveAll(d.short)
	}
}

func (d *dataDir) in(name string) string { return filepath.Join(d.path, name) }

// longestSocket is what the kernel takes of a Unix socket's path, with its end.
const longestSocket = 107

// socket is where the enclave listens: in the data folder or, where that is too
// deep for the kernel, in a short folder of its own.
func (d *dataDir) socket() (string, error) {
	const name = "enclave.sock"
	if path := d.in(filepath.Join("enclave", name)); len(path) <= longestSocket {
		return path, nil
	}
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, "railkit-") // for this user only
		if err != nil {
			continue
		}
		if path := filepath.Join(dir, name); len(path) <= longestSocket {
			d.short = dir
			return path, nil
		}
		os.Remove(dir)
	}
	return "", errors.New("no folder has a path short enough for the enclave's socket; use another --data")
}

// sandboxFile is what makes a local platform the same one at each start. The
// server reads it too.
type sandboxFile struct {
	app.SandboxKeys
	// CeremonyAddr is sealed into the enclave as an origin, so it never changes.
	CeremonyAddr string `json:"ceremonyAddr"`
}

// origin is how a browser names the page that asks for passkeys. An RP id
// cannot be an IP address, so every URL says localhost.
func (s sandboxFile) origin() string { return "http://" + asLocalhost(s.CeremonyAddr) }

func asLocalhost(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return net.JoinHostPort("localhost", port)
}

func (d *dataDir) sandboxFile() string { return d.in("sandbox.json") }

// sandbox reads the file or, at the first start, makes it.
func (d *dataDir) sandbox(o options) (sandboxFile, error) {
	var s sandboxFile
	raw, err := os.ReadFile(d.sandboxFile())
	if errors.Is(err, fs.ErrNotExist) {
		return d.newSandbox(o)
	}
	if err != nil {
		return s, fmt.Errorf("reading the sandbox's keys: %w", err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("reading the sandbox's keys: %w", err)
	}
	if o.ceremonyAddr != "" && asLocalhost(o.ceremonyAddr) != asLocalhost(s.CeremonyAddr) {
		return s, fmt.Errorf("this data's passkeys are bound to %s since its first start: leave --ceremony-addr out, "+
			"or use another --data",
			s.origin())
	}
	return s, nil
}

func (d *dataDir) newSandbox(o options) (sandboxFile, error) {
	s := sandboxFile{CeremonyAddr: o.ceremonyAddr}
	if s.CeremonyAddr == "" || portOf(s.CeremonyAddr) == 0 {
		next, err := FreePortAfter(portOf(o.addr))
		if err != nil {
			return s, err
		}
		s.CeremonyAddr = next
	} else if err := checkFree(s.CeremonyAddr, "choose one with --ceremony-addr"); err != nil {
		return s, err // before it is sealed
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return s, fmt.Errorf("making the sandbox's workspace: %w", err)
	}
	s.WorkspaceID = id.String()
	for _, key := range []*string{&s.APIKey, &s.InternalKey, &s.AdminKey, &s.BenchKey} {
		if *key, err = auth.GenerateKey(); err != nil {
			return s, err
		}
	}
	return s, writeJSON(d.sandboxFile(), s)
}

func portOf(addr string) int {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	return port
}

// FreePortAfter finds the first free port above the given one; after 0, any that
// the kernel gives to no outgoing connection, since it has to be free again later.
func FreePortAfter(port int) (string, error) {
	for next := port + 1; port > 0 && next <= min(port+100, 65535); next++ {
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	for range 100 {
		next := 20_000 + rand.IntN(12_000) // Linux begins at 32768
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// FactsFile is in the data folder as long as railkit dev is ready.
const FactsFile = "dev.json"

func (d *dataDir) factsFile() string { return d.in(FactsFile) }

func (d *dataDir) writeFacts(f demo.Facts) error { return writeJSON(d.factsFile(), f) }

// removeFacts is done at both ends: a platform that is not ready has no facts.
func (d *dataDir) removeFacts() error {
	if err := os.Remove(d.factsFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing old facts: %w", err)
	}
	return nil
}

// ReadFacts reads what a running railkit dev says of itself.
func ReadFacts(path string) (demo.Facts, error) {
	var f demo.Facts
	raw, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return f, nil
}

// writeJSON writes a file for its owner only, whole or not at all.
func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", filepath.Base(path), err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(append(raw, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}

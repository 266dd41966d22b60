package keystore

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const helperRole = "RAILKIT_TEST_KEYSTORE_ROLE"

// TestMain makes the test binary a process with a keystore of its own, whose
// limits and memory no other test touches.
func TestMain(m *testing.M) {
	roles := map[string]func() error{"no mlock": signWithoutMlock, "canary": searchOwnMemory}
	role, ok := roles[os.Getenv(helperRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func runRole(t *testing.T, role string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"="+role)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", role, err, out)
	}
	return string(out)
}

// mapping is the entry of /proc/self/smaps that holds b.
func mapping(t *testing.T, b []byte) string {
	t.Helper()
	all, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	at := uintptr(unsafe.Pointer(&b[0]))
	var from, to uintptr
	var entry strings.Builder
	for line := range strings.Lines(string(all)) {
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 && from <= at && at < to {
			entry.Reset()
		}
		entry.WriteString(line)
		if strings.HasPrefix(line, "VmFlags:") && from <= at && at < to {
			return entry.String()
		}
	}
	t.Fatal("the key pages are not mapped")
	return ""
}

// Not even the owner's or root's read of /proc/pid/mem gets at the key pages,
// where the kernel has memfd_secret.
func TestSigning_K06_KeyPages(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	if k.Memory() != "memfd_secret" {
		t.Logf("this kernel has no memfd_secret, keys are in: %s", k.Memory())
		return
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	at := int64(uintptr(unsafe.Pointer(&k.memory.region[0])))
	if n, err := mem.ReadAt(make([]byte, 32), at); err == nil || n != 0 {
		t.Errorf("%d bytes of the key pages were read through /proc", n)
	}
	if len(k.Hardening()) != 0 {
		t.Errorf("missing: %v", k.Hardening())
	}
}

func TestSigning_K06_LockedMappingWithoutMemfdSecret(t *testing.T) {
	t.Parallel()
	m, err := lockedMapping(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.release() }()
	flags := strings.Fields(mapping(t, m.region))
	if m.kind != "mlock" || len(m.missing) != 0 {
		t.Fatalf("%s, missing %v", m.kind, m.missing)
	}
	if !slices.Contains(flags, "lo") || !slices.Contains(flags, "dd") {
		t.Errorf("the pages are not locked or would be dumped: %v", flags)
	}
}

func TestWithoutMlockKeysWorkAndSaySo(t *testing.T) {
	t.Parallel()
	out := runRole(t, "no mlock")
	if !strings.HasPrefix(out, "unlocked") || !strings.Contains(out, "swapped out: mlock") {
		t.Errorf("the helper says %q", out)
	}
}

func signWithoutMlock() error {
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{}); err != nil {
		return err
	}
	if os.Getuid() == 0 { // root may lock whatever the limit
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	k, err := New(testKEK, "sandbox")
	if err != nil {
		return err
	}
	sealed, err := k.Create("org", "wallet", 12)
	if err != nil {
		return err
	}
	if err := k.Load("org", "wallet", sealed); err != nil {
		return err
	}
	if _, _, _, err := sign(k, "wallet", ethereumPath, [32]byte{1}); err != nil {
		return err
	}
	fmt.Println(k.Memory(), k.Hardening())
	return k.Close()
}

// After a signature neither the entropy nor the seed is anywhere in the process
// but in the key pages, and these do not hold them either.
func TestSigning_K06_SeedIsWipedAfterUse(t *testing.T) {
	t.Parallel()
	if out := runRole(t, "canary"); out != "control found, seed not\n" {
		t.Errorf("the helper says %q", out)
	}
}

// pattern is a secret to look for, kept inverted so that it does not find itself.
type pattern []byte

func inverted(secret []byte) pattern {
	p := make(pattern, len(secret))
	for i := range secret {
		p[i] = ^secret[i]
	}
	return p
}

func (p pattern) in(b []byte) bool {
	first := []byte{^p[0]}
	for at := 0; ; at++ {
		next := bytes.Index(b[at:], first)
		if next < 0 || at+next+len(p) > len(b) {
			return false
		}
		at += next
		if p.matches(b[at:]) {
			return true
		}
	}
}

func (p pattern) matches(b []byte) bool {
	for i := range p {
		if b[i] != ^p[i] {
			return false
		}
	}
	return true
}

func searchOwnMemory() error {
	k, err := New(testKEK, "sandbox")
	if err != nil {
		return err
	}
	sealed, err := k.Create("org", "wallet", 12)
	if err != nil {
		return err
	}
	if err := k.Load("org", "wallet", sealed); err != nil {
		return err
	}
	patterns, err := seedPatterns(k, sealed)
	if err != nil {
		return err
	}
	control := bytes.Repeat([]byte("control!"), 4)
	for _, path := range []string{"m/44'/60'/0'/0/0", "m/44'/60'/0'/0/1"} {
		if _, _, _, err := sign(k, "wallet", path, [32]byte{1}); err != nil {
			return err
		}
	}
	runtime.GC()
	found, err := search(append(patterns, inverted(control)))
	if err != nil {
		return err
	}
	runtime.KeepAlive(control)
	for name, p := range map[string]int{"entropy": 0, "seed": 1} {
		if found[p] != "" {
			return fmt.Errorf("the %s is in %s", name, found[p])
		}
	}
	if found[2] == "" {
		return errors.New("the search finds nothing at all")
	}
	fmt.Println("control found, seed not")
	return nil
}

// seedPatterns are entropy and seed of the wallet, read where they are allowed to be.
func seedPatterns(k *Keys, sealed []byte) ([]pattern, error) {
	s := <-k.scratch
	defer k.giveBack(s)
	entropy, err := k.open(s, seedOf("sandbox", "org", "wallet"), sealed)
	if err != nil {
		return nil, err
	}
	if _, err := s.derive(entropy, Secp256k1, []uint32{0}); err != nil {
		return nil, err
	}
	return []pattern{inverted(entropy), inverted(s.seed)}, nil
}

// search says for each pattern in which mapping it is.
func search(patterns []pattern) ([]string, error) {
	found := make([]string, len(patterns))
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	lines := bufio.NewScanner(bytes.NewReader(maps))
	for lines.Scan() {
		var from, to int64
		var access string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &access); n != 3 ||
			!strings.HasPrefix(access, "rw") {
			continue
		}
		if to-from > 1<<30 {
			continue // shadow memory of the race detector: addresses, no contents
		}
		b := make([]byte, to-from)
		n, _ := mem.ReadAt(b, from) // nothing of the key pages can be read
		for i, p := range patterns {
			if p.in(b[:n]) {
				found[i] = lines.Text()
			}
		}
		clear(b)
	}
	return found, lines.Err()
}

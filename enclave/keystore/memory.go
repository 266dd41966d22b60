package keystore

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// memory is a mapping of its own for secrets: never swapped out, never in a core
// file, and not part of Go's heap, whose copies nobody can count.
type memory struct {
	region  []byte
	free    []byte
	kind    string
	missing []string
}

func newMemory(size int) (*memory, error) {
	if region, err := secretMapping(size); err == nil {
		return &memory{region: region, free: region, kind: "memfd_secret"}, nil
	}
	return lockedMapping(size)
}

// secretMapping has pages that the kernel takes out of its own map: not even
// root reads them through /proc. They are locked by nature.
func secretMapping(size int) ([]byte, error) {
	fd, err := unix.MemfdSecret(unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, err
	}
	return unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// lockedMapping does what it can and says what it could not.
func lockedMapping(size int) (*memory, error) {
	region, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	m := &memory{region: region, free: region, kind: "mlock"}
	if err := unix.Mlock(region); err != nil {
		m.kind = "unlocked"
		m.missing = append(m.missing, fmt.Sprintf("key pages may be swapped out: mlock: %v", err))
	}
	if err := unix.Madvise(region, unix.MADV_DONTDUMP); err != nil {
		m.missing = append(m.missing, fmt.Sprintf("key pages may be in a core file: madvise: %v", err))
	}
	return m, nil
}

// take hands out the next n bytes.
func (m *memory) take(n int) []byte {
	part := m.free[:n:n]
	m.free = m.free[n:]
	return part
}

func (m *memory) release() error {
	clear(m.region)
	err := unix.Munmap(m.region)
	m.region, m.free = nil, nil
	if err != nil {
		return errors.Join(errors.New("releasing the key pages"), err)
	}
	return nil
}

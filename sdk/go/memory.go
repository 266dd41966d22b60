package railkit

import "sync"

// How much a Memory holds. Beyond it the oldest is forgotten, never the highest seq.
const (
	maxHeads    = 4096
	maxPreviews = 4096
)

// Memory is what a client has seen of the enclave's journal. It is what makes a
// rolled back or forked journal visible. One Memory may serve many clients.
type Memory struct {
	mu       sync.Mutex
	highest  uint64
	heads    ring[uint64, string]
	previews ring[string, uint64] // fingerprint -> seq of its preview
}

// NewMemory is a Memory that has seen nothing.
func NewMemory() *Memory {
	return &Memory{heads: newRing[uint64, string](maxHeads), previews: newRing[string, uint64](maxPreviews)}
}

// Highest is the highest seq seen so far.
func (m *Memory) Highest() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.highest
}

// see takes note of a head that the enclave signed for.
func (m *Memory) see(seq uint64, head string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.heads.get(seq); ok && known != head {
		return tampered(ReasonFork, "the journal has two heads at %d", seq)
	}
	m.heads.put(seq, head)
	m.highest = max(m.highest, seq)
	return nil
}

func (m *Memory) rememberPreview(fingerprint string, seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.previews.put(fingerprint, seq)
}

func (m *Memory) previewOf(fingerprint string) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.previews.get(fingerprint)
}

// ring is a map that forgets its oldest entry when it is full.
type ring[K comparable, V any] struct {
	values map[K]V
	order  []K
	next   int
}

func newRing[K comparable, V any](size int) ring[K, V] {
	return ring[K, V]{values: make(map[K]V), order: make([]K, 0, size)}
}

func (r *ring[K, V]) get(k K) (V, bool) {
	v, ok := r.values[k]
	return v, ok
}

func (r *ring[K, V]) put(k K, v V) {
	if _, known := r.values[k]; !known {
		if len(r.order) < cap(r.order) {
			r.order = append(r.order, k)
		} else {
			delete(r.values, r.order[r.next])
			r.order[r.next] = k
			r.next = (r.next + 1) % len(r.order)
		}
	}
	r.values[k] = v
}

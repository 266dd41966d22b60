package mcpserver

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	mostKept = 1000
	keptFor  = 24 * time.Hour // as long as the API knows a key
)

// keys are those of payments whose callers cancelled their calls, and so were told no retry_key: the next call with the
// same arguments has the key, and pays nothing twice.
type keys struct {
	mu   sync.Mutex
	kept map[[32]byte]kept
}

type kept struct {
	key string
	at  time.Time
}

// callOf tells calls apart by their arguments.
func callOf(in FetchInput) [32]byte {
	in.RetryKey = ""
	raw, err := json.Marshal(in)
	if err != nil { // of text alone there is none
		panic(err)
	}
	return sha256.Sum256(raw)
}

// take gives the key of a call: the one that it names, that of the same call that was cancelled, or a new one.
func (k *keys) take(call [32]byte, named string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, is := k.kept[call]
	delete(k.kept, call)
	switch {
	case named != "":
		return named
	case is && time.Since(before.at) < keptFor:
		return before.key
	}
	return uuid.NewString()
}

func (k *keys) keep(call [32]byte, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[[32]byte]kept{}
	}
	k.kept[call] = kept{key, time.Now()}
	for len(k.kept) > mostKept {
		oldest := call
		for other, of := range k.kept {
			if of.at.Before(k.kept[oldest].at) {
				oldest = other
			}
		}
		delete(k.kept, oldest)
	}
}

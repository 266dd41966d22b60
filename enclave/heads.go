package enclave

import (
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// Heads states which heads the journal had. A signer whose folder was put back to
// an older copy has other entries under the same numbers, and cannot state those
// that a client remembers. The hashes are in memory: a call reads no entry. It also
// states every amendment, so that a client sees that the signer takes more than it did.
func (s *Service) Heads(q wire.HeadsRequest) (wire.Proof, error) {
	if len(q.Seqs) > wire.MaxHeads {
		return wire.Proof{}, fault.Field("seqs", "must name at most "+strconv.Itoa(wire.MaxHeads)+" entries")
	}
	seqs := make([]uint64, len(q.Seqs))
	for i, text := range q.Seqs {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || strconv.FormatUint(n, 10) != text {
			return wire.Proof{}, fault.Field("seqs", "must be whole numbers")
		}
		seqs[i] = n
	}
	heads, err := s.journal.Heads(seqs)
	var short *journal.ShortError
	if errors.As(err, &short) {
		return wire.Proof{}, refusal.ErrJournalShort.Msg(strconv.FormatUint(short.Seq, 10))
	}
	if err != nil {
		return wire.Proof{}, err
	}
	st := wire.Statement{Kind: wire.KindJournal, Heads: []wire.JournalHead{}}
	if len(s.info.Sealed.Amendments) > 0 {
		st.Sealed = &s.info.Sealed
	}
	for _, p := range heads {
		st.Heads = append(st.Heads, wire.JournalHead{
			Seq: strconv.FormatUint(p.Seq, 10), Head: hex.EncodeToString(p.Head[:]),
		})
	}
	_, p, at, err := readDurable(s.memory, func(*decide.State, time.Time) (struct{}, error) { return struct{}{}, nil })
	if err != nil {
		return wire.Proof{}, err
	}
	return s.proved(st, p, at)
}

package railkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// place is an entry of the signer's journal that a proof has named.
type place struct {
	seq  uint64
	head string
}

// JournalHeads has the signer state which heads its journal had at these entries,
// at most 64. The statement's own Seq and Head are those of the journal now. 409
// journal_shorter: the journal does not reach one of them.
func (c *Client) JournalHeads(ctx context.Context, seqs ...uint64) (*Statement, error) {
	names := make([]string, len(seqs))
	for i, seq := range seqs {
		names[i] = strconv.FormatUint(seq, 10)
	}
	q := url.Values{"seqs": {strings.Join(names, ",")}}
	r, err := send[struct {
		Proof *Proof `json:"proof"`
	}](ctx, c, request{method: http.MethodGet, path: "/v1/signing/journal", query: q})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return nil, errors.New("railkit: this client has no key to check the signer's journal with")
	}
	st, err := c.verify.open(r.Data.Proof, wire.KindJournal)
	if err != nil {
		return nil, err
	}
	for i, h := range st.Heads {
		if i >= len(names) || h.Seq != names[i] {
			return nil, tampered(ReasonKind, "the statement is of other entries of the journal than were asked for")
		}
	}
	if len(st.Heads) != len(names) {
		return nil, tampered(ReasonKind, "the statement leaves out entries of the journal that were asked for")
	}
	return &st.Statement, nil
}

// CheckJournal asks the signer whether all that this client has seen of its journal
// is in the one journal that it has now. A signer whose folder was put back to an
// older copy cannot say so. Every preview is preceded by it; a program that keeps a
// [Memory] for long can also call it at its start, or after an outage.
func (c *Client) CheckJournal(ctx context.Context) error {
	if c.verify == nil {
		return errors.New("railkit: this client has no key to check the signer's journal with")
	}
	return c.oneJournal(ctx)
}

// oneJournal asks about every entry that was seen and not yet found to be of one
// journal with the others. Nothing is asked where only one was ever seen.
func (c *Client) oneJournal(ctx context.Context) error {
	m := c.verify.memory
	for seen := m.unchecked(); len(seen) > 1; seen = m.unchecked() {
		now, err := c.sameJournal(ctx, seen)
		if err != nil {
			return err
		}
		m.checked(seen, now)
	}
	return nil
}

// sameJournal is where the signer's journal ends, if the entries are in it.
func (c *Client) sameJournal(ctx context.Context, seen []place) (now place, err error) {
	seqs := make([]uint64, len(seen))
	for i, p := range seen {
		seqs[i] = p.seq
	}
	st, err := c.JournalHeads(ctx, seqs...)
	var answer *Error
	if errors.As(err, &answer) && answer.Code == "journal_shorter" {
		return now, tampered(ReasonStale, "the signer's journal ends before an entry that this client has seen: its folder is an older copy")
	}
	if err != nil {
		return now, fmt.Errorf("railkit: asking the signer whether its journal is still the same: %w", err)
	}
	for i, p := range seen {
		if st.Heads[i].Head != p.head {
			return now, tampered(ReasonFork, "entry %d of the signer's journal is another one than this client has seen: its folder is an older copy", p.seq)
		}
	}
	end, err := strconv.ParseUint(st.Seq, 10, 64)
	if err != nil {
		return now, tampered(ReasonProof, "it names no place in the journal")
	}
	return place{end, st.Head}, nil
}

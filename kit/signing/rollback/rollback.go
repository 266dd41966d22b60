// Package rollback finds out whether the signer was put back to an older copy of its folder. Such a signer has
// forgotten kills, pauses, the kill switch, rotated secrets, removed payees and lowered policies, and may have
// forgotten what was spent: it would sign what its owners have forbidden since.
//
// Servers write down the newest entry of the signer's journal that they saw (Mark), once a second. A signer whose
// journal ends before the mark, or has another hash there, is behind. From then on the server hands it nothing that
// moves money (Open) until an operator confirms (Accept). What only stops or takes away is handed in as ever.
package rollback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// ErrBehind refuses what would move money while the signer is behind.
var ErrBehind = fault.Define(fault.Unavailable, "signer_behind",
	"The signer has forgotten what happened since it was copied: nothing is signed until the operator has confirmed it",
	"The signer's journal ends before what servers have seen of it, as after a restore of its folder; the operator "+
		"looks and runs railkit admin signer accept")

// Mark is an entry of the signer's journal.
type Mark struct {
	Generation int64 // one more with each confirmation of an operator's
	Seq        int64
	Head       string
	SeenAt     time.Time // zero: nothing was seen yet
}

// Tx sets a mark anew.
type Tx interface {
	ReplaceSignerMark(ctx context.Context, seq int64, head string, at time.Time) error
}

// Marks reads the mark.
type Marks interface {
	Mark(ctx context.Context) (Mark, error)
	// RowsSeq is the highest entry that other rows name: the mark where none was written yet.
	RowsSeq(ctx context.Context) (int64, error)
}

// Store keeps the mark.
type Store interface {
	record.Writer[Tx]
	Marks
	// Raise moves the mark on, unless its generation is another or it is as high.
	Raise(ctx context.Context, m Mark) error
}

// Signer is what is asked of the signer.
type Signer interface {
	Info(ctx context.Context) (wire.InfoReply, error)
	Heads(ctx context.Context, seqs []string) (wire.Proof, error)
}

// Guard knows whether the signer is behind.
type Guard struct {
	store  Store
	signer Signer
	clock  clock.Clock
	log    *slog.Logger

	mu     sync.Mutex
	looked bool
	behind string // "": it is not
}

// New makes a Guard, which is closed until the first Look.
func New(s Store, signer Signer, clk clock.Clock, log *slog.Logger) *Guard {
	return &Guard{store: s, signer: signer, clock: clk, log: log}
}

// Look compares the signer's journal with what was seen of it, and writes down what it sees.
func (g *Guard) Look(ctx context.Context) error {
	why, now, err := Compare(ctx, g.store, g.signer)
	if err != nil {
		return err
	}
	g.mu.Lock()
	changed := g.looked && g.behind != why || !g.looked && why != ""
	g.looked, g.behind = true, why
	g.mu.Unlock()
	switch {
	case why != "" && changed:
		g.log.ErrorContext(ctx,
			"the signer was put back to an older copy: nothing is signed until an operator confirms it "+
				"(railkit admin signer accept)", "why", why)
	case why == "" && changed:
		g.log.WarnContext(ctx, "an operator has confirmed the signer's state: it signs again", "entry", now.Seq)
	}
	if why != "" {
		return nil
	}
	now.SeenAt = g.clock.Now()
	return g.store.Raise(ctx, now)
}

// Compare tells why the signer is behind, "" if it is not, and where its journal ends.
func Compare(ctx context.Context, s Marks, signer Signer) (behind string, now Mark, err error) {
	mark, err := s.Mark(ctx) // before the signer is asked: it may go on meanwhile, and never back
	if err != nil {
		return "", now, err
	}
	if mark.SeenAt.IsZero() {
		if mark.Seq, err = s.RowsSeq(ctx); err != nil {
			return "", now, err
		}
	}
	info, err := signer.Info(ctx)
	if err != nil {
		return "", now, err
	}
	if now, err = markOf(info); err != nil {
		return "", now, err
	}
	now.Generation = mark.Generation
	switch {
	case now.Seq < mark.Seq:
		return fmt.Sprintf("its journal ends with entry %d, and entry %d was seen", now.Seq, mark.Seq), now, nil
	case mark.Head == "":
		return "", now, nil
	}
	head, err := headAt(ctx, signer, mark.Seq)
	if err == nil && !strings.EqualFold(head, mark.Head) {
		behind = fmt.Sprintf("its entry %d is another than the one that was seen", mark.Seq)
	}
	return behind, now, err
}

func markOf(info wire.InfoReply) (Mark, error) {
	seq, err := strconv.ParseInt(info.Seq, 10, 64)
	if err != nil {
		return Mark{}, fmt.Errorf("reading the signer's last entry: %w", err)
	}
	return Mark{Seq: seq, Head: info.Head}, nil
}

// headAt is the hash of the signer's journal up to an entry.
func headAt(ctx context.Context, signer Signer, seq int64) (string, error) {
	proof, err := signer.Heads(ctx, []string{strconv.FormatInt(seq, 10)})
	if err != nil {
		return "", err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
		return "", fmt.Errorf("reading a statement about the journal: %w", err)
	}
	if len(st.Heads) != 1 {
		return "", errors.New("the signer's statement about one entry names another number of them")
	}
	return st.Heads[0].Head, nil
}

// Open refuses a body while the signer is behind, or nobody has looked yet, unless it only stops or takes away.
func (g *Guard) Open(body string) error {
	g.mu.Lock()
	looked, behind := g.looked, g.behind
	g.mu.Unlock()
	switch {
	case looked && behind == "" || onlyStops(body):
		return nil
	case !looked:
		return fault.ErrUnavailable
	}
	return ErrBehind.Because(errors.New(behind))
}

// Behind tells whether the signer is behind, or nobody has looked yet.
func (g *Guard) Behind() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.looked || g.behind != ""
}

// onlyStops tells whether a body takes away and gives nothing.
func onlyStops(raw string) bool {
	var b wire.Body
	if json.Unmarshal([]byte(raw), &b) != nil {
		return false
	}
	switch b.Type {
	case wire.RemovePayee, wire.DeleteAgent, wire.DeleteAuthenticator, wire.CancelRecovery:
		return true
	case wire.SetAgentStatus:
		var p wire.SetAgentStatusParams
		return json.Unmarshal(b.Parameters, &p) == nil && p.Status != wire.AgentActive
	case wire.SetKillSwitch:
		var p wire.SetKillSwitchParams
		return json.Unmarshal(b.Parameters, &p) == nil && p.On
	}
	return false
}

// Accept has the signer's present journal count as the newest, on an operator's word.
func Accept(ctx context.Context, s Store, signer Signer, cmd *command.Command, at time.Time, reason string) error {
	was, now, err := Compare(ctx, s, signer)
	if err != nil {
		return err
	}
	_, err = s.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{
			Action: "signer.accept", Resource: strconv.FormatInt(now.Seq, 10),
			Before: map[string]any{"behind": was}, After: map[string]any{"head": now.Head, "reason": reason},
		}}, tx.ReplaceSignerMark(ctx, now.Seq, now.Head, at)
	})
	return err
}

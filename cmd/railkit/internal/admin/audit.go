package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/store"
)

// verifyAudit reads the audit record and changes nothing. What it prints of a
// whole chain is its head, which proves later that the chain still goes through it.
func verifyAudit(ctx context.Context, env cli.Env, args []string) (err error) {
	f := cli.Flags(env, "admin audit verify")
	var told heads
	only := f.String("workspace", "", "id of the one workspace to look at (default all)")
	f.Var(&told, "head",
		"head that was printed before, as WORKSPACE=SEQ:HASH: it must still be in the chain; may be repeated")
	file := f.String("heads", "", "file with what this command printed before")
	l, err := settings(f, args)
	if err == nil {
		err = l.CheckDatabase()
	}
	if err != nil {
		return err
	}
	if *file != "" {
		if err := told.read(*file); err != nil {
			return err
		}
	}
	s, err := openRecord(ctx, l.Server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	v := &verifier{Env: env, records: s, told: told, next: time.Now().Add(quiet)}
	return v.verify(ctx, *only)
}

func openRecord(ctx context.Context, c config.Server) (*store.Store, error) {
	if c.DatabaseURL != "" {
		return store.ReadPostgres(ctx, c.DatabaseURL)
	}
	path := filepath.Join(c.DataDir, "railkit.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no database in the folder that --data names")
	}
	return store.ReadSQLite(ctx, path)
}

// heads are lines of what was printed before.
type heads []audit.Head

func (h *heads) String() string { return "" }

// Set reads one head.
func (h *heads) Set(text string) error {
	id, rest, _ := strings.Cut(text, "=")
	place, hash, _ := strings.Cut(rest, ":")
	seq, err := strconv.ParseInt(place, 10, 64)
	if err != nil || seq < 1 || id == "" || len(hash) != 64 {
		return errors.New("a head must be of the form WORKSPACE=SEQ:HASH")
	}
	*h = append(*h, audit.Head{WorkspaceID: id, Seq: seq, Hash: hash})
	return nil
}

func (h *heads) read(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the heads: %w", err)
	}
	for n, line := range strings.Split(string(raw), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := h.Set(line); err != nil {
			return fmt.Errorf("line %d of the heads: %w", n+1, err)
		}
	}
	return nil
}

// quiet is how long it says nothing.
const quiet = 5 * time.Second

// verifier goes through workspaces.
type verifier struct {
	cli.Env
	records audit.Records
	told    heads
	rows    int
	next    time.Time // of a line of progress
	broken  int
}

func (v *verifier) verify(ctx context.Context, only string) error {
	ids, err := v.workspaces(ctx, only)
	if err != nil {
		return err
	}
	for _, id := range ids {
		report, err := audit.Verify(ctx, v.records, id, audit.Told(v.told, id), v.seen)
		if err != nil {
			return err
		}
		v.print(id, report)
	}
	if v.broken > 0 {
		return fmt.Errorf("%d of %d workspaces: the audit record is not what was written", v.broken, len(ids))
	}
	fmt.Fprintf(v.Out, "# %d rows, %d workspaces: nothing was changed, removed or moved\n", v.rows, len(ids))
	return nil
}

// workspaces are those that have a record, and those that had one.
func (v *verifier) workspaces(ctx context.Context, only string) ([]string, error) {
	ids, err := v.records.AuditWorkspaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range v.told {
		ids = append(ids, h.WorkspaceID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if only == "" {
		return ids, nil
	}
	if !slices.Contains(ids, only) {
		return nil, errors.New("--workspace: the record has nothing of it")
	}
	return []string{only}, nil
}

func (v *verifier) seen(rows int) {
	v.rows += rows
	if now := time.Now(); now.After(v.next) {
		v.next = now.Add(quiet)
		fmt.Fprintf(v.Err, "%d rows\n", v.rows)
	}
}

func (v *verifier) print(id string, r audit.Report) {
	name := strings.Trim(strconv.Quote(id), `"`) // whoever wrote it must not steer this terminal
	if r.Outside > 0 {
		fmt.Fprintf(v.Out, "# %s: %d rows from before there were chains, which prove nothing\n", name, r.Outside)
	}
	if len(r.Faults) == 0 {
		if r.Head.Seq > 0 {
			fmt.Fprintf(v.Out, "%s=%d:%s\n", name, r.Head.Seq, r.Head.Hash)
		}
		return
	}
	v.broken++
	for _, f := range r.Faults {
		fmt.Fprintf(v.Err, "%s, seq %d: %s\n", name, f.Seq, f.What)
	}
	if r.More > 0 {
		fmt.Fprintf(v.Err, "%s: and %d more\n", name, r.More)
	}
}

package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

func checkSigner(ctx context.Context, t target) []finding {
	if t.EnclaveSocket == "" {
		return nil
	}
	if t.EnclaveKey == "" {
		return []finding{{failure, "signer",
			"its key is not pinned: give --enclave-key, as the signer's operator named it"}}
	}
	c := client.New(t.EnclaveSocket, t.EnclaveKey)
	defer c.Close()
	before := time.Now()
	info, err := c.Info(ctx)
	if errors.Is(err, frame.ErrRelease) {
		return []finding{{failure, "signer", "it answers in another version than this program's: " + cli.OneLine(err)}}
	}
	if errors.Is(err, fault.ErrUnavailable) {
		return []finding{{failure, "signer",
			"it does not answer: look whether it runs, and as whose user: " + cli.OneLine(err)}}
	}
	if err != nil {
		return []finding{{failure, "signer", cli.OneLine(err) + ": stop the server, and find out who answers there"}}
	}
	all := []finding{{fine, "signer", fmt.Sprintf("it answers under the pinned key (%s, platform %s, entry %s)",
		info.Environment, info.Platform, info.Seq)}}
	all = append(all, checkSeal(info, t.Server)...)
	all = append(all, checkListed(info)...)
	all = append(all, checkRollback(ctx, t, c)...)
	all = append(all, checkClock(info, before, time.Now()))
	all = append(all, checkPrices(t.PricesURL, info.Prices)...)
	all = append(all, checkDataFees(t.PricesURL, info.DataFees)...)
	return append(all, checkHardening(info)...)
}

// checkSeal compares what the signer was sealed with to what the server is told:
// where they differ, the server does not start or every stamp is refused.
func checkSeal(info wire.InfoReply, c config.Server) []finding {
	var all []finding
	if info.Environment != c.Environment {
		all = append(all, finding{failure, "seal", "the signer was sealed for another environment than --environment"})
	}
	if info.RPID != c.RPID {
		all = append(all, finding{failure, "seal", "the signer was sealed for another RP id than --rp-id"})
	}
	if c.CeremonyOrigin != "" && !slices.Contains(info.Origins, c.CeremonyOrigin) {
		all = append(all, finding{
			failure, "seal",
			"the signer was not sealed for --ceremony-origin: it would refuse every stamp of that page",
		})
	}
	if slices.Contains(info.Origins, c.InviteOrigin) {
		all = append(all, finding{
			failure, "seal",
			"the signer was sealed for --invite-origin: a page for strangers would be where stamps are made",
		})
	}
	if slices.Contains(info.Origins, c.DashboardOrigin) {
		all = append(all, finding{
			failure, "seal", "the signer was sealed for --dashboard-origin: a login there could be turned into a stamp",
		})
	}
	if len(all) == 0 {
		all = append(all, finding{fine, "seal", "the signer was sealed for this environment, RP id and page"})
	}
	return all
}

// checkListed tells what the signer's operator has added since its genesis, and what this program knows beyond that.
func checkListed(info wire.InfoReply) []finding {
	var all []finding
	for _, a := range info.Sealed.Amendments {
		for _, c := range a.Changes {
			all = append(all, finding{note, "amended", fmt.Sprintf("entry %s, %s: %s", a.Seq, a.Time, c)})
		}
	}
	var missing []string
	for _, n := range chain.Networks(chain.Environment(info.Environment)) {
		have, ok := chain.WithSlug(info.Networks, n.Slug)
		if !ok {
			missing = append(missing, n.Slug)
		}
		for _, t := range n.Tokens {
			if _, listed := have.TokenByAddress(t.Address); ok && !listed {
				missing = append(missing, t.Symbol+" on "+n.Slug)
			}
		}
	}
	if len(missing) > 0 {
		return append(all, finding{warning, "networks",
			"this program knows what the signer does not, which refuses or takes it for unknown: " +
				strings.Join(missing, ", ") + "; railkit-enclave amend --listed adds it"})
	}
	return append(all, finding{fine, "networks",
		fmt.Sprintf("the signer has all networks and tokens that this program knows, genesis %.12s and %d amendments",
			info.Sealed.Genesis, len(info.Sealed.Amendments))})
}

// checkRollback tells whether the signer was put back to an older copy of its folder.
func checkRollback(ctx context.Context, t target, c *client.Client) []finding {
	tables, closing, err := openRead(ctx, t)
	if err != nil {
		return nil // the database's own line says it
	}
	defer closing()
	if _, err := cli.CheckTables(ctx, tables); err != nil {
		return nil
	}
	behind, _, err := rollback.Compare(ctx, marks{tables}, c)
	switch {
	case err != nil:
		return []finding{{failure, "rollback", "the signer's journal cannot be compared: " + cli.OneLine(err)}}
	case behind != "":
		return []finding{{failure, "rollback", "the signer was put back to an older copy, and servers have it sign " +
			"nothing: " + behind + "; see what it has forgotten, then railkit admin signer accept"}}
	}
	return []finding{{fine, "rollback", "the signer's journal has all that servers have seen of it"}}
}

// openRead opens the database that the server would open, if there is one.
func openRead(ctx context.Context, t target) (*sql.DB, func() error, error) {
	if t.DatabaseURL != "" {
		db, err := postgres.Open(ctx, t.DatabaseURL)
		if err != nil {
			return nil, nil, err
		}
		return db.Pool, db.Close, nil
	}
	path := filepath.Join(t.DataDir, "railkit.db")
	if _, err := os.Stat(path); err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return db.Reader, db.Close, nil
}

// marks reads what servers have seen of the signer, without a server's store, which would bring tables up to date.
type marks struct{ db *sql.DB }

func (m marks) Mark(ctx context.Context) (mark rollback.Mark, err error) {
	row, err := db.New(m.db).SignerMark(ctx, "signer")
	if errors.Is(err, sql.ErrNoRows) {
		return mark, nil
	}
	return rollback.Mark{Seq: row.Seq, Head: row.Head, SeenAt: time.UnixMicro(row.SeenAt)}, err
}

func (m marks) RowsSeq(ctx context.Context) (int64, error) { return db.New(m.db).SignerRows(ctx) }

func checkHardening(info wire.InfoReply) []finding {
	var all []finding
	for _, missing := range info.Hardening {
		all = append(all, finding{warning, "hardening", missing})
	}
	if len(all) == 0 {
		return []finding{{fine, "hardening", "all that the signer asks of the kernel is in force"}}
	}
	return all
}

// clockSlack is how far two clocks may be apart before a body that one makes is
// nearly refused by the other.
const clockSlack = 30 * time.Second

// checkClock compares the signer's own clock to this machine's, where the server
// runs, between the moments before and after it was asked.
func checkClock(info wire.InfoReply, before, after time.Time) finding {
	ms, err := strconv.ParseInt(info.TimeMs, 10, 64)
	if err != nil {
		return finding{warning, "clock", "the signer does not tell its time: it is of an older version"}
	}
	const unit = time.Millisecond
	signer := time.UnixMilli(ms)
	switch {
	case signer.Before(before.Add(-clockSlack)):
		return finding{failure, "clock",
			fmt.Sprintf("the signer's is %v behind: it stood still for long; if this machine's is right, "+
				"start it with --accept-time",
				before.Sub(signer).Round(unit))}
	case signer.After(after.Add(clockSlack)):
		return finding{failure, "clock", fmt.Sprintf(
			"the signer's is %v ahead: this machine's was set back, run a time service", signer.Sub(after).Round(unit),
		)}
	}
	return finding{fine, "clock", "signer and server have the same time"}
}

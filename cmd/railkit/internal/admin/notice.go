package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// notices are what the partner said, for who only looks and has one looked at again.
func (d *desk) notices() *notice.Inbox {
	return notice.New(notice.Config{
		Store: d.store.Payout().Stores().Notices, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
	})
}

func listNotices(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin notice list")
	only := f.String("state", "",
		"unmatched, received, ignored or done (default: unmatched, and received ones that nobody could look at yet)")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		var rows [][]string
		for _, state := range statesToList(*only) {
			found, err := all(func(at page.Page) ([]notice.Notice, *page.Cursor, int, error) {
				return d.notices().In(ctx, state, at)
			})
			if err != nil {
				return err
			}
			for _, n := range found {
				rows = append(rows, []string{
					n.ID, string(n.State), n.Category, n.ObjectID, n.EventID, strconv.FormatInt(n.Seen, 10),
					clock.ISO(n.ReceivedAt), n.CustomerID,
				})
			}
		}
		if len(rows) == 0 {
			fmt.Fprintln(d.Err, "none")
		}
		return d.table([]string{"ID", "STATE", "CATEGORY", "OBJECT", "EVENT", "SEEN", "RECEIVED", "CUSTOMER"}, rows)
	})
}

func statesToList(only string) []notice.State {
	if only == "" {
		return []notice.State{notice.StateUnmatched, notice.StateReceived}
	}
	return []notice.State{notice.State(only)}
}

func retryNotice(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin notice retry")
	id := f.String("notice", "", "id of the notice")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		switch err := d.notices().Retry(ctx, *id); {
		case errors.Is(err, fault.ErrNotFound):
			return errors.New("--notice: there is none with this id")
		case errors.Is(err, record.ErrStale):
			return errors.New("--notice: it was followed, or is of a kind that nobody listens to")
		case err != nil:
			return err
		}
		fmt.Fprintln(d.Err, "a running server looks at it now")
		return nil
	})
}

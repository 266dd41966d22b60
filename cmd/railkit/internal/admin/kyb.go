package admin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// checks are the forms of businesses, for who does not read what is in them.
func (d *desk) checks() *kyb.Service {
	return kyb.New(kyb.Config{Store: d.store.KYB(), Named: true, Clock: clock.System{}})
}

// submissionFlag names what the operator has read, so that nobody decides about a form that came meanwhile.
func submissionFlag(f *flag.FlagSet) *string {
	return f.String("submission", "",
		"id of the submission that you have read, as kyb export prints it; needed where the workspace has submitted a form")
}

// decide says what became of the check of a business.
func (d *desk) decide(ctx context.Context, operation, id string, in rest.KybRequest) error {
	w, err := answered[workspace.IntegratorView](d.checks().Decide(ctx, d.order(operation, id), in))
	switch {
	case errors.Is(err, kyb.ErrNoSubmission):
		return errors.New("--workspace: it has submitted no form")
	case errors.Is(err, kyb.ErrSubmittedAgain):
		return errors.New("--submission: it is not the last one of the workspace; export the form again, and read it")
	case errors.Is(err, kyb.ErrOpen):
		return errors.New("more information was asked for, and the form is not submitted again; if what was submitted is " +
			"enough, take the request back first: railkit admin workspace kyb --status pending")
	case err != nil:
		return err
	}
	return d.integrators(w)
}

func listKYB(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin kyb list")
	only := f.String("state", "submitted,in_review",
		"states of forms, with commas between: submitted, in_review, approved, rejected, more_information")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		found, err := all(func(at page.Page) ([]kyb.Case, *page.Cursor, int, error) {
			return d.checks().Cases(ctx, d.operator(""), kyb.Filter{States: words[kyb.State](*only), Page: at})
		})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			fmt.Fprintf(d.Err, "no form of the %s environment is in these states\n", d.environment)
		}
		var rows [][]string
		for _, c := range found {
			rows = append(rows, []string{
				c.WorkspaceID, c.WorkspaceName, c.ID, string(c.State), clock.ISO(c.CreatedAt),
				decidedAt(c.Submission), c.Reason,
			})
		}
		return d.table([]string{"WORKSPACE", "NAME", "SUBMISSION", "STATE", "SUBMITTED", "DECIDED", "REASON"}, rows)
	})
}

func decidedAt(s kyb.Submission) string {
	if s.DecidedAt.IsZero() {
		return ""
	}
	return clock.ISO(s.DecidedAt)
}

// showKYB shows how far a form is, and nothing of what is in it: admin kyb export does.
func showKYB(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin kyb show")
	id := f.String("workspace", "", "id of the workspace")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if _, err := d.workspaces.Get(ctx, d.operator(*id)); err != nil {
			return err
		}
		v, err := d.checks().Summary(ctx, *id)
		if err != nil {
			return err
		}
		rows := [][]string{
			{"state", string(v.State)}, {"reason", v.Last.Reason},
			{"version", strconv.FormatInt(v.Draft.Version, 10)}, {"submission", v.Last.ID},
			{"submitted version", strconv.FormatInt(v.Last.Version, 10)}, {"decided", decidedAt(v.Last)},
		}
		for _, doc := range v.Documents {
			is := fmt.Sprintf("%s, %s, %d bytes", doc.Kind, doc.MediaType, doc.Size)
			rows = append(rows, []string{"document", is})
		}
		return d.table([]string{"WHAT", "IS"}, rows)
	})
}

func approveKYB(ctx context.Context, env cli.Env, args []string) error {
	return decideKYB(ctx, env, args, "approve", kyb.Approved)
}

func rejectKYB(ctx context.Context, env cli.Env, args []string) error {
	return decideKYB(ctx, env, args, "reject", kyb.Rejected)
}

func askKYB(ctx context.Context, env cli.Env, args []string) error {
	return decideKYB(ctx, env, args, "ask", kyb.MoreInformation)
}

func decideKYB(ctx context.Context, env cli.Env, args []string, name string, to kyb.State) error {
	f := cli.Flags(env, "admin kyb "+name)
	id := f.String("workspace", "", "id of the workspace")
	reason := f.String("reason", "", "why; the workspace's members read it, so name no person")
	submission := submissionFlag(f)
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *reason == "" && to != kyb.Approved {
			return cli.UsageError(errors.New("--reason: is required"))
		}
		return d.decide(ctx, "kyb "+name, *id, rest.KybRequest{
			Status: string(to), Reason: *reason, SubmissionID: *submission,
		})
	})
}

// exportKYB writes a form and its documents into a new folder that only the shell's user reads, and prints the id of
// the submission, which a decision names.
func exportKYB(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin kyb export")
	id := f.String("workspace", "", "id of the workspace")
	out := f.String("out", "", "folder to make, for the form and its documents")
	return sit(ctx, env, f, args, []string{"vault-key-file"}, func(d *desk, c app.Config) error {
		if *out == "" {
			return cli.UsageError(errors.New("--out: is required"))
		}
		if _, err := d.workspaces.Get(ctx, d.operator(*id)); err != nil {
			return err
		}
		checks, err := app.NewKYB(c, d.store)
		if err != nil {
			return err
		}
		if err := os.Mkdir(*out, 0o700); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		exported, err := checks.Export(ctx, d.order("kyb export", *id))
		if err != nil {
			_ = os.Remove(*out) // it is empty
		}
		if errors.Is(err, kyb.ErrNoSubmission) {
			return errors.New("--workspace: it has submitted no form")
		}
		if err == nil {
			err = writeExport(*out, exported)
		}
		if err != nil {
			return err
		}
		for _, gone := range exported.Deleted {
			fmt.Fprintf(d.Err, "its members have deleted a document since: %s, %s\n", gone.Kind, gone.ID)
		}
		fmt.Fprintln(d.Out, exported.SubmissionID)
		fmt.Fprintln(d.Err, "this is in the workspace's audit record; delete the folder when you have decided")
		return nil
	})
}

var endings = map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}

// writeExport names files by their ids: the names that members gave them are theirs.
func writeExport(folder string, e kyb.Exported) error {
	if err := os.WriteFile(filepath.Join(folder, "form.json"), e.Form, 0o600); err != nil {
		return err
	}
	for _, doc := range e.Documents {
		name := doc.Kind + "-" + doc.ID + endings[doc.MediaType]
		if err := os.WriteFile(filepath.Join(folder, name), doc.Content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

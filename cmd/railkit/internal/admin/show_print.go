package admin

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
)

// print shows it on one screen.
func (o sight) print(env cli.Env) {
	fmt.Fprintf(env.Out, "%s %s of workspace %s %s\n\n", o.Kind, cli.Printable(o.ID), o.WorkspaceID,
		cli.Printable(fmt.Sprintf("%q", o.WorkspaceName)))
	section(env, "", o.facts())
	var rows [][]string
	for _, l := range o.Links {
		rows = append(rows, []string{l.Kind, l.ID})
	}
	section(env, "Related", rows)
	section(env, "Timeline", o.timeline())
	rows = nil
	for _, e := range o.Events {
		rows = append(rows, []string{fmt.Sprint(e.Sequence), e.Timestamp, e.Type, e.ID})
	}
	section(env, "Events", rows)
	rows = nil
	for _, e := range o.Record {
		by := strings.TrimSpace("by " + e.Actor.Type + " " + e.Actor.ID)
		rows = append(rows, []string{e.Timestamp, e.Action, by, "request " + cmp.Or(e.RequestID, "-")})
	}
	section(env, "Record", rows)
	rows = nil
	for _, j := range o.Jobs {
		rows = append(rows, []string{
			j.Kind, j.State, fmt.Sprintf("attempt %d", j.Attempt), "next " + j.Next, j.LastError,
		})
	}
	section(env, "Jobs", rows)
	rows = nil
	for _, line := range o.Next {
		rows = append(rows, []string{line})
	}
	section(env, "Next", rows)
	fmt.Fprintln(env.Out)
}

// facts are what the thing is and how it stands.
func (o sight) facts() [][]string {
	status := o.Status
	if !o.Updated.IsZero() {
		ago := time.Since(o.Updated).Round(time.Second)
		status += fmt.Sprintf(", last changed %s (%s ago)", moment(o.Updated), ago)
	}
	rows := [][]string{{"status", status}, {"created", moment(o.Created)}}
	for _, f := range o.Fields {
		rows = append(rows, []string{f.Name, f.Value})
	}
	return append(rows, o.orderFacts()...)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// joined joins those that are not empty.
func joined(all ...string) string { return strings.Join(strings.Fields(strings.Join(all, " ")), " ") }

func (o sight) orderFacts() (rows [][]string) {
	d := o.Order
	if d == nil {
		return nil
	}
	from, to := d.Source, d.Destination
	facts := [][]string{
		{"from", joined(from.Amount, strings.ToUpper(from.Currency), from.Chain, from.Rail, from.From)},
		{"to", joined(to.Amount, strings.ToUpper(to.Currency), to.Rail, to.Chain, to.Address)},
		{"account ends in", to.AccountLast4}, {"in review because", d.ReviewReason}, {"waits for", d.DelayReason},
		{"deposit", d.References.DepositTxHash}, {"partner's transfer", d.References.PartnerTransferID},
		{"labels", strings.Join(d.Labels, ", ")},
	}
	if f := d.Failure; f != nil {
		facts = append(facts, []string{"failed with", f.Code + ": " + f.Message})
	}
	if r := d.Refund; r != nil {
		facts = append(facts, []string{"refund", joined(r.Status, r.Amount, r.Reason, r.TxHash)})
	}
	for _, f := range facts {
		if f[1] != "" {
			rows = append(rows, f)
		}
	}
	return rows
}

func (o sight) timeline() (rows [][]string) {
	if o.Order == nil {
		return nil
	}
	for _, t := range o.Order.Timeline {
		rows = append(rows, []string{t.At, t.Type, t.Status, "by " + t.Source})
	}
	return rows
}

// section prints rows in columns under a heading.
func section(env cli.Env, heading string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if heading != "" {
		fmt.Fprintf(env.Out, "\n%s\n", heading)
	}
	w := tabwriter.NewWriter(env.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = cli.Printable(cmp.Or(strings.ReplaceAll(cell, "\n", "; "), "-"))
		}
		fmt.Fprintln(w, "  "+strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	_ = w.Flush() // to a terminal or a buffer
}

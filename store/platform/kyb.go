package platform

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// KYB is the database as the check of businesses sees it.
type KYB struct {
	db *sqldb.DB
	kybReads
	sqldb.Writer[kyb.Tx]
}

// KYB returns it.
func (s Store) KYB() KYB {
	return KYB{s.db, kybReads{s.db.Read}, sqldb.WriterOf(s.db, func(t *sqldb.Tx) kyb.Tx {
		return kybTx{tx{t}, kybReads{t.Q}}
	})}
}

var _ kyb.Store = KYB{}

// kybReads are what a form is read by, inside of a transaction and outside.
type kybReads struct{ q *db.Queries }

// kybTx is one transaction.
type kybTx struct {
	tx
	kybReads
}

// Draft finds the form of a workspace.
func (r kybReads) Draft(ctx context.Context, workspaceID string) (kyb.Draft, error) {
	row, err := r.q.KYBDraft(ctx, workspaceID)
	if sqldb.None(err) {
		return kyb.Draft{WorkspaceID: workspaceID}, nil
	}
	return sqldb.One("Form", row, err, kybDraft)
}

// Submission finds one.
func (r kybReads) Submission(ctx context.Context, workspaceID, id string) (kyb.Submission, error) {
	row, err := r.q.KYBSubmission(ctx, workspaceID, id)
	return sqldb.One("Submission", row, err, kybSubmission)
}

// LastSubmission finds the one that counts.
func (r kybReads) LastSubmission(ctx context.Context, workspaceID string) (kyb.Submission, error) {
	row, err := r.q.LastKYBSubmission(ctx, workspaceID)
	return sqldb.One("Submission", row, err, kybSubmission)
}

// Documents lists a form's documents, oldest first, without their content.
func (r kybReads) Documents(ctx context.Context, workspaceID string) ([]kyb.Document, error) {
	rows, err := r.q.KYBDocuments(ctx, workspaceID)
	return sqldb.Many(rows, err, func(d db.KYBDocumentsRow) (kyb.Document, error) {
		return kyb.Document{
			WorkspaceID: workspaceID, ID: d.ID, Kind: d.Kind, MediaType: d.MediaType, Size: d.Size, Sealed: d.Sealed,
			CreatedAt: sqldb.Instant(d.CreatedAt),
		}, nil
	})
}

// Document finds one with its content.
func (k KYB) Document(ctx context.Context, workspaceID, id string) (kyb.Document, error) {
	row, err := k.q.KYBDocument(ctx, workspaceID, id)
	return sqldb.One("Document", row, err, func(d db.KybDocument) (kyb.Document, error) {
		return kyb.Document{
			WorkspaceID: d.WorkspaceID, ID: d.ID, Kind: d.Kind, MediaType: d.MediaType, Size: d.Size,
			Sealed: d.Sealed, Content: d.Content, CreatedAt: sqldb.Instant(d.CreatedAt),
		}, nil
	})
}

// Cases lists a page of the last submissions of an environment's workspaces, newest first, and counts them.
func (k KYB) Cases(ctx context.Context, f kyb.Filter) ([]kyb.Case, int, error) {
	q := k.db.Query(1).In("state", sqldb.Texts(f.States))
	total, err := db.New(q).CountKYBCases(ctx, f.Environment)
	if err != nil {
		return nil, 0, sqldb.Reading("counting submitted forms", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListKYBCases(ctx, f.Environment)
	return sqldb.Listed(total, rows, err, func(r db.KybCase) (kyb.Case, error) {
		return kyb.Case{WorkspaceName: r.WorkspaceName, Submission: kyb.Submission{
			WorkspaceID: r.WorkspaceID, ID: r.ID, State: kyb.State(r.State), Reason: r.Reason,
			CreatedAt: sqldb.Instant(r.CreatedAt), DecidedAt: sqldb.Instant(r.DecidedAt),
		}}, nil
	})
}

// Mails lists the mails of a decision that wait, to those who are members still.
func (k KYB) Mails(ctx context.Context, workspaceID, decisionID string) ([]kyb.Mail, error) {
	rows, err := k.q.KYBMails(ctx, workspaceID, decisionID)
	return sqldb.Many(rows, err, func(r db.KYBMailsRow) (kyb.Mail, error) {
		return kyb.Mail{
			WorkspaceID: r.WorkspaceID, DecisionID: r.DecisionID, MemberID: r.MemberID, Email: r.Email,
			WorkspaceName: r.WorkspaceName, State: kyb.State(r.State), Reason: r.Reason,
		}, nil
	})
}

// Mailed notes that a mail was sent, or refused for good.
func (k KYB) Mailed(ctx context.Context, m kyb.Mail, refused bool) error {
	status := "sent"
	if refused {
		status = "failed"
	}
	return k.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("noting what became of a mail", t.Q.KYBMailed(ctx, db.KYBMailedParams{
			Status: status, WorkspaceID: m.WorkspaceID, DecisionID: m.DecisionID, MemberID: m.MemberID,
		}))
	})
}

// Unchecked lists submissions that a job should have looked at before the instant.
func (k KYB) Unchecked(ctx context.Context, before time.Time, limit int) ([]kyb.Submission, error) {
	rows, err := k.q.UncheckedKYBSubmissions(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, kybSubmission)
}

// Unmailed lists decisions between the instants whose mails wait.
func (k KYB) Unmailed(ctx context.Context, since, before time.Time, limit int) ([]kyb.Mail, error) {
	rows, err := k.q.UnmailedKYBDecisions(ctx, sqldb.Micros(since), sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, func(r db.UnmailedKYBDecisionsRow) (kyb.Mail, error) {
		return kyb.Mail{WorkspaceID: r.WorkspaceID, DecisionID: r.DecisionID}, nil
	})
}

// Queue makes a job, unless there is one.
func (k KYB) Queue(ctx context.Context, j job.Job) error {
	return k.db.Transact(ctx, func(t *sqldb.Tx) error { return t.Enqueue(ctx, j) })
}

func (t kybTx) PutDraft(ctx context.Context, d kyb.Draft) error {
	sections, err := json.Marshal(d.Sections)
	if err != nil {
		return sqldb.Doing("writing the sections of a form", err)
	}
	n, err := t.tx.Q.PutKYBDraft(ctx, db.PutKYBDraftParams{
		WorkspaceID: d.WorkspaceID, Version: d.Version, Sections: string(sections), Sealed: d.Sealed,
		UpdatedAt: sqldb.Micros(d.UpdatedAt),
	})
	return oneRow("writing a form", n, err)
}

// oneRow is record.ErrStale where nothing was written.
func oneRow(doing string, n int64, err error) error {
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return sqldb.Doing(doing, err)
}

func (t kybTx) InsertSubmission(ctx context.Context, s kyb.Submission) error {
	return sqldb.Doing("inserting a submitted form", t.tx.Q.InsertKYBSubmission(ctx, db.InsertKYBSubmissionParams{
		WorkspaceID: s.WorkspaceID, ID: s.ID, Number: s.Number, Version: s.Version, State: string(s.State),
		Reason: s.Reason, Sealed: s.Sealed, CheckAt: sqldb.Micros(s.CheckAt), CreatedAt: sqldb.Micros(s.CreatedAt),
		DecidedAt: sqldb.Micros(s.DecidedAt),
	}))
}

func (t kybTx) MoveSubmission(ctx context.Context, s kyb.Submission, from kyb.State) error {
	n, err := t.tx.Q.MoveKYBSubmission(ctx, db.MoveKYBSubmissionParams{
		State: string(s.State), Reason: s.Reason, CheckAt: sqldb.Micros(s.CheckAt),
		DecidedAt: sqldb.Micros(s.DecidedAt), WorkspaceID: s.WorkspaceID, ID: s.ID, Was: string(from),
	})
	return oneRow("moving a submitted form", n, err)
}

func (t kybTx) InsertDocument(ctx context.Context, d kyb.Document) error {
	return sqldb.Doing("inserting a document", t.tx.Q.InsertKYBDocument(ctx, db.InsertKYBDocumentParams{
		WorkspaceID: d.WorkspaceID, ID: d.ID, Kind: d.Kind, MediaType: d.MediaType, Size: d.Size, Sealed: d.Sealed,
		Content: d.Content, CreatedAt: sqldb.Micros(d.CreatedAt),
	}))
}

func (t kybTx) DeleteDocument(ctx context.Context, workspaceID, id string) error {
	return sqldb.Doing("deleting a document", t.tx.Q.DeleteKYBDocument(ctx, workspaceID, id))
}

func (t kybTx) InsertMails(
	ctx context.Context, workspaceID, decisionID string, state kyb.State, reason string, now time.Time,
) error {
	return sqldb.Doing("writing the mails of a decision", t.tx.Q.InsertKYBMails(ctx, db.InsertKYBMailsParams{
		DecisionID: decisionID, State: string(state), Reason: reason, Now: sqldb.Micros(now), WorkspaceID: workspaceID,
	}))
}

func kybDraft(r db.KybDraft) (kyb.Draft, error) {
	d := kyb.Draft{
		WorkspaceID: r.WorkspaceID, Version: r.Version, Sealed: r.Sealed, UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}
	return d, sqldb.Doing("reading the sections of a form", json.Unmarshal([]byte(r.Sections), &d.Sections))
}

func kybSubmission(r db.KybSubmission) (kyb.Submission, error) {
	return kyb.Submission{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Number: r.Number, Version: r.Version, State: kyb.State(r.State),
		Reason: r.Reason, Sealed: r.Sealed, CheckAt: sqldb.Instant(r.CheckAt), CreatedAt: sqldb.Instant(r.CreatedAt),
		DecidedAt: sqldb.Instant(r.DecidedAt),
	}, nil
}

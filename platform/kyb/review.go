package kyb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Cases lists the last submission of each workspace of the caller's environment, newest first. For the operator.
func (s *Service) Cases(ctx context.Context, p auth.Principal, f Filter) ([]Case, *page.Cursor, int, error) {
	f.Environment = p.Environment
	rows, total, err := s.c.Store.Cases(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	next := page.Next(f.Page, rows, total, func(c Case) page.Cursor {
		return page.Cursor{CreatedAt: c.CreatedAt, ID: c.ID}
	})
	return rows, next, total, nil
}

// Summary is what the operator's list says of a form: nothing of what is in it.
type Summary struct {
	State     State
	Draft     Draft
	Last      Submission // the zero Submission where there is none
	Documents []Document
}

// Summary tells how far a workspace's form is.
func (s *Service) Summary(ctx context.Context, workspaceID string) (v Summary, err error) {
	if v.Draft, err = s.c.Store.Draft(ctx, workspaceID); err != nil {
		return v, err
	}
	if v.Documents, err = s.c.Store.Documents(ctx, workspaceID); err != nil {
		return v, err
	}
	v.State = Drafted
	v.Last, err = s.c.Store.LastSubmission(ctx, workspaceID)
	if errors.Is(err, fault.ErrNotFound) {
		return v, nil
	}
	if err == nil {
		v.State = v.Last.State
	}
	return v, err
}

// Exported is a submitted form with its documents, for whoever decides about it.
type Exported struct {
	SubmissionID string
	Form         []byte // JSON
	Documents    []ExportedDocument
	Deleted      []Attached // documents that members have deleted since they submitted it
}

// ExportedDocument is a file as it was uploaded.
type ExportedDocument struct {
	Attached
	MediaType string
	Content   []byte
}

// Export opens the last submission. Who did it is in the workspace's audit record before anybody sees the form.
func (s *Service) Export(ctx context.Context, cmd *command.Command) (e Exported, err error) {
	if !cmd.Principal.May(auth.AccessOperate) {
		return e, auth.ErrScope
	}
	sub, err := s.c.Store.LastSubmission(ctx, cmd.Principal.WorkspaceID)
	if errors.Is(err, fault.ErrNotFound) {
		return e, ErrNoSubmission
	}
	if err != nil {
		return e, err
	}
	form, err := openForm(s.c.Vault, sub.place(), sub.Sealed)
	if err != nil {
		return e, err
	}
	e.SubmissionID = sub.ID
	if e.Form, err = json.MarshalIndent(form, "", "  "); err != nil {
		return e, fmt.Errorf("writing the form of a business: %w", err)
	}
	if e.Documents, e.Deleted, err = s.contents(ctx, sub.WorkspaceID, form.Documents); err != nil {
		return e, err
	}
	_, err = s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "kyb.export", Resource: sub.ID}}, nil
	})
	return e, err
}

// contents opens the documents of a submission, and tells which are deleted.
func (s *Service) contents(
	ctx context.Context, workspaceID string, all []Attached,
) (there []ExportedDocument, deleted []Attached, _ error) {
	for _, a := range all {
		d, err := s.c.Store.Document(ctx, workspaceID, a.ID)
		if errors.Is(err, fault.ErrNotFound) {
			deleted = append(deleted, a)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		content, err := s.c.Vault.Open(d.place("content"), d.Content)
		if err != nil {
			return nil, nil, fmt.Errorf("reading a document: %w", err)
		}
		there = append(there, ExportedDocument{a, d.MediaType, content})
	}
	return there, deleted, nil
}

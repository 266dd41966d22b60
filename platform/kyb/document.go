package kyb

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/text"
)

const (
	mostDocuments = 30
	mostBytes     = 512 << 10 // of a document

	formation = "formation"
	identity  = "identity"
)

// mediaTypes are what a document may be, by its own first bytes.
var mediaTypes = []string{"application/pdf", "image/png", "image/jpeg"}

// file is a document with what is sealed of it.
type file struct {
	Document
	label
}

// label is sealed with a document: a file's name often has a person's.
type label struct{ Name, PersonID string }

// Upload adds a document to the form.
func (s *Service) Upload(
	ctx context.Context, cmd *command.Command, in rest.KYBDocumentRequest,
) (command.Answer, error) {
	d := Document{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: record.NewID(), Kind: in.Kind, CreatedAt: s.c.Clock.Now(),
	}
	content, err := base64.StdEncoding.Strict().DecodeString(in.Content)
	if err != nil {
		return command.Answer{}, fault.Field("content", "must be base64")
	}
	d.Size, d.MediaType = int64(len(content)), http.DetectContentType(content)
	switch {
	case d.Size > mostBytes:
		return command.Answer{}, fault.Field("content", "must have at most 512 KiB")
	case !slices.Contains(mediaTypes, d.MediaType):
		return command.Answer{}, fault.Field("content", "must be a PDF, PNG or JPEG file")
	case !text.Visible(in.Name):
		return command.Answer{}, fault.Field("name", text.Unseen)
	case (in.PersonID != "") != (in.Kind == identity):
		return command.Answer{}, fault.Field("personId", "must be given with the kind identity, and with no other")
	}
	shown := file{d, label{in.Name, in.PersonID}}
	if shown.Sealed, err = s.sealLabel(shown); err != nil {
		return command.Answer{}, err
	}
	shown.Content = s.c.Vault.Seal(d.place("content"), content)
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		h, err := s.holdOpen(ctx, tx, cmd.Principal)
		switch {
		case err != nil:
			return command.Reply{}, err
		case len(h.documents) >= mostDocuments:
			return command.Reply{}, ErrTooManyDocuments
		case in.PersonID != "" && !h.form.has(in.PersonID):
			return command.Reply{}, fault.Field("personId", "is of nobody in the form")
		}
		if err := tx.InsertDocument(ctx, shown.Document); err != nil {
			return command.Reply{}, err
		}
		return command.Reply{Status: 201, Message: "Document added", Data: shown.view(), Audit: command.Audit{
			Action: "kyb.document", Resource: d.ID, Detail: map[string]string{"kind": d.Kind},
		}}, s.put(ctx, tx, h, documents)
	})
}

// DeleteDocument removes a document from the form.
func (s *Service) DeleteDocument(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		h, err := s.holdOpen(ctx, tx, cmd.Principal)
		if err != nil {
			return command.Reply{}, err
		}
		i := slices.IndexFunc(h.documents, func(d file) bool { return d.ID == id })
		if i < 0 {
			return command.Reply{}, fault.Missing("Document")
		}
		if err := tx.DeleteDocument(ctx, cmd.Principal.WorkspaceID, id); err != nil {
			return command.Reply{}, err
		}
		gone := h.documents[i]
		return command.Reply{Status: 200, Message: "Document deleted", Data: gone.view(), Audit: command.Audit{
			Action: "kyb.document_delete", Resource: id, Detail: map[string]string{"kind": gone.Kind},
		}}, s.put(ctx, tx, h, documents)
	})
}

func (s *Service) sealLabel(d file) (string, error) {
	raw, err := json.Marshal(d.label)
	if err != nil {
		return "", fmt.Errorf("writing the name of a document: %w", err)
	}
	return s.c.Vault.Seal(d.place("label"), raw), nil
}

// files opens the labels of documents.
func (s *Service) files(all []Document, err error) ([]file, error) {
	if err != nil {
		return nil, err
	}
	open := make([]file, len(all))
	for i, d := range all {
		open[i].Document = d
		raw, err := s.c.Vault.Open(d.place("label"), d.Sealed)
		if err == nil {
			err = json.Unmarshal(raw, &open[i].label)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the name of a document: %w", err)
		}
	}
	return open, nil
}

// attached are documents as a submission remembers them.
func attached(all []file) (kept []Attached) {
	for _, d := range all {
		kept = append(kept, Attached{d.ID, d.Kind, d.PersonID})
	}
	return kept
}

func (d file) view() rest.KYBDocument {
	return rest.KYBDocument{
		ID: d.ID, Kind: d.Kind, PersonID: d.PersonID, Name: d.Name, MediaType: d.MediaType, Size: d.Size,
		CreatedAt: clock.ISO(d.CreatedAt),
	}
}

// mayWrite tells whether the caller fills the form in, and so sees what it asks of persons.
func mayWrite(p auth.Principal) bool { return p.May(auth.AccessManage) }

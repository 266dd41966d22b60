package platform

import (
	"context"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

type auditQuery struct {
	edge.Paging
	ActorType string `query:"actorType" enum:"api_key,agent,session,operator,system,ceremony,invite"`
	ActorID   string `query:"actorId" maxLength:"128"`
	Action    string `query:"action" maxLength:"64" doc:"As wallet.create; with a * at its end, all that begin so: wallet.*"`
	Resource  string `query:"resource" maxLength:"128" doc:"Id of what changed"`
	RequestID string `query:"requestId" maxLength:"64" doc:"The X-Request-Id of an answer: what that request changed, at once or later by a job"`
	From      string `query:"from" format:"date-time" doc:"The first instant"`
	To        string `query:"to" format:"date-time" doc:"The instant after the last"`
}

func registerAudit(s *edge.Server, entries audit.Lister) {
	edge.List(s, edge.Op{
		ID: "listAudit", Path: "/v1/audit", Tag: "Audit", Summary: "List who changed what, newest first",
		Access: auth.AccessAudit,
		Description: "Each change writes one entry in its own transaction. The entries of a workspace are a chain of hashes; " +
			"railkit admin audit verify finds what was changed, removed or moved.",
	}, func(ctx context.Context, p auth.Principal, in *auditQuery) (edge.Page[rest.AuditEntry], error) {
		f, err := in.filter(p.WorkspaceID)
		if err != nil {
			return edge.Page[rest.AuditEntry]{}, err
		}
		views, next, total, err := audit.Page(ctx, entries, f)
		return edge.PageOf(in.Paging, views, total, edge.AuditCursor(next)), err
	})
}

func (in *auditQuery) filter(workspaceID string) (f audit.Filter, err error) {
	f = audit.Filter{
		WorkspaceID: workspaceID, Actor: audit.ActorKind(in.ActorType), ActorID: in.ActorID, Action: in.Action,
		Resource: in.Resource, RequestID: in.RequestID,
		From: instant(in.From), To: instant(in.To), Limit: in.Limit, Offset: in.Offset(),
	}
	f.After, err = edge.AuditPlace(in.Paging)
	return f, err
}

// instant reads what the edge has found to be one, or nothing.
func instant(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/rest"
)

const (
	kybTag  = "KYB"
	kybPath = "/v1/kyb/customers"

	// mostUpload is a document of 512 KiB in base64, and the fields beside it.
	mostUpload = 720 << 10
)

func registerKYB(s *edge.Server, checks *kyb.Service) {
	edge.Get(s, edge.Op{
		ID: "getKybForm", Path: kybPath + "/me", Tag: kybTag, Callers: members,
		Summary: "Get the form about the workspace's business, and what it lacks",
		Description: "Any member reads it. Where persons live and when they were born only admins and managers see, and of " +
			"the numbers of the business everybody sees the last four characters.",
	}, func(ctx context.Context, p auth.Principal, _ *struct{}) (rest.KYB, error) { return checks.Get(ctx, p) })
	edge.Write[rest.KYB](s, edge.Op{
		ID: "updateKybForm", Method: "PATCH", Path: kybPath, Tag: kybTag, Callers: members, Access: auth.AccessManage,
		Summary: "Fill in sections of the form about the workspace's business",
		Description: "Sections and fields that are left out stay as they are, but `people` is one list. Two members may change " +
			"two sections at once; of the same section the second one is 409 `kyb_changed` and nothing is lost.",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.KYBChange]) (command.Answer, error) {
		return checks.Change(ctx, cmd, in.Body)
	})
	edge.Write[rest.KYBDocument](s, edge.Op{
		ID: "addKybDocument", Path: kybPath + "/documents", Tag: kybTag, Status: 201, Callers: members,
		Access: auth.AccessManage, MostBody: mostUpload,
		Summary:     "Add a document to the form: a PDF, PNG or JPEG of at most 512 KiB",
		Description: "It is sealed before it is stored, and no call answers its content again.",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.KYBDocumentRequest]) (command.Answer, error) {
		return checks.Upload(ctx, cmd, in.Body)
	})
	edge.Write[rest.KYBDocument](s, edge.Op{
		ID: "deleteKybDocument", Method: "DELETE", Path: kybPath + "/documents/{id}", Tag: kybTag, Callers: members,
		Access: auth.AccessManage, Summary: "Delete a document of the form",
	}, func(ctx context.Context, cmd *command.Command, in *idPath) (command.Answer, error) {
		return checks.DeleteDocument(ctx, cmd, in.ID)
	})
	edge.Write[rest.KYBSubmission](s, edge.Op{
		ID: "submitKybForm", Path: kybPath + "/submit", Tag: kybTag, Status: 201, Callers: members,
		Access:      auth.AccessManage,
		Summary:     "Submit the form; from then on it can be changed only if more information is asked for",
		Description: "A form that is not complete is 400 `kyb_incomplete`, with each missing field in `details.missing`.",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.KYBSubmitRequest]) (command.Answer, error) {
		return checks.Submit(ctx, cmd, in.Body)
	})
	edge.Get(s, edge.Op{
		ID: "getKybSubmission", Path: kybPath + "/submission", Tag: kybTag, Callers: members,
		Summary: "Get what became of the form that was submitted last; null before there is one",
	}, func(ctx context.Context, p auth.Principal, _ *struct{}) (*rest.KYBSubmission, error) {
		return checks.Submission(ctx, p)
	})
}

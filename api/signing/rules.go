package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

func registerFurtherPasskeys(s *edge.Server, kit *signing.Kit) {
	const tag = "Passkeys"
	edge.Write[passkey.PasskeyChanged](s, stamp.ThreeForms(edge.Op{
		ID: "addPasskey", Path: "/v1/signing/passkeys/add", Tag: tag, Status: 201, Summary: "Add a passkey to the stamping user or, with an e-mail, a second user with its passkey",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body passkey.AddPasskeyInput
	}) (command.Answer, error) {
		return kit.Passkeys.Add(ctx, cmd, in.Body, in.Prepare)
	})
	edge.Write[passkey.PasskeyChanged](s, stamp.ThreeForms(edge.Op{
		ID: "deletePasskey", Method: "DELETE", Path: "/v1/signing/passkeys/{id}", Tag: tag,
		Summary: "Remove a passkey, except the last one",
	}), func(ctx context.Context, cmd *command.Command, in *deletion) (command.Answer, error) {
		return kit.Passkeys.Delete(ctx, cmd, in.ID, in.stamp(), in.Prepare)
	})
}

// deletion is a DELETE that may carry a stamp.
type deletion struct {
	ID string `path:"id" maxLength:"64"`
	stamp.Query
	Body *activity.StampInput
}

func (d *deletion) stamp() activity.StampInput { return stamp.Of(d.Body) }

func registerPolicies(s *edge.Server, kit *signing.Kit) {
	const tag, path = "Policies", "/v1/signing/policies"
	edge.List(s, edge.Op{
		ID: "listPolicies", Path: path, Tag: tag, Summary: "List policies, newest first", Module: auth.Signing,
	}, listPolicies(kit))
	edge.Write[rule.PolicyView](s, stamp.ThreeForms(edge.Op{
		ID: "createPolicy", Path: path, Tag: tag, Status: 201,
		Summary: "Create a policy for a wallet; all policies of a wallet must pass",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body rule.PolicyInput
	}) (command.Answer, error) {
		return kit.Rules.CreatePolicy(ctx, cmd, in.Body, in.Prepare)
	})
	edge.Write[rule.PolicyView](s, stamp.ThreeForms(edge.Op{
		ID: "updatePolicy", Method: "PATCH", Path: path + "/{id}", Tag: tag,
		Summary: "Change a policy's name or rules for later signatures",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		ID string `path:"id" maxLength:"64"`
		stamp.Query
		Body rule.PolicyChange
	}) (command.Answer, error) {
		return kit.Rules.UpdatePolicy(ctx, cmd, in.ID, in.Body, in.Prepare)
	})
	edge.Write[rule.PolicyView](s, stamp.ThreeForms(edge.Op{
		ID: "deletePolicy", Method: "DELETE", Path: path + "/{id}", Tag: tag, Summary: "Delete a policy",
	}), func(ctx context.Context, cmd *command.Command, in *deletion) (command.Answer, error) {
		return kit.Rules.DeletePolicy(ctx, cmd, in.ID, in.stamp(), in.Prepare)
	})
}

func registerOutstanding(s *edge.Server, kit *signing.Kit) {
	edge.Get(s, edge.Op{
		ID: "getOutstanding", Path: "/v1/signing/policies/{id}/outstanding", Tag: "Policies", Module: auth.Signing,
		Summary: "List what was signed under a policy's delegation and may still have an effect on a chain",
		Description: "Also of a policy that was deleted, and of a delegation that was taken away or has ended: what was signed under it outlives it. " +
			"The signer's journal is the source. Each entry says how to make it worthless.",
	}, func(ctx context.Context, p auth.Principal, in *struct {
		ID string `path:"id" maxLength:"64"`
	}) (rule.Outstanding, error) {
		return kit.Rules.Outstanding(ctx, p, in.ID)
	})
}

type policiesQuery struct {
	edge.Paging
	WalletID          string `query:"walletId" maxLength:"64"`
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	Proof             string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew which policies it enforces for the sub-organization, and the list is mended by that"`
}

func listPolicies(
	kit *signing.Kit,
) func(context.Context, auth.Principal, *policiesQuery) (edge.Page[rule.PolicyView], error) {
	return func(ctx context.Context, p auth.Principal, in *policiesQuery) (edge.Page[rule.PolicyView], error) {
		at, err := edge.PageAt(in.Paging)
		if err != nil {
			return edge.Page[rule.PolicyView]{}, err
		}
		list, next, total, err := kit.Rules.Policies(ctx, p, rule.PolicyFilter{
			WalletID: in.WalletID, SubOrganizationID: in.SubOrganizationID, Page: at,
		}, in.Proof == "fresh")
		found := edge.PageOf(in.Paging, list.Items, total, edge.Cursor(next))
		found.Proof = list.Proof
		return found, err
	}
}

func registerApprovalConfig(s *edge.Server, kit *signing.Kit) {
	const tag, path = "Approvals", "/v1/signing/approval-config"
	edge.Get(s, edge.Op{
		ID: "getApprovalConfig", Path: path, Tag: tag,
		Summary: "Get the approval configuration: when several people have to agree", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		SubOrganizationID string `query:"subOrganizationId" maxLength:"64" doc:"Needed where the workspace has several"`
		Proof             string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew what it enforces"`
	}) (rule.ApprovalConfigView, error) {
		return kit.Rules.ApprovalConfig(ctx, p, in.SubOrganizationID, in.Proof == "fresh")
	})
	edge.Write[rule.ApprovalConfigView](s, stamp.ThreeForms(edge.Op{
		ID: "updateApprovalConfig", Method: "PATCH", Path: path, Tag: tag,
		Summary: "Change the approval configuration: when several people have to agree",
		Aliases: edge.Aliases{"stampedActivity": "signedActivity", "threshold_amount": "thresholdUsd"},
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body rule.ApprovalConfigInput
	}) (command.Answer, error) {
		return kit.Rules.UpdateApprovalConfig(ctx, cmd, in.Body, in.Prepare)
	})
}

type denialsQuery struct {
	WalletID string `path:"walletId" maxLength:"64"`
	edge.Paging
	Layer    string `query:"layer" enum:"enclave,platform,turnkey,relayer" default:"enclave" doc:"Who refused: the enclave (or turnkey) or the platform (or relayer)"`
	Severity string `query:"severity" enum:"blocked,warn,critical"`
}

// layers are the filter's words for what a row has.
var layers = map[string]string{"turnkey": denial.LayerEnclave, "relayer": denial.LayerPlatform}

func registerDenials(s *edge.Server, kit *signing.Kit) {
	edge.List(s, edge.Op{
		ID: "listDenials", Path: "/v1/signing/wallets/{walletId}/denials", Tag: "Policies",
		Summary: "List a wallet's denials, newest first: what its policies refused to sign",
		Module:  auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *denialsQuery) (edge.Page[rest.Denial], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Denial, *page.Cursor, int, error) {
			layer := in.Layer
			if known, ok := layers[layer]; ok {
				layer = known
			}
			return kit.Denials.List(
				ctx, in.WalletID,
				denial.Filter{WorkspaceID: p.WorkspaceID, Layer: layer, Severity: in.Severity, Page: at},
			)
		})
	})
}

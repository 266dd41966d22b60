package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// syncAliases are the samples' words for a new passkey.
var syncAliases = edge.Aliases{"name": "label"}

func registerRecovery(s *edge.Server, kit *signing.Kit) {
	const tag, path = "Recovery", "/v1/signing/recovery"
	write[recovery.RecoveryRequestedView](s, edge.Op{
		ID: "initiateRecovery", Path: path + "/initiate", Tag: tag, Status: 201, Summary: "Start a recovery: mail a link; the answer is the same for every e-mail address",
	}, kit.Recoveries.Initiate)
	write[recovery.RecoveryView](s, edge.Op{
		ID: "syncRecovery", Path: path + "/sync", Tag: tag, Status: 201, Aliases: syncAliases,
		Summary: "Register the new passkey of a recovery, or get the recovery's state", Description: "It waits out a delay in which any passkey can cancel it. Once for each credentialId.",
	}, kit.Recoveries.Sync)
	edge.Get(s, edge.Op{
		ID: "getRecoveryContext", Path: path + "/context", Tag: tag, Summary: "Read what a mailed recovery link is for",
		Module:      auth.Signing,
		Description: "The token comes in a header, since addresses are written into logs. Asking uses nothing up.",
	}, func(ctx context.Context, p auth.Principal, in *struct {
		Token string `header:"X-Recovery-Token" required:"true" minLength:"43" maxLength:"43" doc:"What stands between the # and the dot of the mailed link"`
	}) (recovery.RecoveryContext, error) {
		return kit.Recoveries.Context(ctx, p, in.Token)
	})
	edge.Get(s, edge.Op{
		ID: "getMigrationEligibility", Path: path + "/migration-eligibility", Tag: tag,
		Summary: "Check whether a sub-organization can be used without one of its passkeys",
		Module:  auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		SubOrganizationID string `query:"subOrganizationId" maxLength:"64" doc:"Needed where the workspace has several"`
	}) (recovery.MigrationEligibility, error) {
		return kit.Recoveries.MigrationEligibility(ctx, p, in.SubOrganizationID)
	})
	edge.Write[recovery.RecoveryRuleView](s, stamp.ThreeForms(edge.Op{
		ID: "updateRecovery", Method: "PATCH", Path: path, Tag: tag,
		Summary: "Change how a sub-organization is recovered",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body recovery.UpdateRecoveryInput
	}) (command.Answer, error) {
		return kit.Recoveries.Update(ctx, cmd, in.Body, in.Prepare)
	})
	cancel := stamp.ThreeForms(edge.Op{
		ID: "cancelRecovery", Path: path + "/{id}/cancel", Tag: tag,
		Summary: "Cancel a recovery with the stamp of any passkey",
	})
	cancel.Description = "With `prepare=true` nothing happens and the answer is what to stamp; with `signedActivity` in the body it is done, " +
		"also where approvals are enabled. Without either it is refused."
	edge.Write[recovery.RecoveryView](s, cancel, func(ctx context.Context, cmd *command.Command, in *struct {
		ID string `path:"id" maxLength:"64"`
		stamp.Query
		Body *activity.StampInput
	}) (command.Answer, error) {
		return kit.Recoveries.Cancel(ctx, cmd, in.ID, stamp.Of(in.Body), in.Prepare)
	})
}

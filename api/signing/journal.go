package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
)

// registerJournal registers what clients ask before they believe a preview. Who
// may only prepare has to ask it as well.
func registerJournal(s *edge.Server, kit *signing.Kit) {
	edge.Get(s, edge.Op{
		ID: "getJournalHeads", Path: "/v1/signing/journal", Tag: "Transactions", Module: auth.Signing,
		Access:  auth.AccessReadOrWrite,
		Summary: "Ask which heads the signer's journal had at entries that a client remembers",
		Description: "A signer whose folder was put back to an older copy goes on with other entries under the same numbers. A client that remembers " +
			"number and head of earlier proofs asks for them again, together with the number of the preview it is about to believe: " +
			"where a head differs, or the answer is 409 `journal_shorter`, it must stop.",
	}, func(ctx context.Context, _ auth.Principal, in *struct {
		Seqs []string `query:"seqs" maxItems:"64" doc:"Numbers of entries (seq of proofs), with commas between" example:"12,17"`
	}) (signer.JournalView, error) {
		return kit.Journal.Heads(ctx, in.Seqs)
	})
}

package dev

import (
	"context"
	"fmt"
)

// firstMember is whom railkit dev invites as an admin, so that somebody can log in to the dashboard without an
// operator. The mail is on the mail page.
const firstMember = "you@example.com"

// inviteFirst invites the first member, where nobody was invited yet. The mail page forgets what it showed when it
// ends, so an invitation that is still open is mailed again.
func (p platform) inviteFirst(ctx context.Context, at addresses) error {
	workspace, invited := "/v1/integrators/"+p.sandbox.WorkspaceID, struct {
		Data []struct{ ID, Email, Status string }
	}{}
	err := p.operate(ctx, at, workspace+"/invitations", nil, &invited)
	var done any
	for _, i := range invited.Data {
		if err == nil && i.Email == firstMember && i.Status == "pending" {
			err = p.operate(ctx, at, workspace+"/invitations/"+i.ID+"/resend", struct{}{}, &done)
		}
	}
	if err == nil && len(invited.Data) == 0 {
		err = p.operate(ctx, at, workspace+"/members", map[string]string{"email": firstMember, "role": "admin"}, &done)
	}
	if err != nil {
		return fmt.Errorf("inviting the first member: %w", err)
	}
	return nil
}

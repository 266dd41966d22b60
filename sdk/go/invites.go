package railkit

import (
	"context"
	"net/http"
)

// Invite is a link by which a recipient enters its bank account itself. It is
// for the recipient alone: whoever has it can enter the account.
type Invite struct {
	InviteURL string `json:"inviteUrl"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expiresAt"`

	Email      string `json:"email"`      // to whom it is mailed, if to anybody
	MailStatus string `json:"mailStatus"` // queued | sent | failed
}

// CreateInvite makes a recipient's link, good for 7 days and one account. An
// earlier one stops working.
func (c *Client) CreateInvite(ctx context.Context, recipientID string) (*Invite, error) {
	return data[Invite](ctx, c, http.MethodPost, ofRecipient(recipientID)+"/invite", nil)
}

// MailInvite is CreateInvite, and has the server mail the link.
func (c *Client) MailInvite(ctx context.Context, recipientID, email string) (*Invite, error) {
	return data[Invite](ctx, c, http.MethodPost, ofRecipient(recipientID)+"/invite", map[string]string{"email": email})
}

// GetInvite shows the link again, as long as it can be used.
func (c *Client) GetInvite(ctx context.Context, recipientID string) (*Invite, error) {
	return data[Invite](ctx, c, http.MethodGet, ofRecipient(recipientID)+"/invite", nil)
}

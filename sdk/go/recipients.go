package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

const recipientsPath = "/v1/payout/recipients"

// PostalAddress is where somebody lives or has a seat.
type PostalAddress struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postalCode,omitempty"`
	Country    string `json:"country"` // ISO 3166
}

// RecipientRequest makes a recipient.
type RecipientRequest struct {
	Name      string        `json:"name"`
	Email     string        `json:"email,omitempty"`
	OwnerType string        `json:"ownerType"` // individual | business
	Address   PostalAddress `json:"address"`
	IsSelf    bool          `json:"isSelf,omitempty"` // the bank accounts are the workspace's own
}

// RecipientUpdate changes what is not empty.
type RecipientUpdate struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// RecipientStatusRequest archives a recipient or brings it back.
type RecipientStatusRequest struct {
	Status        string `json:"status"` // active | archived
	PendingReason string `json:"pendingReason,omitempty"`
}

// Recipient is who is paid.
type Recipient struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	Email         string        `json:"email"`
	OwnerType     string        `json:"ownerType"`
	Address       PostalAddress `json:"address"`
	Status        string        `json:"status"` // active | archived
	PendingReason string        `json:"pendingReason"`
	IsSelf        bool          `json:"isSelf"`
	CreatedAt     string        `json:"createdAt"`
	UpdatedAt     string        `json:"updatedAt"`
}

// RecipientListOptions select recipients.
type RecipientListOptions struct {
	ListOptions
	Status string // active (default) | archived | all
	Search string // part of the name
}

func (o RecipientListOptions) query() url.Values {
	q := o.ListOptions.query()
	for name, value := range map[string]string{"status": o.Status, "search": o.Search} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func ofRecipient(id string) string { return recipientsPath + "/" + url.PathEscape(id) }

// CreateRecipient makes a recipient.
func (c *Client) CreateRecipient(ctx context.Context, req RecipientRequest) (*Recipient, error) {
	return data[Recipient](ctx, c, http.MethodPost, recipientsPath, req)
}

// UpdateRecipient changes name or e-mail.
func (c *Client) UpdateRecipient(ctx context.Context, id string, req RecipientUpdate) (*Recipient, error) {
	return data[Recipient](ctx, c, http.MethodPatch, ofRecipient(id), req)
}

// SetRecipientStatus archives a recipient, who is paid nothing then, or brings it back.
func (c *Client) SetRecipientStatus(ctx context.Context, id string, req RecipientStatusRequest) (*Recipient, error) {
	return data[Recipient](ctx, c, http.MethodPatch, ofRecipient(id)+"/status", req)
}

// ListRecipients reads one page of recipients, newest first.
func (c *Client) ListRecipients(ctx context.Context, o RecipientListOptions) (*Page[Recipient], error) {
	r, err := send[[]Recipient](ctx, c, request{method: http.MethodGet, path: recipientsPath, query: o.query()})
	if err != nil {
		return nil, err
	}
	return &Page[Recipient]{Items: r.Data, Meta: r.Meta}, nil
}

// EachRecipient walks the recipients of all pages.
func (c *Client) EachRecipient(ctx context.Context, o RecipientListOptions) iter.Seq2[Recipient, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Recipient], error) {
		o.ListOptions = at
		return c.ListRecipients(ctx, o)
	})
}

// data is the data of an answer that proves nothing.
func data[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	r, err := send[T](ctx, c, request{method: method, path: path, body: body})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

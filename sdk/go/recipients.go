package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/railkit/railkit/rest"
)

// RecipientsService keeps the people and companies that payouts go to.
type RecipientsService struct{ c *Client }

const recipientsPath = "/v1/payout/recipients"

// What the calls send and answer: see package rest for the fields.
type (
	RecipientStatusRequest = rest.RecipientStatusRequest
	RecipientRequest       = rest.RecipientRequest
	RecipientUpdate        = rest.RecipientChange
	Recipient              = rest.Recipient
	RecipientWithAccounts  = rest.RecipientWithAccounts
	RecipientSummary       = rest.RecipientPayments
	RecipientOrder         = rest.RecipientOrder
	PostalAddress          = rest.PostalAddressRequest
	RecipientAddress       = rest.PostalAddress // as an answer has it: the same fields
	BankAccountRequest     = rest.BankAccountRequest
	BankAccount            = rest.BankAccount
	Invite                 = rest.RecipientInvite
)

// RecipientListOptions select recipients.
type RecipientListOptions struct {
	ListOptions
	Status string // active (default) | archived | all
	Search string // part of the name
}

func (o RecipientListOptions) query() url.Values {
	return filtered(o.ListOptions.query(), map[string]string{"status": o.Status, "search": o.Search})
}

func ofRecipient(id string) string { return recipientsPath + "/" + url.PathEscape(id) }

// Create makes a recipient.
func (s *RecipientsService) Create(ctx context.Context, req RecipientRequest) (*Recipient, error) {
	return data[Recipient](ctx, s.c, http.MethodPost, recipientsPath, req)
}

// Update changes name or e-mail.
func (s *RecipientsService) Update(ctx context.Context, id string, req RecipientUpdate) (*Recipient, error) {
	return data[Recipient](ctx, s.c, http.MethodPatch, ofRecipient(id), req)
}

// SetStatus archives a recipient, who is paid nothing then, or brings it back.
func (s *RecipientsService) SetStatus(ctx context.Context, id string, req RecipientStatusRequest) (*Recipient, error) {
	return data[Recipient](ctx, s.c, http.MethodPatch, ofRecipient(id)+"/status", req)
}

// List reads one page of recipients, newest first.
func (s *RecipientsService) List(ctx context.Context, o RecipientListOptions) (*Page[Recipient], error) {
	return list[Recipient](ctx, s.c, recipientsPath, o.query(), nil)
}

// All walks the recipients of all pages.
func (s *RecipientsService) All(ctx context.Context, o RecipientListOptions) iter.Seq2[Recipient, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Recipient], error) {
		o.ListOptions = at
		return s.List(ctx, o)
	})
}

// ListWithAccounts reads one page of recipients with their bank accounts.
func (s *RecipientsService) ListWithAccounts(
	ctx context.Context, o RecipientListOptions, archivedAccounts bool,
) (*Page[RecipientWithAccounts], error) {
	q := o.query()
	if archivedAccounts {
		q.Set("include_archived", strconv.FormatBool(true))
	}
	return list[RecipientWithAccounts](ctx, s.c, recipientsPath+"/with-accounts", q, nil)
}

// ListOrders reads the newest orders of a recipient: 5 unless limit says
// another number, up to 50.
func (s *RecipientsService) ListOrders(ctx context.Context, recipientID string, limit int) ([]RecipientOrder, error) {
	q := url.Values{}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	r, err := send[[]RecipientOrder](ctx, s.c, request{
		method: http.MethodGet, path: ofRecipient(recipientID) + "/orders", query: q,
	})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// BankAccountsService keeps the bank accounts of recipients.
type BankAccountsService struct{ c *Client }

// BankAccountUpdate changes what is given.
type BankAccountUpdate struct {
	RoutingNumber     string         `json:"routing_number,omitempty"`
	CheckingOrSavings string         `json:"checking_or_savings,omitempty"`
	Address           *PostalAddress `json:"address,omitempty"`
	IsActive          *bool          `json:"is_active,omitempty"` // by itself: false archives, true restores
}

// BankAccountListOptions select bank accounts.
type BankAccountListOptions struct {
	ListOptions
	IncludeArchived bool
}

func (o BankAccountListOptions) query() url.Values {
	q := o.ListOptions.query()
	if o.IncludeArchived {
		q.Set("include_archived", strconv.FormatBool(true))
	}
	return q
}

func ofBankAccount(recipientID, id string) string {
	return ofRecipient(recipientID) + "/accounts/" + url.PathEscape(id)
}

// Create registers a bank account of a recipient with the payment partner.
func (s *BankAccountsService) Create(
	ctx context.Context, recipientID string, req BankAccountRequest,
) (*BankAccount, error) {
	return data[BankAccount](ctx, s.c, http.MethodPost, ofRecipient(recipientID)+"/accounts", req)
}

// Update changes what may change of a bank account, or archives it. A
// changed account is not paid for a while.
func (s *BankAccountsService) Update(
	ctx context.Context, recipientID, id string, req BankAccountUpdate,
) (*BankAccount, error) {
	return data[BankAccount](ctx, s.c, http.MethodPatch, ofBankAccount(recipientID, id), req)
}

// List reads one page of a recipient's bank accounts, newest first.
func (s *BankAccountsService) List(
	ctx context.Context, recipientID string, o BankAccountListOptions,
) (*Page[BankAccount], error) {
	return list[BankAccount](ctx, s.c, ofRecipient(recipientID)+"/accounts", o.query(), nil)
}

// All walks the bank accounts of all pages.
func (s *BankAccountsService) All(
	ctx context.Context, recipientID string, o BankAccountListOptions,
) iter.Seq2[BankAccount, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[BankAccount], error) {
		o.ListOptions = at
		return s.List(ctx, recipientID, o)
	})
}

// InvitesService lets a recipient give a bank account by a link.
type InvitesService struct{ c *Client }

// Create makes a recipient's link, good for 7 days and one account. An
// earlier one stops working.
func (s *InvitesService) Create(ctx context.Context, recipientID string) (*Invite, error) {
	return data[Invite](ctx, s.c, http.MethodPost, ofRecipient(recipientID)+"/invite", nil)
}

// Mail is Create, and has the server mail the link.
func (s *InvitesService) Mail(ctx context.Context, recipientID, email string) (*Invite, error) {
	return data[Invite](ctx, s.c, http.MethodPost,
		ofRecipient(recipientID)+"/invite", map[string]string{"email": email})
}

// Get shows the link again, as long as it can be used.
func (s *InvitesService) Get(ctx context.Context, recipientID string) (*Invite, error) {
	return data[Invite](ctx, s.c, http.MethodGet, ofRecipient(recipientID)+"/invite", nil)
}

package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// BankAccountRequest registers a bank account. Which numbers it needs depends on
// the currency; spaces and dashes in them do not matter.
type BankAccountRequest struct {
	Currency        string         `json:"currency,omitempty"` // usd | eur | mxn | brl | gbp
	Country         string         `json:"country,omitempty"`
	Rail            string         `json:"rail,omitempty"` // default is the currency's
	BankName        string         `json:"bankName,omitempty"`
	AccountNumber   string         `json:"accountNumber,omitempty"` // usd, gbp
	RoutingNumber   string         `json:"routingNumber,omitempty"` // usd
	AccountType     string         `json:"accountType,omitempty"`   // usd: checking | savings
	SortCode        string         `json:"sortCode,omitempty"`      // gbp
	CLABE           string         `json:"clabe,omitempty"`         // mxn
	LegalName       string         `json:"legalName,omitempty"`
	RFC             string         `json:"rfc,omitempty"`
	IBAN            string         `json:"iban,omitempty"` // eur
	BIC             string         `json:"bic,omitempty"`
	PixKey          string         `json:"pixKey,omitempty"` // brl
	BRCode          string         `json:"brCode,omitempty"` // brl, instead of PixKey
	TaxID           string         `json:"taxId,omitempty"`
	Address         *PostalAddress `json:"address,omitempty"`
	IdempotencySalt string         `json:"idempotencySalt,omitempty"`
}

// BankAccountUpdate changes what is given.
type BankAccountUpdate struct {
	RoutingNumber     string         `json:"routing_number,omitempty"`
	CheckingOrSavings string         `json:"checking_or_savings,omitempty"`
	Address           *PostalAddress `json:"address,omitempty"`
	IsActive          *bool          `json:"is_active,omitempty"` // by itself: false archives, true restores
}

// BankAccount is where a recipient is paid. Of its number only the end is shown.
type BankAccount struct {
	ID            string         `json:"id"`
	RecipientID   string         `json:"recipientId"`
	Currency      string         `json:"currency"`
	Rail          string         `json:"rail"`
	Country       string         `json:"country"`
	BankName      string         `json:"bankName"`
	LastFour      string         `json:"lastFour"`
	RoutingNumber string         `json:"routingNumber"`
	AccountType   string         `json:"accountType"`
	SortCode      string         `json:"sortCode"`
	BIC           string         `json:"bic"`
	LegalName     string         `json:"legalName"`
	Address       *PostalAddress `json:"address"`
	Status        string         `json:"status"` // pending | active | rejected | closed
	Reason        string         `json:"reason"`
	IsActive      bool           `json:"isActive"` // false: archived
	PayableAt     string         `json:"payableAt"`
	FrozenAt      string         `json:"frozenAt"` // "": it is not frozen
	CreatedAt     string         `json:"createdAt"`
	UpdatedAt     string         `json:"updatedAt"`
}

// RecipientWithAccounts is a recipient, where it is paid, and what it was paid.
type RecipientWithAccounts struct {
	Recipient
	Accounts []BankAccount    `json:"accounts"`
	Summary  RecipientSummary `json:"summary"`
}

// RecipientSummary is what left for completed payments in this year, by UTC.
type RecipientSummary struct {
	Total      string `json:"total_ytd"`
	Payments   int    `json:"payment_count_ytd"`
	LastAt     string `json:"last_paid_at"` // "" where nothing was paid yet, as below
	LastAmount string `json:"last_paid_amount"`
	Currency   string `json:"currency"` // USD, of both amounts
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

// CreateBankAccount registers a bank account of a recipient with the payment partner.
func (c *Client) CreateBankAccount(ctx context.Context, recipientID string, req BankAccountRequest) (*BankAccount, error) {
	return data[BankAccount](ctx, c, http.MethodPost, ofRecipient(recipientID)+"/accounts", req)
}

// UpdateBankAccount changes what may change of a bank account, or archives it. A
// changed account is not paid for a while.
func (c *Client) UpdateBankAccount(ctx context.Context, recipientID, id string, req BankAccountUpdate) (*BankAccount, error) {
	return data[BankAccount](ctx, c, http.MethodPatch, ofBankAccount(recipientID, id), req)
}

// ListBankAccounts reads one page of a recipient's bank accounts, newest first.
func (c *Client) ListBankAccounts(ctx context.Context, recipientID string, o BankAccountListOptions) (*Page[BankAccount], error) {
	r, err := send[[]BankAccount](ctx, c, request{method: http.MethodGet, path: ofRecipient(recipientID) + "/accounts", query: o.query()})
	if err != nil {
		return nil, err
	}
	return &Page[BankAccount]{Items: r.Data, Meta: r.Meta}, nil
}

// EachBankAccount walks the bank accounts of all pages.
func (c *Client) EachBankAccount(ctx context.Context, recipientID string, o BankAccountListOptions) iter.Seq2[BankAccount, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[BankAccount], error) {
		o.ListOptions = at
		return c.ListBankAccounts(ctx, recipientID, o)
	})
}

// ListRecipientsWithAccounts reads one page of recipients with their bank accounts.
func (c *Client) ListRecipientsWithAccounts(ctx context.Context, o RecipientListOptions, archivedAccounts bool) (*Page[RecipientWithAccounts], error) {
	q := o.query()
	if archivedAccounts {
		q.Set("include_archived", strconv.FormatBool(true))
	}
	r, err := send[[]RecipientWithAccounts](ctx, c, request{method: http.MethodGet, path: recipientsPath + "/with-accounts", query: q})
	if err != nil {
		return nil, err
	}
	return &Page[RecipientWithAccounts]{Items: r.Data, Meta: r.Meta}, nil
}

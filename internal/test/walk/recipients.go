package walk

import (
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const recipientsPath = "/v1/payout/recipients"

func createRecipient(w *World) Request {
	return w.post(recipientsPath, railkit.RecipientRequest{
		Name: w.name("Ana"), Email: w.email(), OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
}

func (w *World) recipient() string {
	w.T.Helper()
	var r railkit.Recipient
	w.must(createRecipient(w), &r)
	return recipientsPath + "/" + r.ID
}

func updateRecipient(w *World) Request {
	return w.by("PATCH", w.recipient(), railkit.RecipientUpdate{Name: new(w.name("Ana"))})
}

func setRecipientStatus(w *World) Request {
	return w.by("PATCH", w.recipient()+"/status", railkit.RecipientStatusRequest{Status: "archived"})
}

func createBankAccount(w *World) Request {
	return w.post(w.recipient()+"/accounts", railkit.BankAccountRequest{
		RoutingNumber: "111000025", AccountNumber: "1234567890", AccountType: "checking",
		Address: &railkit.PostalAddress{Street: "S 1", City: "Austin", State: "TX", PostalCode: "78701", Country: "US"},
	})
}

// bankAccount is the path of one that is registered.
func (w *World) bankAccount() string {
	w.T.Helper()
	r := createBankAccount(w)
	var a railkit.BankAccount
	w.must(r, &a)
	return r.Path + "/" + a.ID
}

func updateBankAccount(w *World) Request {
	return w.by("PATCH", w.bankAccount(), railkit.BankAccountUpdate{RoutingNumber: "011000015"})
}

func confirmBankAccount(w *World) Request {
	w.T.Helper()
	r := createBankAccount(w)
	var a railkit.BankAccount
	w.must(r, &a)
	return w.as(w.member(), "POST", r.Path+"/"+a.ID+"/confirm", `{"updatedAt":"`+a.UpdatedAt+`"}`)
}

func submitInvite(w *World) Request {
	w.T.Helper()
	var link railkit.Invite
	w.must(w.post(w.recipient()+"/invite", nil), &link)
	return Request{
		Method: "POST",
		Path:   "/v1/payout/invites/submit",
		Body:   `{"token":"` + link.Token + `","account":{"clabe":"032180000118359719"}}`,
	}
}

// freezeBankAccount is by the link of a mail, which the database is told of: mails
// are five minutes apart, and the walk's clock stands still.
func freezeBankAccount(w *World) Request {
	w.T.Helper()
	path := w.bankAccount()
	account := path[strings.LastIndex(path, "/")+1:]
	token, mail, reader := auth.Secret(), uuid.NewString(), w.member().MemberID
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"UPDATE account_alerts SET mail_id = $1 WHERE account_id = $2", []any{mail, account}},
		{`INSERT INTO account_alert_mails (workspace_id, token_hash, mail_id, member_id, email, sealed, status, claimed_at, created_at, expires_at)
			VALUES ($1, $2, $3, $4, 'ada@example.com', '', 'sent', 0, 0, 9000000000000000)`,
			[]any{w.WorkspaceID, auth.Hash(token), mail, reader}},
		{"INSERT INTO account_alert_directory (token_hash, workspace_id, expires_at) VALUES ($1, $2, 9000000000000000)",
			[]any{auth.Hash(token), w.WorkspaceID}},
	} {
		w.App.Edit(statement.text, statement.args...)
	}
	return Request{
		Method: "POST",
		Path:   "/v1/payout/alerts/freeze",
		Body:   `{"token":"` + token + `","accountId":"` + account + `"}`,
	}
}

func unfreezeBankAccount(w *World) Request {
	w.T.Helper()
	r := createBankAccount(w)
	var a railkit.BankAccount
	w.must(r, &a)
	w.App.Edit("UPDATE bank_accounts SET frozen_at = 1 WHERE id = $1", a.ID)
	return w.as(w.member(), "POST", r.Path+"/"+a.ID+"/unfreeze", `{"updatedAt":"`+a.UpdatedAt+`"}`)
}

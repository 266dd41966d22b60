package walk

import railkit "github.com/railkit/railkit/sdk/go"

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
	return w.by("PATCH", w.recipient(), railkit.RecipientUpdate{Name: w.name("Ana")})
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
	return Request{Method: "POST", Path: "/v1/payout/invites/submit", Body: `{"token":"` + link.Token + `","account":{"clabe":"032180000118359719"}}`}
}

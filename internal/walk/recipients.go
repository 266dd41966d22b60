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

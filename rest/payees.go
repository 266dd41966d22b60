package rest

// PayeeBankAccount is the bank account behind a withdrawal address, as its owner stamped it.
type PayeeBankAccount struct {
	Owner    string `json:"owner" minLength:"1" maxLength:"100"`
	Bank     string `json:"bank" minLength:"1" maxLength:"100"`
	LastFour string `json:"lastFour" pattern:"^[!-~]{1,4}$" patternDescription:"the end of the account number, IBAN or Pix key, at most 4 characters"`
	Currency string `json:"currency" pattern:"^[A-Za-z]{3}$" patternDescription:"a currency of ISO 4217, such as MXN"`
}

// Resemblance is an address that another one begins and ends like.
type Resemblance struct {
	Name    string `json:"name,omitempty" doc:"Of the payee or own wallet; absent where the wallet has only paid the address before"`
	Address string `json:"address"`
}

// NamedPayee is whom an address beside it belongs to, by a book of payees.
type NamedPayee struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

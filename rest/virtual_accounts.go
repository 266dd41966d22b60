package rest

// VirtualAccountRequest asks for the account number that pays a bank account.
type VirtualAccountRequest struct {
	BeneficiaryID        string `json:"beneficiaryId" minLength:"1" maxLength:"64"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
}

// VirtualAccount is where to send MXN that become stablecoins.
type VirtualAccount struct {
	ID            string `json:"id" format:"uuid"`
	CLABE         string `json:"clabe" doc:"18 digits: where to send MXN by SPEI"`
	Currency      string `json:"currency" enum:"MXN"`
	BeneficiaryID string `json:"beneficiaryId"`
}

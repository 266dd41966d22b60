package account

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
)

// Input is a bank account to be. Which numbers it has depends on the
// currency; spaces and dashes in them do not matter.
type Input struct {
	Currency        string                        `json:"currency,omitempty" maxLength:"3" doc:"usd, eur, mxn, brl or gbp; may be left out where the numbers tell it"`
	Country         string                        `json:"country,omitempty" maxLength:"3" doc:"ISO 3166; default is where accounts of the currency are, or what the IBAN says"`
	Rail            fiat.Rail                     `json:"rail,omitempty" enum:"ach,wire,spei,sepa,faster_payments,pix" doc:"Default is the currency's: ach, spei, sepa, faster_payments or pix"`
	BankName        string                        `json:"bankName,omitempty" maxLength:"200"`
	AccountNumber   string                        `json:"accountNumber,omitempty" maxLength:"64" doc:"usd, gbp"`
	RoutingNumber   string                        `json:"routingNumber,omitempty" maxLength:"64" doc:"usd"`
	AccountType     string                        `json:"accountType,omitempty" maxLength:"64" doc:"usd: checking or savings"`
	SortCode        string                        `json:"sortCode,omitempty" maxLength:"64" doc:"gbp"`
	CLABE           string                        `json:"clabe,omitempty" maxLength:"64" doc:"mxn"`
	LegalName       string                        `json:"legalName,omitempty" maxLength:"200" doc:"mxn: as the bank has it; default is the recipient's name"`
	RFC             string                        `json:"rfc,omitempty" maxLength:"64" doc:"mxn"`
	IBAN            string                        `json:"iban,omitempty" maxLength:"64" doc:"eur"`
	BIC             string                        `json:"bic,omitempty" maxLength:"64" doc:"eur"`
	PixKey          string                        `json:"pixKey,omitempty" maxLength:"100" doc:"brl: CPF, CNPJ, +55 and a phone, e-mail address or random key"`
	BRCode          string                        `json:"brCode,omitempty" maxLength:"512" doc:"brl: the text of a Pix QR code, or a key, instead of pixKey"`
	TaxID           string                        `json:"taxId,omitempty" maxLength:"64" doc:"brl: CPF or CNPJ of the holder"`
	Address         *recipient.PostalAddressInput `json:"address,omitempty" doc:"Of the holder, as the bank has it; default is the recipient's"`
	IdempotencySalt string                        `json:"idempotencySalt,omitempty" maxLength:"100" doc:"A UUID for each attempt: the same number with the same salt answers with the account that was made"`
}

func (in Input) details() fiat.Details {
	return fiat.Details{
		AccountNumber: in.AccountNumber, RoutingNumber: in.RoutingNumber, CheckingOrSavings: in.AccountType,
		SortCode: in.SortCode,
		CLABE:    in.CLABE, LegalName: in.LegalName, RFC: in.RFC, IBAN: in.IBAN, BIC: in.BIC, PixKey: in.PixKey,
		BRCode: in.BRCode, TaxID: in.TaxID,
	}
}

// currency is what is said or, as the spec's own examples leave it out, what only
// one currency's accounts have.
func (in Input) currency() (money.Currency, error) {
	switch {
	case in.Currency != "":
		return money.Currency(strings.ToLower(in.Currency)), nil
	case in.CLABE != "":
		return money.MXN, nil
	case in.IBAN != "":
		return money.EUR, nil
	case in.SortCode != "":
		return money.GBP, nil
	case in.PixKey+in.BRCode != "":
		return money.BRL, nil
	case in.RoutingNumber != "":
		return money.USD, nil
	}
	return "", fault.Field("currency", "is required")
}

// FromInput is the account as it is asked for, checked.
func (s *Service) FromInput(r recipient.Recipient, in Input) (Account, error) {
	c, err := in.currency()
	if err != nil {
		return Account{}, err
	}
	d, err := bank.Check(c, in.details())
	if err != nil {
		return Account{}, err
	}
	now := s.clock.Now()
	a := Account{
		WorkspaceID: r.WorkspaceID, ID: record.NewID(), RecipientID: r.ID, Currency: c, Rail: in.Rail,
		BankName: strings.TrimSpace(in.BankName),
		Country:  bank.HomeOf(c, d), Address: r.Address, Registration: Provisioning, Active: true,
		KeyedAt: now, TriedAt: now, PayableAt: now.Add(s.cooling), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if a.Rail == "" {
		a.Rail = bank.DefaultRail(c)
	}
	if !bank.Carries(a.Rail, c) {
		return Account{}, fault.Field("rail", "does not move the currency "+string(c))
	}
	if in.Country != "" {
		if a.Country, err = bank.Country("country", in.Country); err != nil {
			return Account{}, err
		}
	}
	if in.Address != nil {
		if a.Address, err = in.Address.Address(); err != nil {
			return Account{}, err
		}
	}
	a.PartnerKey = partnerKey(a.ID, in.IdempotencySalt)
	a.Fingerprint = s.vault.Fingerprint(a.WorkspaceID, "bank_accounts", string(c)+"/"+bank.Number(d))
	return a, s.sealer.seal(&a, d)
}

// sealer keeps the numbers of accounts from whoever reads the database.
type sealer struct{ vault *vault.Vault }

// seal puts details into an account, and what may be shown of them.
func (s sealer) seal(a *Account, d fiat.Details) error {
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encoding bank details: %w", err)
	}
	a.Sealed = s.vault.Seal(placeOf(*a, "sealed"), raw)
	a.Shown = Shown{
		LastFour: bank.LastFour(d), RoutingNumber: d.RoutingNumber, AccountType: d.CheckingOrSavings,
		SortCode: d.SortCode,
		BIC:      d.BIC, LegalName: d.LegalName,
	}
	return nil
}

// unseal reads an account's details.
func (s sealer) unseal(a Account) (d fiat.Details, err error) {
	err = s.unsealTo(a, "sealed", a.Sealed, &d)
	return d, err
}

func (s sealer) unsealTo(a Account, field, sealed string, v any) error {
	raw, err := s.vault.Open(placeOf(a, field), sealed)
	if err != nil {
		return fmt.Errorf("opening the %s of bank account %s: %w", field, a.ID, err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decoding the %s of bank account %s", field, a.ID) // the cause may tell what is in it
	}
	return nil
}

func placeOf(a Account, field string) vault.Place {
	return vault.Place{WorkspaceID: a.WorkspaceID, Kind: "bank_accounts", ID: a.ID, Field: field}
}

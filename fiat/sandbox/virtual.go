package sandbox

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/money"
)

// virtual is a virtual account: what arrives at its number becomes coins at its destination.
type virtual struct {
	ID           string       `json:"id"`
	Customer     string       `json:"customer_id"`
	Status       string       `json:"status"`
	FeePercent   string       `json:"developer_fee_percent"`
	Instructions instructions `json:"source_deposit_instructions"`
	Destination  struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Address  string         `json:"address"`
	} `json:"destination"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// The statuses of a virtual account.
const (
	activated   = "activated"
	deactivated = "deactivated"
)

// createVirtual gives out the number of an account at the partner's bank.
func createVirtual(t *tx, r request) (any, error) {
	c, err := activeCustomer(&t.view, r.PathValue("customer"))
	if err != nil {
		return nil, err
	}
	var asked struct {
		Source struct {
			Currency money.Currency `json:"currency"`
		} `json:"source"`
	}
	a := virtual{FeePercent: "0.0"}
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	if err := r.into(&a); err != nil {
		return nil, err
	}
	if err := t.checkVirtual(a); err != nil {
		return nil, err
	}
	n, err := t.next("accounts")
	if err != nil {
		return nil, err
	}
	a.ID, a.Customer, a.Status, a.CreatedAt = uuid.NewString(), c.ID, activated, t.stamp()
	a.Instructions = instructions{
		Currency: asked.Source.Currency, BankName: "Railkit Sandbox Bank", BankAddress: "1 Sandbox Street",
		Beneficiary: strings.TrimSpace(c.LegalName + c.FirstName + " " + c.LastName),
	}
	if !a.Instructions.number(n) {
		return nil, invalid("source.currency", "is usd, mxn, eur, brl or gbp")
	}
	return a, t.saveVirtual(&a)
}

func (t *tx) saveVirtual(a *virtual) error {
	a.UpdatedAt = t.stamp()
	return t.put(row{kind: virtualKind, id: a.ID, owner: a.Customer, ref: a.Instructions.reference()}, a)
}

func (t *tx) checkVirtual(a virtual) error {
	on, ok := t.s.chain(a.Destination.Rail)
	if !ok {
		return invalid("destination.payment_rail", "is not a chain that the partner is on")
	}
	token, listed := on.Network().TokenBySymbol(string(a.Destination.Currency))
	if !listed || !a.Destination.Currency.Stable() {
		return invalid("destination.currency", "is not one that the partner has on this chain")
	}
	if _, err := on.Payee(token, a.Destination.Address); err != nil {
		return invalid("destination.address", "is not an address of the chain")
	}
	if _, err := a.feePoints(); err != nil {
		return invalid("developer_fee_percent", "is a percentage from 0 to 50 with two places at most")
	}
	return nil
}

// mostFee is the most that a developer may take, in basis points.
const mostFee = 5000

// feePoints is the developer's fee in basis points. A percentage has as many places as a dollar. Accounts that were
// made before there were fees have none.
func (a *virtual) feePoints() (int64, error) {
	if a.FeePercent == "" {
		return 0, nil
	}
	percent, err := money.Parse(a.FeePercent, money.USD)
	if err == nil && (percent.Minor < 0 || percent.Minor > mostFee) {
		err = errJSON
	}
	return percent.Minor, err
}

// virtualOf is a customer's virtual account.
func virtualOf(v *view, customer, id string) (virtual, error) {
	var a virtual
	found, err := find(v, &a, "kind = ? AND id = ? AND owner = ?", virtualKind, id, customer)
	if err == nil && !found {
		err = errNotFound
	}
	return a, err
}

func getVirtual(v *view, r request) (any, error) {
	return virtualOf(v, r.PathValue("customer"), r.PathValue("virtual"))
}

func listVirtuals(v *view, r request) (any, error) {
	return list[virtual](v, r, virtualKind, "owner = ?", r.PathValue("customer"))
}

func deactivateVirtual(t *tx, r request) (any, error) {
	return switchVirtual(t, r, deactivated, "deactivation")
}
func reactivateVirtual(t *tx, r request) (any, error) {
	return switchVirtual(t, r, activated, "reactivation")
}

// switchVirtual switches an account off, or on again. What came in before goes on as it was.
func switchVirtual(t *tx, r request, status, what string) (any, error) {
	a, err := virtualOf(&t.view, r.PathValue("customer"), r.PathValue("virtual"))
	if err != nil || a.Status == status {
		return a, err
	}
	a.Status = status
	if err := t.saveVirtual(&a); err != nil {
		return nil, err
	}
	return a, t.happened(activity{Customer: a.Customer, Account: a.ID, Type: what})
}

// activity is an event of a virtual account, as lists and notices show it.
type activity struct {
	ID           string         `json:"id"`
	Customer     string         `json:"customer_id"`
	Account      string         `json:"virtual_account_id"`
	Deposit      string         `json:"deposit_id,omitempty"`
	Type         string         `json:"type"`
	Amount       string         `json:"amount,omitempty"`
	Currency     money.Currency `json:"currency,omitempty"`
	DeveloperFee string         `json:"developer_fee_amount,omitempty"`
	ExchangeFee  string         `json:"exchange_fee_amount,omitempty"`
	Subtotal     string         `json:"subtotal_amount,omitempty"`
	Gas          string         `json:"gas_fee,omitempty"`
	Hash         string         `json:"destination_tx_hash,omitempty"`
	Source       *origin        `json:"source,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	CreatedAt    time.Time      `json:"created_at"`
}

// origin is what the partner tells of a depositor's transfer. Which reference there is depends on the rail.
type origin struct {
	Rail        string `json:"payment_rail"`
	SenderName  string `json:"sender_name,omitempty"`
	TrackingKey string `json:"tracking_number,omitempty"` // SPEI
	TraceNumber string `json:"trace_number,omitempty"`    // ACH, Faster Payments
	IMAD        string `json:"imad,omitempty"`            // wire
	UETR        string `json:"uetr,omitempty"`            // SEPA
	EndToEnd    string `json:"end_to_end_id,omitempty"`   // PIX
}

// happened writes an event down, and its notice with it.
func (t *tx) happened(a activity) error {
	a.ID, a.CreatedAt = uuid.NewString(), t.stamp()
	if err := t.put(row{kind: activityKind, id: a.ID, owner: a.Customer, ref: a.Account}, a); err != nil {
		return err
	}
	return t.emit("virtual_account.activity", created, a.ID, "", a)
}

func listActivities(v *view, r request) (any, error) {
	if _, err := getVirtual(v, r); err != nil {
		return nil, err
	}
	return list[activity](v, r, activityKind, "owner = ? AND ref = ?", r.PathValue("customer"), r.PathValue("virtual"))
}

// instructions tell depositors where to send money.
type instructions struct {
	Currency    money.Currency `json:"currency"`
	Rails       []string       `json:"payment_rails"`
	BankName    string         `json:"bank_name"`
	BankAddress string         `json:"bank_address"`
	Beneficiary string         `json:"bank_beneficiary_name"`
	CLABE       string         `json:"clabe,omitempty"`
	IBAN        string         `json:"iban,omitempty"`
	BIC         string         `json:"bic,omitempty"`
	BankAccount string         `json:"bank_account_number,omitempty"`
	BankRouting string         `json:"bank_routing_number,omitempty"`
	Account     string         `json:"account_number,omitempty"`
	SortCode    string         `json:"sort_code,omitempty"`
	BRCode      string         `json:"br_code,omitempty"`
}

// number makes the n-th account number of a currency, with right check digits.
func (i *instructions) number(n uint32) bool {
	switch i.Currency {
	case money.USD:
		i.Rails, i.BankAccount, i.BankRouting = []string{"ach_push", "wire"}, fmt.Sprintf("9%011d", n), "021000021"
	case money.MXN:
		number := fmt.Sprintf("646180%011d", n)
		i.Rails, i.CLABE = []string{"spei"}, number+string(checkDigitCLABE(number))
	case money.EUR:
		i.Rails, i.IBAN, i.BIC = []string{"sepa"}, germanIBAN(n), "RKITDEFFXXX"
	case money.BRL:
		i.Rails, i.BRCode = []string{"pix"}, brCode(uuid.NewString(), i.Beneficiary)
	case money.GBP:
		i.Rails, i.Account, i.SortCode = []string{"faster_payments"}, fmt.Sprintf("%08d", n%100_000_000), "040004"
	default:
		return false
	}
	return true
}

// reference is the number that a deposit names: the one by which the account is found.
func (i *instructions) reference() string {
	return i.CLABE + i.IBAN + i.BankAccount + i.Account + i.BRCode
}

// germanIBAN computes the check digits: with 00 in their place the number's rest
// modulo 97, and DE being 1314.
func germanIBAN(n uint32) string {
	bban := fmt.Sprintf("10010010%010d", n)
	whole, _ := new(big.Int).SetString(bban+"131400", 10)
	return fmt.Sprintf("DE%02d%s", 98-new(big.Int).Mod(whole, big.NewInt(97)).Int64(), bban)
}

// brCode is the text of a static Pix QR code, as the Banco Central's manual and EMV's lay it out: fields of a number, a
// length and a value, the last of which is a checksum of all before it.
func brCode(key, name string) string {
	text := field("00", "01") + field("26", field("00", "br.gov.bcb.pix")+field("01", key)) + field("52", "0000") +
		field("53", "986") + field("58", "BR") + field("59", merchant(name)) + field("60", "SAO PAULO") +
		field("62", field("05", "***")) + "6304"
	return text + fmt.Sprintf("%04X", crc16(text))
}

func field(number, value string) string { return fmt.Sprintf("%s%02d%s", number, len(value), value) }

// mostMerchant is how long a name in a QR code may be.
const mostMerchant = 25

// merchant is a name in the letters that every QR code reader takes.
func merchant(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, name)
	if name = strings.TrimSpace(name[:min(len(name), mostMerchant)]); name == "" {
		return "CUSTOMER"
	}
	return name
}

// crc16 is CRC-16/CCITT-FALSE.
func crc16(text string) uint16 {
	crc := uint16(0xFFFF)
	for _, b := range []byte(text) {
		crc ^= uint16(b) << 8
		for range 8 {
			high := crc&0x8000 != 0
			crc <<= 1
			if high {
				crc ^= 0x1021
			}
		}
	}
	return crc
}

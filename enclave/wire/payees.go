package wire

import "github.com/railkit/railkit/chain"

// The activities about the book of payees. Each takes a stamp, or votes where approvals are on.
const (
	AddPayee    ActivityType = "ACTIVITY_TYPE_ADD_PAYEE"
	RemovePayee ActivityType = "ACTIVITY_TYPE_REMOVE_PAYEE"
)

// PayeeKind is what an address stands for.
type PayeeKind string

// The kinds.
const (
	WalletPayee      PayeeKind = "wallet"       // a person's or a firm's
	BankAccountPayee PayeeKind = "bank_account" // a withdrawal address: what arrives is paid out to the bank account
	ContractPayee    PayeeKind = "contract"
)

// AddPayeeParams binds an address to a name. Names of one sub-organization cannot be confused with one another
// (Unicode TR 39), and an address has one name on each network.
type AddPayeeParams struct {
	Name        string            `json:"name"`
	Chain       string            `json:"chain"`   // slug
	Address     string            `json:"address"` // as the network writes it: EIP-55
	Kind        PayeeKind         `json:"kind"`
	BankAccount *PayeeBankAccount `json:"bankAccount,omitempty"` // of kind bank_account
}

// PayeeBankAccount is the bank account behind a withdrawal address. The signer cannot check it: it remembers what its
// owner stamped.
type PayeeBankAccount struct {
	Owner    string `json:"owner"`
	Bank     string `json:"bank"`
	LastFour string `json:"lastFour"` // of the account number, IBAN or Pix key: one to four ASCII characters
	Currency string `json:"currency"` // ISO 4217
}

// RemovePayeeParams takes a payee out of the book. What waits for votes to pay it is void then.
type RemovePayeeParams struct {
	PayeeID string `json:"payeeId"`
}

// Payee is an address that a passkey, or votes, bound to a name.
type Payee struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Chain       string            `json:"chain"`
	Address     string            `json:"address"`
	Kind        PayeeKind         `json:"kind"`
	BankAccount *PayeeBankAccount `json:"bankAccount,omitempty"`
	AddedAt     string            `json:"addedAt"`             // enclave's clock; cooling counts from here
	RemovedAt   string            `json:"removedAt,omitempty"` // absent: it is in the book
}

// Counterparty is an address that a signing pays, allows to take something, or calls, as the book of payees has it.
// Without Payee it is not in the book.
type Counterparty struct {
	Address string `json:"address"`
	Payee   *Payee `json:"payee,omitempty"`
	// OwnWallet is the name of the sub-organization's own wallet with this address.
	OwnWallet string `json:"ownWallet,omitempty"`
	// Elsewhere are payees with this address on other networks. A withdrawal address may lose what it gets there.
	Elsewhere []Payee `json:"elsewhere,omitempty"`
	// Was is the payee with this address that was removed last.
	Was *Payee `json:"was,omitempty"`
	// LooksLike are payees, also removed ones, and own wallets whose addresses begin and end like this one and are
	// others: somebody may have made the address to be mistaken for theirs (address poisoning).
	LooksLike []Resemblance `json:"looksLike,omitempty"`
	// Known says what the address is where the signing makes a plain transfer to it that it cannot give back: a
	// contract, an address of nobody, the sender.
	Known *chain.Known `json:"known,omitempty"`
}

// Resemblance is an address that another one can be mistaken for.
type Resemblance struct {
	Name    string `json:"name"` // of the payee or own wallet
	Address string `json:"address"`
}

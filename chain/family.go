package chain

import (
	"fmt"
	"math/big"
	"time"
)

// Family is what the networks of one Kind share: how an address is written, what the bytes of a transaction do, and
// what a key signs for it. The signer, the kits, the store and the SDK know a kind of network by this interface only.
// A family is pure: bytes in, bytes out, without a clock, a node or a key.
type Family interface {
	Kind() Kind
	Accounts
	Transactions
	Messages
}

// Accounts is how a family derives and writes addresses.
type Accounts interface {
	// Form says how an account's key is derived, in the words of an activity.
	Form() AccountForm
	// ParseAddress reads an address as somebody typed it, and gives its canonical spelling. A typing error that the
	// family can find (a checksum, a length) is an error.
	ParseAddress(text string) (canonical string, err error)
	// Lookup is the spelling under which the store finds an address whatever its case was. Text that is no address of
	// the family comes back as it is.
	Lookup(text string) string
	// AddressOf is the address of a public key in the form in which the keystore gives it.
	AddressOf(publicKey []byte) (string, error)
	// CheckPayee refuses a canonical address that nobody can have the key of, and says what it "is": "is the zero
	// address".
	CheckPayee(address string) error
	// WarnPayee is what people should know of a canonical address before they pay it; "": nothing.
	WarnPayee(address string) string
	// CheckNetwork refuses a network whose chain id, cluster or coin cannot be one of the family.
	CheckNetwork(Network) error
	// CheckToken refuses an address that is not canonical or is known to be of no token.
	CheckToken(address string) error
	// CheckSelector refuses text that cannot name a function of a contract in a policy.
	CheckSelector(text string) error
}

// AccountForm is how an account of a family is derived, how its address is written, and how its coins are counted.
type AccountForm struct {
	Curve         string // CURVE_SECP256K1: the key signs digests of 32 bytes; CURVE_ED25519: it signs messages
	PathFormat    string // PATH_FORMAT_BIP32
	AddressFormat string // ADDRESS_FORMAT_ETHEREUM; no two families have one
	Path          string // of account %d: "m/44'/60'/%d'/0/0"
	Typed         string // how people write an address: "0x and 40 hex digits; mixed case must be EIP-55"
	Canonical     string // the one spelling of signed rules: "the mixed case of EIP-55"
	CoinDecimals  int    // of the coin of each of its networks, listed or not
	HighFee       string // in the smallest unit: the most that a transaction costs unless who asked agreed to more
	// Nonces says that the transactions of an account are numbered, and a network takes one of each number. Elsewhere a
	// transaction names a recent block, and the network takes the very same bytes once.
	Nonces bool
	// Lifetime is how long after it is signed a network takes a transaction that says so itself (Recent.Expires). Zero:
	// it says nothing of time, and what it names decides when it ends.
	Lifetime time.Duration
}

// PathOf is the default derivation path of the i-th account.
func (f AccountForm) PathOf(i int) string { return fmt.Sprintf(f.Path, i) }

// Transactions is how a family writes, reads and signs transactions.
type Transactions interface {
	// TransactionType names the family's transactions in an activity over exact bytes.
	TransactionType() string
	// Encodings is what people call the encodings that are read: "legacy, EIP-2930 or EIP-1559".
	Encodings() string
	// MaxGas is above what any block takes: a larger limit is a mistake.
	MaxGas() uint64
	// Transfer is the call that moves an amount, in the smallest unit, of a token or, where the token has no address,
	// of the network's coin.
	Transfer(t Token, to string, amount *big.Int) (Call, error)
	// Effects tells what a call does when from signs it. What the bytes leave open is an UnknownCall.
	Effects(n Network, from string, c Call) []Effect
	// CheckIntent refuses what no terms make a transaction of.
	CheckIntent(n Network, i Intent) error
	// Assemble makes the transaction of an intent under terms.
	Assemble(n Network, i Intent, t Terms) (Tx, error)
	// Sponsored makes the transaction by which an account pays in a token while another account, the sponsor, pays
	// the fee. Both have to sign it. To of its Call is who is paid: the bytes name his token account only, and Effects
	// holds one against the other. A family whose transactions have one signer refuses.
	Sponsored(n Network, t SponsoredTransfer) (Tx, error)
	// MaxDataBytes is for how many bytes a network with DataFee can charge at most, whatever terms an intent is
	// assembled under, as long as the whole fee is no more than maxFee.
	MaxDataBytes(n Network, i Intent, maxFee *big.Int) int
	// DecodeUnsigned reads the one encoding of a transaction that is to be signed.
	DecodeUnsigned(raw []byte) (Tx, error)
	// DecodeSigned reads a transaction with the signature of an account, which undoes Attach, or, where from is "", as
	// it is broadcast. Whose signature it is Verify tells.
	DecodeSigned(raw []byte, from string) (tx Tx, signature []byte, err error)
	// Attach puts the signature of an account into a transaction. Of one that nobody else has to sign these are the
	// bytes to be broadcast.
	Attach(tx Tx, from string, signature []byte) (signed []byte, err error)
	// Verify refuses a signature over a payload that is not by the key of an address. Signatures on secp256k1 are r, s
	// and the parity 0 or 1 in 65 bytes, those on ed25519 have 64 bytes.
	Verify(address string, payload, signature []byte) error
	// ID is how the network names the transaction of these signed bytes; "" of bytes that it names by a signature
	// which is not there.
	ID(signed []byte) string
	// CheckID refuses text that no transaction of the family can be named by.
	CheckID(id string) error
}

// Messages is how a family has people sign what is no transaction.
type Messages interface {
	// ReadMessage reads the payload of a kind of message (such as EIP712) and tells what its signature allows. It
	// refuses a message for a network that is not in the list with an UnlistedError.
	ReadMessage(all []Network, from, kind, payload string) (Message, error)
	// SignedTransfer writes the typed data (MessageTypedData) by which an account lets whoever hands it in move tokens.
	SignedTransfer(n Network, t SignedTransfer) (payload string, err error)
	// IsTransaction reports whether a signature over a payload could be one of a transaction.
	IsTransaction(payload []byte) bool
	// EncodeSignature writes the signature of a message as wallets of the family do.
	EncodeSignature(signature []byte) string
	// Void says how a consent that was signed is made worthless: in words, and with the calls that do it where the
	// owner can send some. VoidUnread is the way where nobody can read the consent.
	Void(c Consent) (how string, calls []Call)
}

// The kinds of a message, as activities name them. The prefix of EIP-191 is put on by the family and never by the
// caller, so that no message is also a transaction.
const (
	MessageText      = "EIP191_TEXT" // payload is the text, UTF-8
	MessageHex       = "EIP191_HEX"  // payload is 0x hex of the bytes
	MessageTypedData = "EIP712"      // payload is the JSON of eth_signTypedData_v4
	MessageRawDigest = "RAW_DIGEST"  // payload is 0x hex of 32 bytes; denied unless a policy allows it
)

// How a token is moved by a signature of its owner's.
const (
	EIP3009   = "eip3009"   // the token takes the signature itself
	Permit2   = "permit2"   // Permit2 takes it; the owner has approved it for the token before
	Sponsored = "sponsored" // the chain takes it, as one of the two signatures of a transaction
)

// SignedTransfer is a transfer that its owner signs and somebody else hands in, once, and until it ends.
type SignedTransfer struct {
	Method      string // EIP3009 or Permit2
	From, To    string // canonical
	Token       Token
	Amount      *big.Int
	Nonce       [32]byte
	Ends        int64  // second since 1970
	Facilitator string // with Permit2: it alone may hand it in, and move less than Amount; "": anybody, and all of it
}

// SponsoredTransfer is a transfer that its owner signs, and whose fee somebody else pays.
type SponsoredTransfer struct {
	From, To  string // canonical; To is the owner who is paid
	Token     Token
	Amount    *big.Int
	Sponsor   string // canonical: pays the fee, and is in no other part of the transaction
	Memo      string // two transfers alike within one block differ by it
	Blockhash string // of a recent block: no later one than some 150 blocks after it takes the transaction
}

// VoidUnread is how a signature is made worthless that allows nobody knows what.
const VoidUnread = "It cannot be told what it allows; take the allowances of the wallet back, or move its tokens away"

// Call is what a transaction asks for.
type Call struct {
	To    string // "" creates a contract
	Value *big.Int
	// Of exact bytes on Solana the whole message; To is "" then, or the owner who is said to be paid.
	Data []byte
	// Rent is the most, in the coin's smallest unit, that the sender pays for an account of To's where it is missing.
	// On Solana it may be for a token; elsewhere there is none.
	Rent uint64
}

// Intent is a transaction as its owner means it, before anybody chose its terms.
type Intent struct {
	From string
	Call
	Gas uint64 // the most units of execution that it may use
}

// Terms are what the host adds to an intent when it is executed.
type Terms struct {
	Nonce  uint64
	Fee    Fee
	Recent *Recent // in place of the two where a family has no nonces
}

// Recent ties a transaction to a recent block, and says how it is executed there.
type Recent struct {
	Blockhash   string // as much of it as the bytes name
	Version     string // of the transaction's form: "v1"
	Units       uint64 // of execution, at most Intent.Gas
	LoadedBytes uint64 // of all accounts that it names
	Priority    uint64 // of the coin's smallest unit, for who makes the block
	Rent        uint64 // what the account that Call.Rent is for costs now; 0: it is there
	// Expires is the millisecond since 1970 from which on no block takes it, where AccountForm.Lifetime is not zero.
	// The signer sets it by its own clock: a host that chose it could keep what is signed for a day, and send it after
	// its owner has paid again.
	Expires int64
}

// Fee is the price of one unit of gas. Max includes Priority, which goes to who makes the block; a transaction that
// names no Priority (nil) lets him have all of Max.
type Fee struct{ Max, Priority *big.Int }

// AtLeast is the larger of two fees, part by part.
func (f Fee) AtLeast(g Fee) Fee { return Fee{larger(f.Max, g.Max), larger(f.Tip(), g.Tip())} }

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// Tip is the most that can go to who makes the block.
func (f Fee) Tip() *big.Int {
	if f.Priority == nil {
		return f.Max
	}
	return f.Priority
}

// Tx is a transaction that is not signed, as a family reads it.
type Tx struct {
	Call
	Terms
	NetworkID string // Network.ID of the network that it names; "" where transactions name none
	Gas       uint64
	MaxFee    *big.Int // for all of its gas
	Plain     bool     // Assemble makes such ones: nothing is in it that an Intent does not say
	Unsigned  []byte   // its one encoding
	Payload   []byte   // what the key signs
	DataBytes int      // for how many bytes a network with DataFee charges at most

	// Where several keys can sign a transaction: all who do, who pays its fee first. Else none: its sender alone does.
	Signers []string
	// Durable is the account that keeps the transaction good at any later time until it advances; "": there is none.
	Durable string
	// FeeOnly says that who pays the fee does nothing else: he is in no other part of the transaction, and at most one
	// other signs it. Whatever it does is that one's doing.
	FeeOnly bool
}

// FeeOf is the most that a signer of a transaction pays as its fee: nothing where another one pays it.
func (t Tx) FeeOf(from string) *big.Int {
	if len(t.Signers) > 0 && t.Signers[0] != from {
		return new(big.Int)
	}
	return t.MaxFee
}

// MaxCost is the most that leaves the sender: the value and the fee.
func (t Tx) MaxCost() *big.Int { return new(big.Int).Add(t.MaxFee, t.Value) }

// DataFee is the most that a network takes for the bytes, where each costs perByte at most.
func (t Tx) DataFee(perByte *big.Int) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(t.DataBytes)), perByte)
}

// Intent is what a plain transaction of a sender was made of.
func (t Tx) Intent(from string) Intent { return Intent{From: from, Call: t.Call, Gas: t.Gas} }

// Message is a message that a family has read.
type Message struct {
	Payload []byte  // what the key signs
	Network Network // zero where the message names none
	Effects []Effect
	Raw     bool     // a digest that the caller made: nobody can tell what is signed
	Ends    int64    // last second, since 1970, at which a contract takes it; 0: never ends, or nobody can tell
	Consent *Consent // of a message that is understood

	// For people.
	Text    string   // of bytes
	Domain  string   // of typed data, in one line
	Primary string   // name of the typed data's type
	Fields  []string // "path: value" of all values, in order
}

// UnlistedError refuses a message that names a network which is not in the list. Network is all that the message says.
type UnlistedError struct{ Network Network }

func (UnlistedError) Error() string { return "domain.chainId is of no network of this environment" }

// Consent is signed data that a contract takes as its owner's word.
type Consent struct {
	Type     string   // name of the message's type: "PermitSingle"
	Contract string   // that takes it
	Nonces   []string // which the contract takes once
	Effects  []Effect
}

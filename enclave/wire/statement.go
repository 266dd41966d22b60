package wire

import "github.com/railkit/railkit/chain"

// Proof is a statement of the enclave under its identity key. Whoever checks it
// reads the statement out of Payload, so that nothing is ever re-encoded.
type Proof struct {
	Payload   string `json:"payload"`   // JSON text of a Statement: the very bytes that are signed
	Signature string `json:"signature"` // base64url of r||s, P-256 over SHA-256("railkit proof v1\n" + Payload)
	PublicKey string `json:"publicKey"` // compressed SEC1 hex; compare with the pinned one
}

// The kinds of a statement.
const (
	KindPreview = "preview" // what a body would do, before it is stamped
	KindResult  = "result"  // what a body did; made once, at the change
	KindState   = "state"   // what is, now
	KindJournal = "journal" // which heads the journal had
)

// MaxHeads is how many entries one HeadsRequest may name.
const MaxHeads = 64

// HeadsRequest asks which heads the journal had at these entries. The answer is a
// Proof of KindJournal: the journal with the statement's seq and head had them. Who
// remembers one of them, and finds another there, is shown another journal.
type HeadsRequest struct {
	Seqs []string `json:"seqs"`
}

// JournalHead is the hash of the journal up to an entry.
type JournalHead struct {
	Seq  string `json:"seq"`
	Head string `json:"head"`
}

// Statement is what the enclave says.
type Statement struct {
	Kind           string       `json:"kind"`
	Environment    string       `json:"environment"`
	OrganizationID string       `json:"organizationId,omitempty"`
	Fingerprint    string       `json:"fingerprint,omitempty"`
	Activity       ActivityType `json:"activity,omitempty"`
	Seq            string       `json:"seq"`  // of the journal entry it rests on
	Head           string       `json:"head"` // hash of the journal up to Seq, hex
	Time           string       `json:"time"` // enclave's clock, ISO 8601
	Preview        *Preview     `json:"preview,omitempty"`
	Result         *Result      `json:"result,omitempty"`
	Outcome        OutcomeState `json:"outcome,omitempty"` // of a result that is no deed: held or denied
	State          *Result      `json:"state,omitempty"`

	Heads []JournalHead `json:"heads,omitempty"` // of KindJournal: in the order in which they were asked for
	// Sealed is of KindJournal: what the operator has added to the genesis. Absent where that is nothing.
	Sealed *Sealed `json:"sealed,omitempty"`

	// Somebody without a passkey is about to get one.
	RecoveryPending *RecoveryPending `json:"recoveryPending,omitempty"`
	// Of a result: what the passkey that stamped its body says of itself for the first time.
	PasskeyChanged *PasskeyChange `json:"passkeyChanged,omitempty"`
}

// PasskeyChange is a passkey that says otherwise than before whether it can be backed up: its keychain was synced, or
// is synced no more. What can be backed up is not bound to one device.
type PasskeyChange struct {
	WorkspaceID    string `json:"workspaceId"`
	CredentialID   string `json:"credentialId"`
	Email          string `json:"email"` // of its user
	BackupEligible bool   `json:"backupEligible"`
}

// Preview is what a page shows before it asks for the passkey.
type Preview struct {
	ExpiresAt   string         `json:"expiresAt"`
	SignWith    string         `json:"signWith,omitempty"`
	Chain       string         `json:"chain,omitempty"`
	ChainName   string         `json:"chainName,omitempty"` // of what is really behind the slug: "Base Sepolia"
	ChainID     string         `json:"chainId,omitempty"`
	Effects     []chain.Effect `json:"effects,omitempty"`
	MaxTotalFee string         `json:"maxTotalFee,omitempty"`        // wei
	FeeDisplay  string         `json:"maxTotalFeeDisplay,omitempty"` // "0.0021 ETH"
	FeeUSD      string         `json:"maxTotalFeeUsd,omitempty"`     // where prices tell it, as in each ...USD below
	// Wei, beside maxTotalFee; absent where the network takes none, or nobody can tell now.
	DataFee     string `json:"dataFee,omitempty"`
	DataDisplay string `json:"dataFeeDisplay,omitempty"` // "0.00001 ETH"
	DataUSD     string `json:"dataFeeUsd,omitempty"`
	// Lamports: the most that the accounts for tokens cost that are opened for others. They are among the effects, too.
	MaxRent     string `json:"maxRent,omitempty"`
	RentDisplay string `json:"maxRentDisplay,omitempty"` // "0.0021 SOL"
	RentUSD     string `json:"maxRentUsd,omitempty"`
	// Of exact bytes and of a replacement; any other intent gets its own at execution.
	Nonce      string    `json:"nonce,omitempty"`
	Replaces   string    `json:"replaces,omitempty"` // fingerprint of the body whose transaction it takes the place of
	WalletName string    `json:"walletName,omitempty"`
	WalletID   string    `json:"walletId,omitempty"`
	Accounts   []Account `json:"accounts,omitempty"` // addresses that will come to be, where they can be told before
	Warnings   []string  `json:"warnings,omitempty"` // "unknown call"
	AgentName  string    `json:"agentName,omitempty"`
	AgentID    string    `json:"agentId,omitempty"`
	// Of AgentX402: the URL that is paid for, and for how many seconds after the consent its seller can hand the
	// transfer in.
	Resource string `json:"resource,omitempty"`
	Seconds  string `json:"seconds,omitempty"`

	Agent        *Agent       `json:"agent,omitempty"`        // as it would stand
	AgentBefore  *AgentLimits `json:"agentBefore,omitempty"`  // the limits that it has now
	AgentDeleted bool         `json:"agentDeleted,omitempty"` // it would be no more
	NewSecret    bool         `json:"newSecret,omitempty"`    // the agent would get one, and the one it had would end
	// Whose key reads the agent's secret; without it the server sees it once.
	RecipientPublicKey string `json:"recipientPublicKey,omitempty"`
	KillSwitch         *bool  `json:"killSwitch,omitempty"` // of all agents of the sub-organization: as it would stand

	// Of a signing with its highest fee, where prices tell it.
	CostUSD string `json:"costUsd,omitempty"`
	// Of a swap: what it may lose, in the signer's own prices.
	Slippage *Slippage `json:"slippage,omitempty"`
	Denial   *Denial   `json:"denial,omitempty"` // what a rule would say now
	Waits    *Approval `json:"waits,omitempty"`  // it would be held for votes
	Message  *Message  `json:"message,omitempty"`
	Policy   *Policy   `json:"policy,omitempty"` // as it would stand
	// The rules that it would replace or take away.
	Before         *Rules                `json:"before,omitempty"`
	ApprovalConfig *ApprovalConfig       `json:"approvalConfig,omitempty"` // as it would stand
	Passkey        *Credential           `json:"passkey,omitempty"`        // to be added or removed
	Recovery       *UpdateRecoveryParams `json:"recovery,omitempty"`       // as it would stand
	Price          *Price                `json:"price,omitempty"`          // to be believed
	Approves       *Approval             `json:"approves,omitempty"`       // what the vote is for, and
	Held           *Preview              `json:"held,omitempty"`           // what that does
	Cancels        *RecoveryPending      `json:"cancels,omitempty"`        // the recovery that would end
	Payee          *Payee                `json:"payee,omitempty"`          // to be added or removed
	// Of a signing: all whom it pays, allows to take something, or calls. Of a payee that is to be added: its address,
	// where it looks like another one, or was removed under another name.
	Counterparties []Counterparty `json:"counterparties,omitempty"`
}

// Slippage is by how many percent of what a swap sells the least that it brings back is worth less, in signed prices:
// "40" of 10 USDC that are sold for at least 6 USD's worth. One of the two is there.
type Slippage struct {
	Percent string `json:"percent,omitempty"` // rounded up to two places; "0" where nothing is lost
	Unknown string `json:"unknown,omitempty"` // why nobody can tell: "no price of WETH"
}

// Message is what a signature is asked for that is no transaction.
type Message struct {
	Type    string   `json:"type"`
	Text    string   `json:"text,omitempty"`    // EIP-191: the text, or 0x hex where it is none
	Digest  string   `json:"digest"`            // 0x hex of what is signed
	Domain  string   `json:"domain,omitempty"`  // EIP-712, in one line
	Primary string   `json:"primary,omitempty"` // EIP-712: primaryType
	Fields  []string `json:"fields,omitempty"`  // EIP-712: "path: value", in order
}

// Result is what an activity made.
type Result struct {
	SubOrganization *SubOrganization `json:"subOrganization,omitempty"`
	Wallet          *Wallet          `json:"wallet,omitempty"`
	Accounts        []Account        `json:"accounts,omitempty"`
	Owners          *Owners          `json:"owners,omitempty"` // with every account: who can sign for it
	Transaction     *Transaction     `json:"transaction,omitempty"`
	Agent           *Agent           `json:"agent,omitempty"`      // as it stood after the body
	KillSwitch      *bool            `json:"killSwitch,omitempty"` // as it stood after the body
	Signature       *Signature       `json:"signature,omitempty"`
	Authorization   *Authorization   `json:"authorization,omitempty"` // of AgentX402: what Signature allows
	Passkey         *Credential      `json:"passkey,omitempty"`       // added or removed
	Policy          *Policy          `json:"policy,omitempty"`        // of a deleted one its last rules
	Policies        []Policy         `json:"policies,omitempty"`
	ApprovalConfig  *ApprovalConfig  `json:"approvalConfig,omitempty"`
	Approval        *Approval        `json:"approval,omitempty"` // of what is held, and of a vote
	Denial          *Denial          `json:"denial,omitempty"`
	Recovery        *RecoveryPending `json:"recovery,omitempty"` // begun, done or cancelled
	Price           *Price           `json:"price,omitempty"`
	Payee           *Payee           `json:"payee,omitempty"` // added or removed
	Payees          []Payee          `json:"payees,omitzero"` // of a state: the book, oldest first; nil: not asked for
	// Of a state: what was signed under a delegation and may still land.
	Lent *Lent `json:"lent,omitempty"`
}

// SubOrganization is one end user's own corner: users, passkeys, wallets.
type SubOrganization struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspaceId"`
	UserID      string `json:"userId"`
	CreatedAt   string `json:"createdAt"`
}

// Owners are all who can sign for an account. A key in it that its owner does
// not know is somebody else's.
type Owners struct {
	Credentials       []Credential `json:"credentials"`
	RecoveryPublicKey string       `json:"recoveryPublicKey,omitempty"`
	EmailOnlyRecovery bool         `json:"emailOnlyRecovery,omitempty"`
}

// Credential is a registered passkey.
type Credential struct {
	CredentialID string `json:"credentialId"` // base64url
	PublicKey    string `json:"publicKey"`    // COSE key, base64url
	AAGUID       string `json:"aaguid"`
	UserID       string `json:"userId"`
	Email        string `json:"email"`
}

// Wallet is a seed and what hangs on it.
type Wallet struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt"`
}

// Account is one derived key.
type Account struct {
	WalletID      string `json:"walletId"`
	Path          string `json:"path"`
	Curve         string `json:"curve"`
	AddressFormat string `json:"addressFormat"`
	Address       string `json:"address"`
	PublicKey     string `json:"publicKey"` // compressed, hex
}

// Transaction is a signed one. TxHash is computed from SignedTransaction.
type Transaction struct {
	SignWith          string `json:"signWith"`
	Chain             string `json:"chain"`
	ChainID           string `json:"chainId"`
	Nonce             string `json:"nonce,omitempty"`   // where there are nonces
	SignedTransaction string `json:"signedTransaction"` // 0x hex
	TxHash            string `json:"txHash"`
	// In place of a nonce: the last height of a block that can have it, as the host said; none: it may always land.
	LastHeight string `json:"lastHeight,omitempty"`
	// In place of both, where the bytes say it: the millisecond since 1970 from which on no block takes it.
	Expires string `json:"expires,omitempty"`
}

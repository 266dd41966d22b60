//go:build !mutations

package weak

// What is there to be switched off, in the words of what then holds no more.
const (
	Challenge       = false // the stamp is over this body
	Ceremony        = false // the stamp is no registration
	Origin          = false // it was made on the ceremony page
	CrossOrigin     = false // and not within another page
	RPID            = false // for this relying party
	Present         = false // with its owner there
	Verified        = false // and known
	Backup          = false // by the very kind of passkey that was registered
	Deleted         = false // with a passkey that is still there
	Signature       = false // with its key
	Counter         = false // and not with a copy of it
	Strict          = false // a body means one thing
	Environment     = false // and is for this environment
	Times           = false // in its time
	Once            = false // it is executed once
	Cancelled       = false // and never after it was cancelled
	Stamp           = false // somebody stamped it
	Organization    = false // who belongs to the sub-organization
	Account         = false // as does the address
	Chain           = false // the chain is the one that was stamped
	Fee             = false // the fee is at most what was stamped
	Words           = false // a body's words say what its calldata does
	Floor           = false // no nonce is left out
	Nonce           = false // also by exact bytes
	NoStamp         = false // what nobody stamped waits
	Threshold       = false // what costs more waits
	Messages        = false // and every message, where the users want it so
	Votes           = false // for as many votes as it takes
	Voter           = false // of users who have their passkey still
	Distinct        = false // of different users
	PolicySet       = false // who knew the rules
	HeldOnce        = false // and is executed once
	Reevaluation    = false // if the rules of then let it pass
	Loosens         = false // what loosens waits
	Bounds          = false // votes are never asked of nobody
	Rules           = false // a policy refuses
	Final           = false // for good
	Value           = false // a policy asks what one signing costs
	Caps            = false // and what a day and a month cost
	Spend           = false // of which each is counted as it is signed
	Gas             = false // with its fee
	Price           = false // at a price that is known
	Fresh           = false // and not too old
	Sheet           = false // from the price signer
	SheetOrder      = false // the newest one
	Jump            = false // which did not move too far
	Calldata        = false // it looks into calldata
	Destinations    = false // for who gets what
	Chains          = false // on which chain
	Tokens          = false // of which token
	Calls           = false // and refuses what it does not understand
	RawDigest       = false // it reads what it signs
	Typed           = false // also in typed data
	Prefix          = false // and a message is no transaction
	DelegationKey   = false // a delegation is for who has its key
	DelegationTime  = false // while it lasts
	DelegationValue = false // for so much at once
	DelegationDaily = false // and so much a day
	DelegationTo    = false // to its destinations
	Validity        = false // by what ends with it
	AnyRequest      = false // and for everybody only where it says so
	RecoveryKey     = false // a recovery has the word of the recovery key
	Used            = false // once
	Delay           = false // and waits
	RecoveryCancel  = false // for a passkey that ends it
	Void            = false // what waited before it waits no more
	Recovering      = false // nothing loosens during it
)

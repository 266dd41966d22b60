//go:build mutations

package weak

import "os"

// See off.go.
var (
	Challenge       = lacks("challenge")
	Ceremony        = lacks("ceremony")
	Origin          = lacks("origin")
	CrossOrigin     = lacks("crossOrigin")
	RPID            = lacks("rpid")
	Present         = lacks("present")
	Verified        = lacks("verified")
	Backup          = lacks("backup")
	Deleted         = lacks("deleted") // with a passkey that is still there
	Signature       = lacks("signature")
	Counter         = lacks("counter")
	Strict          = lacks("strict")
	Environment     = lacks("environment")
	Times           = lacks("times")
	Once            = lacks("once")
	Cancelled       = lacks("cancelled")
	Stamp           = lacks("stamp")
	Organization    = lacks("organization")
	Account         = lacks("account")
	Chain           = lacks("chain")
	Fee             = lacks("fee")
	Words           = lacks("words")
	Floor           = lacks("floor")
	Nonce           = lacks("nonce")
	NoStamp         = lacks("noStamp")
	Threshold       = lacks("threshold")
	Messages        = lacks("messages")
	Votes           = lacks("votes")
	Voter           = lacks("voter") // of users who have their passkey still
	Distinct        = lacks("distinct")
	PolicySet       = lacks("policySet")
	HeldOnce        = lacks("heldOnce")
	Reevaluation    = lacks("reevaluation")
	Loosens         = lacks("loosens")
	Bounds          = lacks("bounds")
	Rules           = lacks("rules")
	Final           = lacks("final")
	Value           = lacks("value")           // a policy asks what one signing costs
	Caps            = lacks("caps")            // and what a day and a month cost
	Spend           = lacks("spend")           // of which each is counted as it is signed
	Gas             = lacks("gas")             // with its fee
	Price           = lacks("price")           // at a price that is known
	Fresh           = lacks("fresh")           // and not too old
	Sheet           = lacks("sheet")           // from the price signer
	SheetOrder      = lacks("sheetOrder")      // the newest one
	Jump            = lacks("jump")            // which did not move too far
	Calldata        = lacks("calldata")        // it looks into calldata
	Destinations    = lacks("destinations")    // for who gets what
	Chains          = lacks("chains")          // on which chain
	Tokens          = lacks("tokens")          // of which token
	Calls           = lacks("calls")           // and refuses what it does not understand
	RawDigest       = lacks("rawDigest")       // it reads what it signs
	Typed           = lacks("typed")           // also in typed data
	Prefix          = lacks("prefix")          // and a message is no transaction
	DelegationKey   = lacks("delegationKey")   // a delegation is for who has its key
	DelegationTime  = lacks("delegationTime")  // while it lasts
	DelegationValue = lacks("delegationValue") // for so much at once
	DelegationDaily = lacks("delegationDaily") // and so much a day
	DelegationTo    = lacks("delegationTo")    // to its destinations
	Validity        = lacks("validity")        // by what ends with it
	AnyRequest      = lacks("anyRequest")      // and for everybody only where it says so
	RecoveryKey     = lacks("recoveryKey")     // a recovery has the word of the recovery key
	Used            = lacks("used")            // once
	Delay           = lacks("delay")           // and waits
	RecoveryCancel  = lacks("recoveryCancel")  // for a passkey that ends it
	Void            = lacks("void")            // what waited before it waits no more
	Recovering      = lacks("recovering")      // nothing loosens during it
)

func lacks(check string) bool { return os.Getenv(Env) == check }

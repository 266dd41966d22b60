package ledger

import "fmt"

// Outcome is what became of a transaction.
type Outcome struct {
	// Landed: it is in a block, and has paid, whether or not it did what it says.
	Landed bool
	Fee    uint64 // lamports that were paid
	Err    error  // nil: it did what it says; a TransactionError, AccountError or FailedInstruction
}

// TransactionError refuses or fails a transaction as a whole. Its text is the name that nodes use.
type TransactionError string

// The errors of transactions.
const (
	AccountNotFound                    TransactionError = "AccountNotFound"
	BlockhashNotFound                  TransactionError = "BlockhashNotFound"
	InsufficientFundsForFee            TransactionError = "InsufficientFundsForFee"
	InvalidAccountForFee               TransactionError = "InvalidAccountForFee"
	InvalidLoadedAccountsDataSizeLimit TransactionError = "InvalidLoadedAccountsDataSizeLimit"
	MaxLoadedAccountsDataSizeExceeded  TransactionError = "MaxLoadedAccountsDataSizeExceeded"
	ProgramAccountNotFound             TransactionError = "ProgramAccountNotFound"
	SanitizeFailure                    TransactionError = "SanitizeFailure"
	SignatureFailure                   TransactionError = "SignatureFailure"
	Unmodelled                         TransactionError = "Unmodelled" // of this ledger alone
)

func (e TransactionError) Error() string { return string(e) }

// AccountError is of an account or, of DuplicateInstruction, an instruction by its place.
type AccountError struct {
	Kind  TransactionError
	Index int
}

// The errors that name a place.
const (
	InsufficientFundsForRent TransactionError = "InsufficientFundsForRent"
	DuplicateInstruction     TransactionError = "DuplicateInstruction"
)

func (e AccountError) Error() string { return fmt.Sprintf("%s of %d", e.Kind, e.Index) }

// FailedInstruction is the error of an instruction. Reason is an InstructionError or a Custom.
type FailedInstruction struct {
	Index  int
	Reason error
}

func (e FailedInstruction) Error() string {
	return fmt.Sprintf("instruction %d: %s", e.Index, e.Reason)
}

// Custom is a number that means something to one program: 1 is "insufficient funds" in Token, and "negative lamports"
// in System.
type Custom uint32

func (c Custom) Error() string { return fmt.Sprintf("custom program error: %#x", uint32(c)) }

// InstructionError is one that means the same in all programs. Its text is the name that nodes use.
type InstructionError string

// The errors of instructions that the programs here give.
const (
	accountDataTooSmall      InstructionError = "AccountDataTooSmall"
	externalDataModified     InstructionError = "ExternalAccountDataModified"
	externalLamportSpend     InstructionError = "ExternalAccountLamportSpend"
	illegalOwner             InstructionError = "IllegalOwner"
	incorrectProgramID       InstructionError = "IncorrectProgramId"
	insufficientFunds        InstructionError = "InsufficientFunds"
	invalidAccountData       InstructionError = "InvalidAccountData"
	invalidAccountOwner      InstructionError = "InvalidAccountOwner"
	invalidArgument          InstructionError = "InvalidArgument"
	invalidInstructionData   InstructionError = "InvalidInstructionData"
	invalidSeeds             InstructionError = "InvalidSeeds"
	missingAccount           InstructionError = "MissingAccount"
	missingRequiredSignature InstructionError = "MissingRequiredSignature"
	modifiedProgramID        InstructionError = "ModifiedProgramId"
	notEnoughAccountKeys     InstructionError = "NotEnoughAccountKeys"
	privilegeEscalation      InstructionError = "PrivilegeEscalation"
	programFailed            InstructionError = "ProgramFailedToComplete"
	readOnlyDataModified     InstructionError = "ReadonlyDataModified"
	readOnlyLamportChange    InstructionError = "ReadonlyLamportChange"
	uninitializedAccount     InstructionError = "UninitializedAccount"
)

func (e InstructionError) Error() string { return string(e) }

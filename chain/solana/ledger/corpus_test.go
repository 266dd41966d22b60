package ledger_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// corpus is what LiteSVM did with random transactions; TestLiteSVM writes it when it is told to.
var corpus = filepath.Join("testdata", "litesvm.jsonl.gz")

// step is a line of a corpus: accounts that are laid down, or a transaction and what became of it.
type step struct {
	Rent     uint64                  `json:"rent,omitempty"` // begins anew
	Put      map[string]*saidAccount `json:"put,omitempty"`
	Message  []byte                  `json:"message,omitempty"`
	Unsigned bool                    `json:"unsigned,omitempty"` // the last signature is wrong
	Hash     string                  `json:"hash,omitempty"`     // newest blockhash
	Error    *saidError              `json:"error,omitempty"`
	Post     []*saidAccount          `json:"post,omitempty"` // of each key of the message
}

// saidAccount is [lamports, owner, data], as the script says it.
type saidAccount struct {
	Lamports uint64
	Owner    string
	Data     []byte
}

func (a *saidAccount) UnmarshalJSON(raw []byte) error {
	var lamports string
	list := []any{&lamports, &a.Owner, &a.Data}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	var err error
	a.Lamports, err = strconv.ParseUint(lamports, 10, 64)
	return err
}

func (a saidAccount) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{strconv.FormatUint(a.Lamports, 10), a.Owner, base64.StdEncoding.EncodeToString(a.Data)})
}

// saidError is an error by the numbers of the script.
type saidError struct {
	Kind   *int   `json:"kind,omitempty"`
	Name   string `json:"name,omitempty"`
	Index  int    `json:"index,omitempty"`
	Code   *int   `json:"code,omitempty"`
	Custom *int64 `json:"custom,omitempty"`
}

// Names of the numbers, in the order of LiteSVM's declarations.
var transactionErrors = []ledger.TransactionError{
	"AccountInUse", "AccountLoadedTwice", "AccountNotFound", "ProgramAccountNotFound", "InsufficientFundsForFee",
	"InvalidAccountForFee", "AlreadyProcessed", "BlockhashNotFound", "CallChainTooDeep", "MissingSignatureForFee",
	"InvalidAccountIndex", "SignatureFailure", "InvalidProgramForExecution", "SanitizeFailure", "ClusterMaintenance",
	"AccountBorrowOutstanding", "WouldExceedMaxBlockCostLimit", "UnsupportedVersion", "InvalidWritableAccount",
	"WouldExceedMaxAccountCostLimit", "WouldExceedAccountDataBlockLimit", "TooManyAccountLocks",
	"AddressLookupTableNotFound", "InvalidAddressLookupTableOwner", "InvalidAddressLookupTableData",
	"InvalidAddressLookupTableIndex", "InvalidRentPayingAccount", "WouldExceedMaxVoteCostLimit",
	"WouldExceedAccountDataTotalLimit", "MaxLoadedAccountsDataSizeExceeded", "ResanitizationNeeded",
	"InvalidLoadedAccountsDataSizeLimit", "UnbalancedTransaction", "ProgramCacheHitMaxLimit", "CommitCancelled",
}

var instructionErrors = []ledger.InstructionError{
	"GenericError", "InvalidArgument", "InvalidInstructionData", "InvalidAccountData", "AccountDataTooSmall",
	"InsufficientFunds", "IncorrectProgramId", "MissingRequiredSignature", "AccountAlreadyInitialized",
	"UninitializedAccount", "UnbalancedInstruction", "ModifiedProgramId", "ExternalAccountLamportSpend",
	"ExternalAccountDataModified", "ReadonlyLamportChange", "ReadonlyDataModified", "DuplicateAccountIndex",
	"ExecutableModified", "RentEpochModified", "NotEnoughAccountKeys", "AccountDataSizeChanged",
	"AccountNotExecutable", "AccountBorrowFailed", "AccountBorrowOutstanding", "DuplicateAccountOutOfSync",
	"InvalidError", "ExecutableDataModified", "ExecutableLamportChange", "ExecutableAccountNotRentExempt",
	"UnsupportedProgramId", "CallDepth", "MissingAccount", "ReentrancyNotAllowed", "MaxSeedLengthExceeded",
	"InvalidSeeds", "InvalidRealloc", "ComputationalBudgetExceeded", "PrivilegeEscalation",
	"ProgramEnvironmentSetupFailure", "ProgramFailedToComplete", "ProgramFailedToCompile", "Immutable",
	"IncorrectAuthority", "AccountNotRentExempt", "InvalidAccountOwner", "ArithmeticOverflow", "UnsupportedSysvar",
	"IllegalOwner", "MaxAccountsDataAllocationsExceeded", "MaxAccountsExceeded", "MaxInstructionTraceLengthExceeded",
	"BuiltinProgramsMustConsumeComputeUnits", "BorshIoError",
}

// error is the same in the words of the ledger.
func (e *saidError) error() error {
	switch {
	case e == nil:
		return nil
	case e.Kind != nil:
		return transactionErrors[*e.Kind]
	case e.Code != nil:
		return ledger.FailedInstruction{Index: e.Index, Reason: instructionErrors[*e.Code]}
	case e.Custom != nil:
		return ledger.FailedInstruction{Index: e.Index, Reason: ledger.Custom(*e.Custom)}
	}
	return ledger.AccountError{Kind: ledger.TransactionError(e.Name), Index: e.Index}
}

// replay holds a ledger to a corpus.
type replay struct {
	ledger *ledger.Ledger
	seen   map[string]int // outcomes
}

func newReplay() *replay { return &replay{seen: map[string]int{}} }

func (r *replay) step(s step) error {
	if s.Rent > 0 {
		r.ledger = ledger.New(s.Rent)
	}
	for at, a := range s.Put {
		r.ledger.Put(parse(at), ledger.Account{Lamports: a.Lamports, Owner: parse(a.Owner), Data: a.Data})
	}
	if s.Message == nil {
		return nil
	}
	tx, err := signed(s)
	if err != nil {
		return err
	}
	hash := [32]byte(parse(s.Hash))
	got := r.ledger.Execute(tx, ledger.Chain{
		Blockhash: hash, Recent: func(h [32]byte) bool { return h == hash },
	})
	want := s.Error.error()
	r.seen[fmt.Sprint(reason(want))]++
	if got.Err != want {
		return fmt.Errorf("outcome %v, want %v", got.Err, want)
	}
	return r.compare(tx, s.Post)
}

// reason is an error without its place.
func reason(err error) error {
	var failed ledger.FailedInstruction
	if errors.As(err, &failed) {
		return failed.Reason
	}
	return err
}

// compare holds every byte of every account against what it should be, but for programs, which this ledger has none of.
func (r *replay) compare(tx solana.Transaction, post []*saidAccount) error {
	for i, k := range tx.Keys {
		want := ledger.Account{}
		if post[i] != nil {
			want = ledger.Account{Lamports: post[i].Lamports, Owner: parse(post[i].Owner), Data: post[i].Data}
		}
		if isNetworks(k, want.Owner) {
			continue
		}
		got, _ := r.ledger.Account(k)
		if got.Lamports != want.Lamports || got.Owner != want.Owner || !bytes.Equal(got.Data, want.Data) {
			return fmt.Errorf("account %d is %+v, want %+v", i, got, want)
		}
	}
	return nil
}

var loaders = []string{
	"NativeLoader1111111111111111111111111111111", "BPFLoader1111111111111111111111111111111111",
	"BPFLoader2111111111111111111111111111111111", "BPFLoaderUpgradeab1e11111111111111111111111",
	"Sysvar1111111111111111111111111111111111111",
}

func isNetworks(k, owner solana.Address) bool {
	for _, l := range loaders {
		if owner.String() == l {
			return true
		}
	}
	return false
}

func parse(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(text)
	}
	return a
}

// keyOf is the n-th key of all tests. A corpus holds messages, and their signatures are made again.
func keyOf(n int) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", n))
}

func addressOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

// keys are as many as any test needs.
var keys = func() map[solana.Address]ed25519.PrivateKey {
	all := map[solana.Address]ed25519.PrivateKey{}
	for n := range mostKeys {
		k := keyOf(n)
		all[addressOf(k)] = k
	}
	return all
}()

const mostKeys = 400

func signed(s step) (solana.Transaction, error) {
	m, err := solana.DecodeMessage(s.Message)
	if err != nil {
		return solana.Transaction{}, err
	}
	tx := solana.Unsigned(m)
	for _, a := range m.Signers() {
		if tx, err = tx.Attach(a, solana.Signature(ed25519.Sign(keys[a], s.Message))); err != nil {
			return solana.Transaction{}, err
		}
	}
	if s.Unsigned {
		tx.Signatures[len(tx.Signatures)-1][7]++
	}
	return tx, nil
}

// What LiteSVM did with each transaction of the corpus, this ledger does: outcome, error and every byte.
func TestCorpus(t *testing.T) {
	t.Parallel()
	file, err := os.Open(corpus)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	r, steps := newReplay(), 0
	lines := bufio.NewReader(unzipped)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var s step
		if err := errors.Join(err, json.Unmarshal(line, &s)); err != nil {
			t.Fatal(err)
		}
		steps++
		if err := r.step(s); err != nil {
			t.Fatalf("line %d: %v\n%s", steps, err, line)
		}
	}
	if len(r.seen) < 40 || r.seen["<nil>"] < steps/4 {
		t.Errorf("%d lines have these outcomes: %v", steps, r.seen)
	}
}

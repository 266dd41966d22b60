package localnet

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// transactionForm is a transaction as a node shows it. Who does not say that he reads its version is refused.
func (l look) transactionForm(t *landed, o options) (object, error) {
	var version any = int(t.Version)
	number := int(t.Version)
	if t.Version == solana.Legacy {
		version = "legacy"
	}
	if slices.Contains(l.Newer, t.ID()) {
		version, number = unknownVersion, unknownVersion
	}
	if number >= 0 && (o.MaxVersion == nil || *o.MaxVersion < number) {
		return nil, refuse(codeTooNew, "Transaction version (%d) is not supported by the requesting client. "+
			"Please try the request again with the following configuration parameter: "+
			"\"maxSupportedTransactionVersion\": %d", number, number)
	}
	form := object{"meta": l.meta(t, o)}
	if o.MaxVersion != nil {
		form["version"] = version
	}
	switch {
	case o.Details == "accounts":
		form["transaction"] = object{"signatures": signatures(t.Transaction), "accountKeys": keysForm(t.Message)}
	case o.Encoding == "base64":
		form["transaction"] = []string{base64.StdEncoding.EncodeToString(t.raw), o.Encoding}
	case o.Encoding == "base58":
		form["transaction"] = []string{chain.Base58(t.raw), o.Encoding}
	case o.Encoding == "", o.Encoding == "json", o.Encoding == "jsonParsed":
		message := messageForm(t.Message, o.Encoding == "jsonParsed")
		form["transaction"] = object{"signatures": signatures(t.Transaction), "message": message}
	default:
		return nil, refuse(codeParams, "Invalid params: the encoding %q is not served here", o.Encoding)
	}
	return form, nil
}

func signatures(tx solana.Transaction) (all []string) {
	for _, s := range tx.Signatures {
		all = append(all, s.String())
	}
	return all
}

func keysForm(m solana.Message) []any {
	all := []any{}
	for i, k := range m.Keys {
		all = append(all, object{
			"pubkey": k.String(), "signer": i < int(m.Header.Signers), "writable": m.Written(i),
			"source": "transaction",
		})
	}
	return all
}

func messageForm(m solana.Message, parsed bool) object {
	form := object{"recentBlockhash": solana.Address(m.Blockhash).String()}
	if parsed {
		form["accountKeys"] = keysForm(m)
	} else {
		keys := []string{}
		for _, k := range m.Keys {
			keys = append(keys, k.String())
		}
		form["accountKeys"] = keys
		form["header"] = object{
			"numRequiredSignatures": m.Header.Signers, "numReadonlySignedAccounts": m.Header.ReadOnlySigners,
			"numReadonlyUnsignedAccounts": m.Header.ReadOnly,
		}
	}
	all := []any{}
	for _, c := range m.Instructions {
		all = append(all, instructionForm(m, c, parsed))
	}
	form["instructions"] = all
	switch c := m.Config; m.Version {
	case solana.V0:
		form["addressTableLookups"] = []any{} // no message with one is executed
	case solana.V1:
		form["transactionConfig"] = object{
			"priorityFee": c.PriorityFee, "computeUnitLimit": c.Units, "heapSize": c.HeapBytes,
			"loadedAccountsDataSizeLimit": c.LoadedBytes,
		}
	}
	return form
}

// instructionForm never says what an instruction does: nodes show those of programs that they do not know in the same
// way, so that clients read them.
func instructionForm(m solana.Message, c solana.Compiled, parsed bool) object {
	form := object{"data": chain.Base58(c.Data), "stackHeight": 1}
	if parsed {
		accounts := []string{}
		for _, i := range c.Accounts {
			accounts = append(accounts, m.Keys[i].String())
		}
		form["programId"], form["accounts"] = m.Keys[c.Program].String(), accounts
		return form
	}
	accounts := []int{}
	for _, i := range c.Accounts {
		accounts = append(accounts, int(i))
	}
	form["programIdIndex"], form["accounts"] = c.Program, accounts
	return form
}

// meta is what came of a transaction.
func (l look) meta(t *landed, o options) object {
	form := object{
		"err": errorForm(t.outcome.Err), "status": statusForm(t.outcome.Err), "fee": t.outcome.Fee,
		"preBalances": lamports(t.Keys, t.pre), "postBalances": lamports(t.Keys, t.post),
		"preTokenBalances": l.tokens(t.pre, 0), "postTokenBalances": l.tokens(t.post, l.more(t)),
	}
	if o.Details == "accounts" {
		return form
	}
	form["innerInstructions"], form["rewards"] = []any{}, []any{}
	form["logMessages"], form["computeUnitsConsumed"] = logs(t.Message, t.outcome.Err), unitsOf(t.Message)
	if o.MaxVersion != nil {
		form["loadedAddresses"] = object{"writable": []string{}, "readonly": []string{}}
	}
	return form
}

func lamports(keys []solana.Address, all []ledger.Account) []uint64 {
	some := make([]uint64, len(all))
	for i, a := range all {
		if some[i] = a.Lamports; isBuiltin(keys[i]) {
			some[i] = builtin.Lamports
		}
	}
	return some
}

// more is how much the node adds to what a transaction left in each token account.
func (l look) more(t *landed) uint64 {
	if slices.Contains(l.More, t.ID()) {
		return 1_000_000
	}
	return 0
}

// tokens are the token accounts among accounts, each with so much more.
func (l look) tokens(all []ledger.Account, more uint64) []any {
	some := []any{}
	for i, a := range all {
		t, ok := readToken(a)
		if !ok {
			continue
		}
		some = append(some, object{
			"accountIndex": i, "mint": t.mint.String(), "owner": t.owner.String(), "programId": a.Owner.String(),
			"uiTokenAmount": amountForm(t.amount+more, l.decimals(t.mint, "processed")),
		})
	}
	return some
}

func statusForm(err error) object {
	if err == nil {
		return object{"Ok": nil}
	}
	return object{"Err": errorForm(err)}
}

// errorForm is an error as nodes write it.
func errorForm(err error) any {
	var failed ledger.FailedInstruction
	var at ledger.AccountError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		var custom ledger.Custom
		if errors.As(failed.Reason, &custom) {
			return object{"InstructionError": []any{failed.Index, object{"Custom": uint32(custom)}}}
		}
		return object{"InstructionError": []any{failed.Index, failed.Reason.Error()}}
	case errors.As(err, &at):
		if at.Kind == ledger.DuplicateInstruction {
			return object{string(at.Kind): at.Index}
		}
		return object{string(at.Kind): object{"account_index": at.Index}}
	case errors.Is(err, ledger.Unmodelled):
		return string(ledger.ProgramAccountNotFound)
	}
	return err.Error()
}

// logs are those of the programs that the message calls. What these call themselves, and what they print, is not there.
func logs(m solana.Message, err error) []string {
	all := []string{}
	var failed ledger.FailedInstruction
	isFailed := errors.As(err, &failed)
	if err != nil && !isFailed {
		return all
	}
	for i, c := range m.Instructions {
		program := m.Keys[c.Program].String()
		all = append(all, "Program "+program+" invoke [1]")
		if isFailed && i == failed.Index {
			return append(all, "Program "+program+" failed: "+failed.Reason.Error())
		}
		all = append(all, "Program "+program+" success")
	}
	return all
}

// unitsOf is about what the programs use, by a table: what they would use is not reckoned here.
func unitsOf(m solana.Message) (n int) {
	for _, c := range m.Instructions {
		switch m.Keys[c.Program] {
		case solana.TokenProgram:
			n += 5_000
		case solana.AssociatedProgram:
			n += 25_000
		case solana.MemoProgram, solana.OldMemoProgram:
			n += 15_000
		default:
			n += 150
		}
	}
	return n
}

// memoOf is how lists of transactions show memos; nil where there is none.
func memoOf(m solana.Message) any {
	var all []string
	for _, c := range m.Instructions {
		if p := m.Keys[c.Program]; p == solana.MemoProgram || p == solana.OldMemoProgram {
			all = append(all, fmt.Sprintf("[%d] %s", len(c.Data), c.Data))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return strings.Join(all, "; ")
}

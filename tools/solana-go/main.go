// Command solana-go reads transactions of Solana with the library of that name: one transaction in hex a line, one
// answer in JSON a line. It is a module of its own, so that what the library needs never enters the programs' graph.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/gagliardetto/solana-go"
)

// form is what a transaction says, as the tests of chain/solana have it.
type form struct {
	Version      int
	Header       [3]uint8
	Keys         []string
	Blockhash    string
	Instructions []instruction
	Lookups      []lookup
	Config       *config
	Signatures   []string

	Message, Transaction, Error string
}

type instruction struct {
	Program  int
	Accounts []int
	Data     string
}

type lookup struct {
	Table         string
	Written, Read []int
}

type config struct {
	Mask   uint32
	Values []string
}

func main() {
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f, err := read(in.Text())
		if err != nil {
			f = form{Error: err.Error()}
		}
		if err := out.Encode(f); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func read(line string) (form, error) {
	raw, err := hex.DecodeString(line)
	if err != nil {
		return form{}, err
	}
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil {
		return form{}, err
	}
	again, err := tx.MarshalBinary()
	if err != nil {
		return form{}, err
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return form{}, err
	}
	f := said(tx)
	f.Message, f.Transaction = hex.EncodeToString(message), hex.EncodeToString(again)
	return f, nil
}

// said is the transaction's form. The library numbers legacy 0, v0 1 and v1 2.
func said(tx *solana.Transaction) form {
	m, h := &tx.Message, tx.Message.Header
	f := form{
		Version:   int(m.GetVersion()) - 1,
		Header:    [3]uint8{h.NumRequiredSignatures, h.NumReadonlySignedAccounts, h.NumReadonlyUnsignedAccounts},
		Blockhash: m.RecentBlockhash.String(), Instructions: []instruction{}, Lookups: []lookup{},
		Signatures: []string{},
	}
	for _, k := range m.AccountKeys {
		f.Keys = append(f.Keys, k.String())
	}
	for _, i := range m.Instructions {
		accounts := []int{}
		for _, a := range i.Accounts {
			accounts = append(accounts, int(a))
		}
		f.Instructions = append(f.Instructions, instruction{int(i.ProgramIDIndex), accounts,
			hex.EncodeToString(i.Data)})
	}
	for _, l := range m.AddressTableLookups {
		f.Lookups = append(f.Lookups, lookup{l.AccountKey.String(), numbers(l.WritableIndexes),
			numbers(l.ReadonlyIndexes)})
	}
	for _, s := range tx.Signatures {
		f.Signatures = append(f.Signatures, hex.EncodeToString(s[:]))
	}
	if m.GetVersion() == solana.MessageVersionV1 {
		f.Config = configOf(m.TransactionConfig)
	}
	return f
}

func numbers(list []uint8) []int {
	all := []int{}
	for _, n := range list {
		all = append(all, int(n))
	}
	return all
}

func configOf(c solana.TransactionConfig) *config {
	f := &config{Values: []string{}}
	if c.PriorityFee != nil {
		f.Mask, f.Values = 3, []string{strconv.FormatUint(*c.PriorityFee, 10)}
	}
	for i, v := range []*uint32{c.ComputeUnitLimit, c.LoadedAccountsDataSizeLimit, c.HeapSize} {
		if v != nil {
			f.Mask, f.Values = f.Mask|4<<i, append(f.Values, fmt.Sprint(*v))
		}
	}
	return f
}

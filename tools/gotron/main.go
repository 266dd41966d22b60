// Command gotron reads transactions of Tron with gotron-sdk: one raw_data in hex a line, one answer in JSON a line. It
// is a module of its own, so that what the library needs never enters the programs' graph.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/fbsobreira/gotron-sdk/pkg/address"
	"github.com/fbsobreira/gotron-sdk/pkg/proto/core"
	"google.golang.org/protobuf/proto"
)

// form is what a transaction says, as the tests of chain/tron have it.
type form struct {
	RefBytes, RefHash, Expiration, Timestamp, FeeLimit, Owner, To, Amount, Data string

	Raw, ID, Error string
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
	var tx core.TransactionRaw
	if err := proto.Unmarshal(raw, &tx); err != nil {
		return form{}, err
	}
	if len(tx.Contract) != 1 {
		return form{}, errors.New("not one contract")
	}
	again, err := proto.Marshal(&tx)
	if err != nil {
		return form{}, err
	}
	f := form{
		RefBytes: hex.EncodeToString(tx.RefBlockBytes), RefHash: hex.EncodeToString(tx.RefBlockHash),
		Expiration: decimal(tx.Expiration), Timestamp: decimal(tx.Timestamp), FeeLimit: decimal(tx.FeeLimit),
		Raw: hex.EncodeToString(again), ID: id(again),
	}
	return f, f.contract(tx.Contract[0])
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// contract reads the two types that are signed.
func (f *form) contract(c *core.Transaction_Contract) error {
	m, err := c.Parameter.UnmarshalNew()
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *core.TransferContract:
		f.Owner, f.To = text(m.OwnerAddress), text(m.ToAddress)
		f.Amount = decimal(m.Amount)
	case *core.TriggerSmartContract:
		f.Owner, f.To = text(m.OwnerAddress), text(m.ContractAddress)
		f.Amount, f.Data = decimal(m.CallValue), hex.EncodeToString(m.Data)
	default:
		return fmt.Errorf("a %T", m)
	}
	return nil
}

func text(raw []byte) string { return address.Address(raw).String() }

func id(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

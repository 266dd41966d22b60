package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/internal/facilitator"
)

// waiting prints what has no end.
func waiting(args []string) error {
	f := flag.NewFlagSet("waiting", flag.ContinueOnError)
	data := f.String("data", "", "folder of the journal of settlements")
	if err := parse(f, args); err != nil {
		return err
	}
	all, err := facilitator.ListWaiting(context.Background(), *data)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, w := range all {
		if err := out.Encode(w); err != nil {
			return err
		}
	}
	return nil
}

// giveBack forgets a settlement that nobody signs.
func giveBack(args []string) error {
	f := flag.NewFlagSet("give-back", flag.ContinueOnError)
	data := f.String("data", "", "folder of the journal of settlements")
	account := f.String("account", "", "address that pays for gas")
	payment := f.String("payment", "", "payment, as the command waiting prints it")
	if err := parse(f, args); err != nil {
		return err
	}
	at, _, ok := families.ParseAddress(*account)
	if !ok {
		return errors.New("--account: must be " + families.TypedForms())
	}
	if err := facilitator.GiveBack(context.Background(), *data, at, *payment, time.Now()); err != nil {
		return err
	}
	fmt.Println("given back: the payment can be settled again, and its nonce is free")
	return nil
}

// parse reads flags that are all needed.
func parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return errors.New("no arguments are taken, only flags")
	}
	var missing error
	f.VisitAll(func(known *flag.Flag) {
		if known.Value.String() == "" && missing == nil {
			missing = fmt.Errorf("--%s is needed", known.Name)
		}
	})
	return missing
}

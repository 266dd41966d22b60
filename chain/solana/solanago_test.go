package solana_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
)

// At night a fourth library reads what this package writes. To compile it takes half a minute of a processor.
func TestSolanaGo(t *testing.T) {
	if !testenv.Nightly() {
		t.Skip("solana-go is compiled at night")
	}
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	d, refused := newDice(testenv.Seed(t)), 0
	program := exec.Command("go", "run", ".")
	program.Dir, program.Stderr = filepath.Join(root, "tools", "solana-go"), os.Stderr
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range rounds() {
		tx := d.transaction()
		if err := readElsewhere(t, tx, in, lines); err != nil {
			t.Fatal(err)
		}
		changed, err := solana.DecodeTransaction(d.changed(mustEncode(t, tx)))
		if err != nil {
			refused++
			continue
		}
		if err := readElsewhere(t, changed, in, lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(in.Close(), program.Wait()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d changed ones were refused here", refused, rounds())
}

func readElsewhere(t *testing.T, tx solana.Transaction, in io.Writer, out *bufio.Reader) error {
	want := formOf(t, tx)
	if _, err := fmt.Fprintln(in, hex.EncodeToString(mustEncode(t, tx))); err != nil {
		return err
	}
	line, err := out.ReadBytes('\n')
	if err != nil {
		return err
	}
	var got form
	if err := json.Unmarshal(line, &got); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("solana-go reads %s as\n%+v, and this package as\n%+v", want.Transaction, got, want)
	}
	return nil
}

package tron_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
)

// At night a third library reads what this package writes. To compile it takes half a minute of a processor.
func TestGotron(t *testing.T) {
	if !testenv.Nightly() {
		t.Skip("gotron-sdk is compiled at night")
	}
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	d, refused := newDice(testenv.Seed(t)), 0
	program := exec.Command("go", "run", ".")
	program.Dir, program.Stderr = filepath.Join(root, "tools", "gotron"), os.Stderr
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
		tx := d.raw()
		if err := readElsewhere(t, tx, in, lines); err != nil {
			t.Fatal(err)
		}
		changed, err := tron.Decode(d.changed(mustEncode(t, tx)))
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

func readElsewhere(t *testing.T, tx tron.Raw, in io.Writer, out *bufio.Reader) error {
	want := formOf(t, tx)
	if _, err := fmt.Fprintln(in, want.Raw); err != nil {
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
	if got != want {
		return fmt.Errorf("gotron-sdk reads %s as\n%+v, and this package as\n%+v", want.Raw, got, want)
	}
	return nil
}

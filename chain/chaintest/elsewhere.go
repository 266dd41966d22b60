package chaintest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
)

// Elsewhere has a program of tools, around a library of others, read a line at a time, and wants it to read each as we
// do. To compile one takes half a minute of a processor, so that this is for the night.
func Elsewhere[F any](t *testing.T, tool string) (reads func(line string, want F)) {
	t.Helper()
	if !testenv.Nightly() {
		t.Skip(tool + " is compiled at night")
	}
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command("go", "run", ".")
	program.Dir, program.Stderr = filepath.Join(root, "tools", tool), os.Stderr
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), program.Wait()); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	return func(line string, want F) {
		t.Helper()
		var got F
		_, err := fmt.Fprintln(in, line)
		if err == nil {
			line, err = lines.ReadString('\n')
		}
		if err == nil {
			err = json.Unmarshal([]byte(line), &got)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s reads\n%+v, and this package\n%+v", tool, got, want)
		}
	}
}

package archtest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What make build says is compiled, with a compiler that says what it is told to.
func TestBuildSaysHowFarItIs(t *testing.T) {
	for _, c := range []struct {
		name, compiler, want string
		code                 int
	}{
		{"all is compiled already", ``, ``, 0},
		{"one of three", `echo example.org/a-b/c >&2`, `
compiling at most 3 packages: minutes the first time, then only what has changed
   1 of 3 (33 %), now example.org/a-b/c
compiled 1 packages
`, 0},
		{"an error", `echo 'go: downloading example.org/m v1.0.0' >&2; echo fmt >&2; echo '# example.org/a' >&2
			printf 'a.go:1:2: undefined: x\\y %%s\n' >&2; exit 2`, `
downloading modules: 0 so far, now example.org/m v1.0.0
compiling at most 3 packages: minutes the first time, then only what has changed
   1 of 3 (33 %), now fmt
# example.org/a
a.go:1:2: undefined: x\y %s
compiled 1 packages
`, 2},
		{"it is ended", `echo Terminated >&2; exit 143`, "Terminated\n", 143},
	} {
		stub := filepath.Join(t.TempDir(), "go")
		script := "#!/bin/sh\nif [ \"$1\" = list ]; then echo a; echo b; echo c; exit; fi\n" +
			"[ \"$*\" = 'build -v -o bin/ ./...' ] || exit 9\n" + c.compiler + "\n"
		if err := os.WriteFile(stub, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", "../../../.ci/build", "./...", "-o", "bin/")
		cmd.Env = append(os.Environ(), "GO="+stub)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(cmd.Run(), &exit) {
			code = exit.ExitCode()
		}
		if want := strings.TrimPrefix(c.want, "\n"); said.String() != want || out.Len() > 0 || code != c.code {
			t.Errorf("%s: it ended with %d and said\n%s%s", c.name, code, out.String(), said.String())
		}
	}
}

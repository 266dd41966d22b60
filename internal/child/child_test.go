package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// The protocol itself is tested from the parent's side, in package supervise.

func TestMain(m *testing.M) {
	if os.Getenv(Env) == "1" {
		ctx, cancel := WatchParent(context.Background())
		defer cancel()
		<-ctx.Done()
		fmt.Println(errors.Is(context.Cause(ctx), errNoPipes), errors.Is(Ready(nil), errNoPipes), os.Getenv(Env) == "")
		return
	}
	os.Exit(m.Run())
}

func TestAlone_NothingHappens(t *testing.T) {
	ctx, cancel := WatchParent(context.Background())
	if Supervised() || ctx.Err() != nil {
		t.Error("a program that nobody supervises believes that it is a child")
	}
	for range 2 {
		if err := Ready(map[string]string{"addr": "x"}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("cancel does not cancel")
	}
}

// A variable that strayed into the environment must not make the program use
// files that are somebody else's.
func TestStrayVariable_IsAnError(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), Env+"=1")
	out, err := cmd.Output()
	if err != nil || string(out) != "true true true\n" {
		t.Errorf("%v: %s", err, out)
	}
}

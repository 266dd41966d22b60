package redistest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/railkit/railkit/internal/test/testwait"
)

const childEnv = "RAILKIT_TEST_REDISTEST"

// A killed test process takes its server with it, also one that holds still.
func TestEndsWithTheProcess(t *testing.T) {
	if os.Getenv(childEnv) != "" { // in the child: the test process that is killed
		s := New(t)
		s.Pause(t)
		group, err := syscall.Getpgid(s.pid) // the kernel's own HUP may come before or after the end of the pipe
		if err == nil {
			err = syscall.Kill(-group, syscall.SIGHUP)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString(s.folder + "\n")
		select {} // until it is killed
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestEndsWithTheProcess$")
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	folder := strings.TrimSpace(string(line[:n]))
	if _, there := os.Stat(folder); err != nil || folder == "" || there != nil {
		t.Errorf("the child's server: %q, %v, %v", folder, err, there)
	}
	if err := child.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	testwait.Until(t, "the watchdog ends the server and removes its folder", func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	})
}

package signing_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/testenv"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait for other processes most of the time, not for a core.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	testenv.Checks(25)
	// The heap is small and collecting it took a tenth of the time.
	debug.SetGCPercent(400)
	os.Exit(errtest.Run(m.Run, "kit/signing"))
}

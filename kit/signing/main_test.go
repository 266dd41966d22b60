package signing_test

import (
	"flag"
	"os"
	"testing"

	"github.com/railkit/railkit/internal/errtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait for other processes most of the time, not for a core.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(errtest.Run(m, "kit/signing"))
}

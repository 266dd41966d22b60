package oncall

import (
	"os"
	"testing"

	"github.com/railkit/railkit/internal/test/testenv"
)

func TestMain(m *testing.M) {
	testenv.Overlap()
	os.Exit(m.Run())
}

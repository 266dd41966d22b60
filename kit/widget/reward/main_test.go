package reward_test

import (
	"os"
	"testing"

	"github.com/railkit/railkit/internal/test/errtest"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m.Run, "kit/widget/reward")) }

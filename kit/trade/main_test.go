package trade_test

import (
	"context"
	"os"
	"testing"

	"github.com/railkit/railkit/internal/test/errtest"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m.Run, "kit/trade")) }

var ctx = context.Background()

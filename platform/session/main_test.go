package session_test

import (
	"os"
	"testing"

	"github.com/railkit/railkit/internal/errtest"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m, "platform/session")) }

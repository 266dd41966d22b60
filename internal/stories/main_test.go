package stories_test

import (
	"os"
	"testing"

	"github.com/railkit/railkit/internal/errtest"
	"github.com/railkit/railkit/internal/testenv"
	"github.com/railkit/railkit/internal/webtest"
)

func TestMain(m *testing.M) {
	testenv.Overlap()
	os.Exit(webtest.Run(func() int { return errtest.Run(m, "internal/stories") }))
}

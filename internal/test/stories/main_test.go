package stories_test

import (
	"os"
	"testing"

	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
)

func TestMain(m *testing.M) {
	testenv.Overlap()
	os.Exit(webtest.Run(func() int { return errtest.Run(m.Run, "internal/test/stories") }))
}

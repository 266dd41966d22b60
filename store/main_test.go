package store_test

import (
	"os"
	"testing"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/internal/test/toychain"
)

func TestMain(m *testing.M) {
	families.Add(toychain.Family{})
	killable()
	os.Exit(m.Run())
}

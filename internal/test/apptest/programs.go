package apptest

import (
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
)

func program(t testing.TB, name string) string {
	t.Helper()
	path, err := testbin.Path(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func devnetURL(t testing.TB) string {
	t.Helper()
	url, err := testbin.Devnet()
	if err != nil {
		t.Fatalf("starting the devnet: %v", err)
	}
	return url
}

package keystore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	good := map[string][]uint32{
		"m/44'/60'/0'/0/0":         {44 + hardened, 60 + hardened, hardened, 0, 0},
		"m/0":                      {0},
		"m/2147483647'/2147483647": {1<<32 - 1, 1<<31 - 1},
		"m/1/2/3/4/5/6/7/8/9/10":   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
	}
	for path, want := range good {
		if got, err := ParsePath(Secp256k1, path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v %v, want %v", path, got, err, want)
		}
	}
	if got, err := ParsePath(Ed25519, "m/44'/501'/0'"); err != nil || len(got) != 3 {
		t.Errorf("ed25519: %v %v", got, err)
	}
}

func TestSigning_X04_PathHasOneSpelling(t *testing.T) {
	t.Parallel()
	bad := []string{
		"", "m", "m/", "/", "44'/60'", "M/44'", "m44'", " m/44'", "m/44' ", "m/ 44'", "m/44 '", "m//0", "m/0/",
		"m/44h", "m/44H", "m/44''", "m/'", "m/44’", "m/044'", "m/00", "m/+1", "m/-1", "m/0x1", "m/1e3", "m/1_0",
		"m/2147483648", "m/2147483648'", "m/4294967296", "m/18446744073709551616", "m/٤", "m/1\n", "m/1\x00",
		"m/1/2/3/4/5/6/7/8/9/10/11", "m" + strings.Repeat("/0", 256),
	}
	for _, path := range bad {
		if _, err := ParsePath(Secp256k1, path); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := ParsePath(Secp256k1, "m/9999999999"); strings.Contains(err.Error(), "9999") {
		t.Errorf("the error repeats what was sent: %v", err)
	}
	for _, path := range []string{"m/44'/501'/0'/0", "m/44/501'/0'", "m/0"} {
		if _, err := ParsePath(Ed25519, path); !errors.Is(err, ErrPath) {
			t.Errorf("ed25519 %q: %v", path, err)
		}
	}
	for _, curve := range []string{"", "CURVE_P256", "curve_secp256k1"} {
		if _, err := ParsePath(curve, "m/0"); !errors.Is(err, ErrCurve) {
			t.Errorf("curve %q: %v", curve, err)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"m/44'/60'/0'/0/0", "m/0", "m/2147483648", "m//", "m/1''"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		steps, err := ParsePath(Secp256k1, path)
		if err != nil {
			return
		}
		again := "m"
		for _, s := range steps {
			again += fmt.Sprintf("/%d", s&^hardened)
			if s >= hardened {
				again += "'"
			}
		}
		if again != path {
			t.Errorf("%q is a second spelling of %q", path, again)
		}
	})
}

package keystore

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"
)

func TestSealers(t *testing.T) {
	t.Parallel()
	identity, err := NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	hybrid, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	passphrase, err := newPassphraseSealer("correct horse battery", 8) // 18 takes a second each
	if err != nil {
		t.Fatal(err)
	}
	sealers := map[string]Sealer{
		"passphrase":         passphrase,
		"identity":           mustParse(t, string(identity)),
		"age-keygen's file":  mustParse(t, "# created: 2026-01-01T00:00:00Z\n# public key: age1\n"+string(identity)),
		"Windows line ends":  mustParse(t, "# created\r\n"+strings.TrimSpace(string(identity))+"\r\n"),
		"post-quantum":       mustParse(t, hybrid.String()),
		"another identity":   mustParse(t, string(mustIdentity(t))),
		"another passphrase": mustPassphrase(t, "incorrect horse battery"),
	}
	same := map[string]bool{"identity": true, "age-keygen's file": true, "Windows line ends": true}
	plain := []byte("the root secrets")
	for by, s := range sealers {
		sealed, err := s.Seal(plain)
		if err != nil || bytes.Contains(sealed, plain) || s.Platform() != "software" {
			t.Fatalf("%s: %v on %s", by, err, s.Platform())
		}
		for with, o := range sealers {
			got, err := o.Open(sealed)
			if by == with || same[by] && same[with] {
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("sealed by %s, opened with %s: %v", by, with, err)
				}
			} else if !errors.Is(err, ErrUnseal) {
				t.Errorf("sealed by %s, opened with %s: %v", by, with, err)
			}
		}
		for _, at := range []int{0, len(sealed) / 2, len(sealed) - 1} {
			changed := bytes.Clone(sealed)
			changed[at] ^= 1
			if _, err := s.Open(changed); !errors.Is(err, ErrUnseal) {
				t.Errorf("sealed by %s, byte %d flipped: %v", by, at, err)
			}
		}
		if _, err := s.Open(sealed[:len(sealed)-1]); !errors.Is(err, ErrUnseal) {
			t.Errorf("sealed by %s, cut: %v", by, err)
		}
	}
}

func mustParse(t *testing.T, text string) Sealer {
	t.Helper()
	s, err := ParseSecret([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustIdentity(t *testing.T) []byte {
	t.Helper()
	identity, err := NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func mustPassphrase(t *testing.T, passphrase string) Sealer {
	t.Helper()
	s, err := newPassphraseSealer(passphrase, 8)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseSecretTakesAPassphraseWithOrWithoutLineEnd(t *testing.T) {
	t.Parallel()
	sealed, err := mustPassphrase(t, "correct horse battery").Seal([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"correct horse battery", "correct horse battery\n", "correct horse battery\r\n"} {
		if _, err := mustParse(t, text).Open(sealed); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseSecretRefuses(t *testing.T) {
	t.Parallel()
	identity := strings.TrimSpace(string(mustIdentity(t)))
	table := map[string]error{
		"":                                 ErrPassphrase,
		"\n\n":                             ErrPassphrase,
		"short":                            ErrPassphrase,
		"two lines of\npassphrase text":    ErrPassphrase,
		"with a tab\tin the middle":        ErrPassphrase,
		identity + "\n" + identity:         ErrPassphrase,
		"AGE-SECRET-KEY-1":                 ErrIdentity,
		identity[:len(identity)-1]:         ErrIdentity,
		identity[:len(identity)-1] + "!":   ErrIdentity,
		"AGE-SECRET-KEY-9" + identity[16:]: ErrIdentity,
	}
	for text, want := range table {
		_, err := ParseSecret([]byte(text))
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", len(text), err, want)
		}
		if err != nil && len(text) > 20 && strings.Contains(err.Error(), text[len(text)-10:len(text)-2]) {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
}

func FuzzParseSecret(f *testing.F) {
	for _, seed := range []string{"", "correct horse battery", "AGE-SECRET-KEY-1QQ", "# a\n# b\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSecret(text)
		if (s == nil) == (err == nil) {
			t.Errorf("sealer %v, error %v", s, err)
		}
	})
}

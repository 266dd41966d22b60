package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

func TestSkeletonsOfTheStandard(t *testing.T) {
	for _, same := range [][]string{
		// UTS #39, section 4, its sections on whole and mixed scripts, and ICU's documentation.
		{"paypal", "p\u0430yp\u0430l", "\u0440\u0430\u0443\u0440\u0430\u04c0", "paypa1"},
		{"scope", "\u0455\u0441\u043e\u0440\u0435"},
		{"ljeto", "\u01c9eto"},
		{"A1<\u05e9\u05c2", "\u0391\u05e9\u05ba>1"},
		{"A1\u05d0", "A\u05d01"},
		{"J-2", "J\u200f2\u2013\u200f"},
		// Lines of confusables.txt: one character for another, for several, and marks.
		{"O", "0", "\u041e", "\u039f", "\u2d54", "\U0001d7ce"},
		{"l", "I", "1", "|", "\u04c0", "\u0661", "\u05d5", "\u217c"},
		{"a", "\u0430", "\u0251", "\u03b1", "\U0001d482"},
		{"rn", "m", "\u217f", "\U0001d426"}, {"fi", "\ufb01"}, {"ae", "\u00e6"}, {"oe", "\u0153"},
		{"TEL", "\u2121"}, {"(l)", "\u2474"}, {"oo", "\ua74f"},
		{"'", "`", "\u2019", "\u02bc", "\u05f3"}, {"''", "\"", "\u201d", "\u05f4"},
		{"-", "\u2013", "\u2010", "\u2212", "\u06d4"}, {"(", "\u2768", "\u3014"},
		{"e\u0301", "\u00e9", "\u0435\u0301", "e\u064e"}, {"n\u0303", "\u00f1"},
		{"\u9fa0", "\u2fd5"}, {"\u0596", "\u05ad"}, // the last line and the first
		{"ab", "a\u200bb", "a\u00adb", "a\ufe0fb", "a\U000e0041b", "a\u3164b"}, // characters that are ignored
		{"\u0622", "\ufe81"}, // whose prototype has one itself
	} {
		for _, other := range same[1:] {
			if Skeleton(other) != Skeleton(same[0]) {
				t.Errorf("%q has the skeleton %+q, %q has %+q", other, Skeleton(other), same[0], Skeleton(same[0]))
			}
		}
	}
}

func TestConfusable(t *testing.T) {
	for _, names := range [][]string{
		{"PAYPAL", "PAYPA1", "paypal", "PayPal", "\u0420\u0430\u0443\u0440\u0430l",
			"\uff30\uff21\uff39\uff30\uff21\uff2c"},
		{"Acme  Inc", "Acme Inc", " Acme Inc ", "ACME lNC", "Acrne Inc"},
		{"Acme Pay", "AcmePay", "Acme-Pay", "Acme Pay.", "Acme_Pay", "Acme, Pay", "Acme.Pay", "Acme/Pay", "(Acme Pay)",
			"Acme & Pay", "\"Acme Pay\"", "Acme\u00a0Pay", "Acme\u2013Pay", "Acme\u00b7Pay", "Acme + Pay", "Acme~Pay",
			"Acme Pay\u00ae", "Acme\u2122 Pay", "Ac me Pay", "A.C.M.E. Pay", "*Acme Pay*", "acme-p\u0430y"},
		{"Pe\u00f1a", "Pen\u0303a", "PE\u00d1A", "Pena", "PENA"},
		{"Mar\u00eda Garc\u00eda", "Maria Garcia"},
		{"I0", "io", "IO"},
		{"Wallet 1", "Wallet l", "Wallet I", "Wallet \uff11"},
		{"\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2", "\u03c3\u03b1\u03c3"}, // a final sigma
		{"12 \u05d0\u05d1", "\u05d0\u05d1 12"},
	} {
		for _, name := range names[1:] {
			if !Confusable(names[0], name) || !Confusable(name, names[0]) {
				t.Errorf("%q and %q are two names: %q, %q", names[0], name, SkeletonKeys(names[0]), SkeletonKeys(name))
			}
		}
	}
	for one, other := range map[string]string{
		"Acme Pay": "Acme Pays", "Savings \u20ac": "Savings $", "...": "!!", "\U0001f355": "\U0001f680",
		"Acme 5": "Acme S", "Ana": "Anna",
		"\u682a\u5f0f": "\u682a\u5f0f\u4f1a", "\u05d0\u05d1": "\u05d1\u05d0", "Wallet 1": "Wallet 2", "i": "l", "": "a",
		"\u0915\u0940": "\u0915", // a vowel of Hindi
	} {
		if Confusable(one, other) {
			t.Errorf("%q and %q are one name: %q, %q", one, other, SkeletonKeys(one), SkeletonKeys(other))
		}
	}
}

// Every character by itself: what stands for it stands for itself, keys settle, and stay what they are.
func TestEveryCharacterSettles(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !unicode.IsGraphic(r) {
			continue
		}
		decomposed := []rune(norm.NFD.String(string(r)))
		once := prototype(decomposed)
		if again := prototype([]rune(once)); again != once {
			t.Errorf("%U: the prototype of %+q is %+q", r, once, again)
		}
		if key := settle(decomposed); settle([]rune(norm.NFD.String(key))) != key {
			t.Errorf("%U: the key %+q has another key", r, key)
		}
	}
}

// Go's tables decide which characters are letters, the files what they look like: a character that one knows and the
// other does not would have no likeness.
func TestTables(t *testing.T) {
	const from = "of Unicode " + unicode.Version + " without its comments"
	if norm.Version != unicode.Version || bidi.UnicodeVersion != unicode.Version {
		t.Errorf("unicode has %s, norm %s, bidi %s", unicode.Version, norm.Version, bidi.UnicodeVersion)
	}
	for name, file := range map[string]string{"confusables.tsv": confusablesFile, "mirrored.tsv": mirroredFile} {
		head, _, _ := strings.Cut(file, "\n0")
		if !strings.Contains(head, from) {
			t.Errorf("%s is not %s: make it again, see README.md", name, from)
		}
		table := readTable(file)
		if want := fmt.Sprintf("Total: %d.", len(table)); !strings.HasSuffix(head, want) {
			t.Errorf("%s has %d characters, but says %s", name, len(table), head)
		}
		for r, sequence := range table {
			if len(sequence) == 0 {
				t.Errorf("%s: nothing stands for %U", name, r)
			}
		}
	}
	for r, image := range mirrorImages() {
		if mirrorImages()[image] != r {
			t.Errorf("%U is the image of %U, but not the other way round", image, r)
		}
	}
}

func TestIgnorable(t *testing.T) {
	var all int
	for r := range rune(unicode.MaxRune + 1) {
		if isIgnorable(r) {
			all++
		}
	}
	if all != 4174 {
		t.Errorf("%d characters are ignored, DerivedCoreProperties.txt has 4174", all)
	}
}

func FuzzSkeleton(f *testing.F) {
	for _, seed := range []string{
		"PAYPAL", "\u0420\u0430\u0443\u0440\u0430l", "Pe\u00f1a", "12 \u05d0\u05d1 (\u05d2)",
		"\u0627\u0628 1,2% [x]", "\u05e9\u05c2\u05c1",
		"\uac00\u1100\u1161", "\ufdfa", "\u0345\u0301a", "\xff", "\u202eab",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 || !utf8.ValidString(s) {
			return
		}
		skeleton := Skeleton(s)
		if again := prototype([]rune(skeleton)); again != skeleton {
			t.Fatalf("%+q has the skeleton %+q, and that %+q", s, skeleton, again)
		}
		if !strings.ContainsFunc(skeleton, mayReorder) && Skeleton(skeleton) != skeleton {
			t.Fatalf("%+q has the skeleton %+q, and that %+q", s, skeleton, Skeleton(skeleton))
		}
		if composed := norm.NFC.String(s); Skeleton(composed) != skeleton {
			t.Fatalf("%+q has the skeleton %+q, composed %+q", s, skeleton, Skeleton(composed))
		}
		if !Confusable(s, s) || !Confusable(s, "  "+s+" ") {
			t.Fatalf("%+q is not confusable with itself", s)
		}
	})
}

var names = map[string]string{
	"Latin": "Acme Trading 12 S.A.", "Cyrillic": "\u0420\u0430\u0443\u0440\u0430l Ltd",
	"accents": "Jos\u00e9 Pe\u00f1a N\u00fa\u00f1ez",
	"Hebrew":  "\u05d7\u05d1\u05e8\u05d4 12 (\u05d1\u05e2\u05de)",
	"Chinese": "\u682a\u5f0f\u4f1a\u793e\u30a2\u30af\u30e1",
}

func BenchmarkSkeleton(b *testing.B) {
	for script, name := range names {
		b.Run(script, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Skeleton(name)
			}
		})
	}
}

func BenchmarkSkeletonKeys(b *testing.B) {
	for script, name := range names {
		b.Run(script, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				SkeletonKeys(name)
			}
		})
	}
}

// BenchmarkTables is what the first call costs beyond the others.
func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readTable(confusablesFile)
	}
}

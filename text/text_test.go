package text

import "testing"

func TestVisible(t *testing.T) {
	for _, good := range []string{
		"", "Ana Pérez", "Zoë", "O'Neil & Söhne (GmbH) #1", "株式会社", "محمد", "देवनागरी", "❤\ufe0f Pay", "e\u0301",
		"Booking.com", "\"quoted\" <b>",
	} {
		if !Visible(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{
		"a\nb", "a\rb", "a\tb", "a\x00b", "a\x1bb", "a\x7fb", "a\u0085b", "a\u2028b", "a\u2029b", // lines and controls
		"a\u202eb", "a\u202ab", "a\u2066b", "a\u2069b", "a\u200eb", "a\u200fb", "a\u061cb", // direction
		"a\u200bb", "a\u200cb", "a\u200db", "a\u2060b", "a\ufeffb", "a\u00adb", "a\u034fb", "a\u3164b", "a\u115fb",
		"a\u2800b", "a\ufe00b", "a\U000e0101b", // no width
		"a\u00a0b", "a\u2003b", "a\u3000b", // other spaces
		// Private, unassigned, tags, no UTF-8.
		"a\ue000b", "a\U000f0000b", "a\u0378b", "a\uffffb", "a\U000e0041b", "a\xffb",
	} {
		if Visible(bad) {
			t.Errorf("%+q passes", bad)
		}
	}
}

func TestNamesInMails(t *testing.T) {
	for name, want := range map[string]string{
		"Acme S.A. de C.V.":           "Acme S. A. de C. V.",
		"Acme https://evil.example/x": "Acme https: / / evil. example/ x",
		"www.evil.example":            "www. evil. example",
		"ops@evil.example":            "ops@ evil. example",
		"evil。example":                "evil。 example",
		"Acme\r\n\r\nOpen \u202eliam": "Acme Open liam",
		"  Ana   Pérez ":              "Ana Pérez",
		"St. John":                    "St. John",
	} {
		if got := InMail(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

package kyb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

var today = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

var street = &rest.PostalAddressRequest{Street: "1 Main Street", City: "Austin", PostalCode: "78701", Country: "us"}

func ada() rest.KYBPersonRequest {
	return rest.KYBPersonRequest{
		Name: "Ada Park", BirthDate: "1984-05-17", Address: street, OwnershipPercent: "60", HasControl: true,
		IsSigner: true,
	}
}

// filled is a change that fills in all but the documents.
func filled() rest.KYBChange {
	return rest.KYBChange{
		Business: &rest.KYBBusinessChange{
			LegalName: ptr("Acme"), Type: ptr("llc"), RegistrationNumber: ptr("5712345"), TaxID: ptr("12-3456789"),
		},
		Addresses: &rest.KYBAddressesChange{Registered: street},
		Activity: &rest.KYBActivityChange{
			Description: ptr("Pays"), SourceOfFunds: ptr("owners_capital"), ExpectedVolumeUSD: ptr("250000.50"),
		},
		People: []rest.KYBPersonRequest{ada()}, AllOwnersListed: ptr(true),
	}
}

// Each wrong field is refused by its name, and the value is not repeated.
func TestEdit_Refuses(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*rest.KYBChange)
	}{
		{"business.legalName must have only", func(c *rest.KYBChange) { c.Business.LegalName = ptr("secret\x1b[31m") }},
		{"addresses.registered.city must not be empty", func(c *rest.KYBChange) {
			c.Addresses.Registered = &rest.PostalAddressRequest{Street: "secret", City: " ", Country: "US"}
		}},
		{"addresses.operating.country must be", func(c *rest.KYBChange) {
			c.Addresses.Operating = &rest.PostalAddressRequest{Street: "secret", City: "secret", Country: "ZZ"}
		}},
		{"activity.website must be", func(c *rest.KYBChange) { c.Activity.Website = ptr("http://secret.example") }},
		{"activity.website must be", func(c *rest.KYBChange) { c.Activity.Website = ptr("https://secret@a.example") }},
		{"activity.expectedVolumeUsd must be", func(c *rest.KYBChange) { c.Activity.ExpectedVolumeUSD = ptr("-1") }},
		{"people[0].birthDate must be", func(c *rest.KYBChange) { c.People[0].BirthDate = "2026-11-23" }},
		{"people[0].birthDate must be", func(c *rest.KYBChange) { c.People[0].BirthDate = "1984-02-30" }},
		{"people[0].ownershipPercent must be", func(c *rest.KYBChange) { c.People[0].OwnershipPercent = "100.01" }},
		{"people[0].ownershipPercent must be", func(c *rest.KYBChange) { c.People[0].OwnershipPercent = "5e1" }},
		{"people[0].name must not be empty", func(c *rest.KYBChange) { c.People[0].Name = " " }},
		{"people[0].id is of nobody", func(c *rest.KYBChange) { c.People[0].ID = "secret" }},
		{"people[0].address.country must be", func(c *rest.KYBChange) {
			c.People[0].Address = &rest.PostalAddressRequest{Street: "secret", City: "secret", Country: "secret"}
		}},
		{"people must not own more", func(c *rest.KYBChange) { c.People = append(c.People, ada()) }},
	} {
		in, f := filled(), Form{}
		c.change(&in)
		_, err := edit(&f, in, today)
		if !errors.Is(err, fault.ErrValidation) || !strings.Contains(fmt.Sprint(err), c.want) ||
			strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// A change is about the sections that it has something of, and must have one.
func TestChanges(t *testing.T) {
	all, err := changes(filled())
	if err != nil || !slices.Equal(all, []string{business, addresses, activity, people}) {
		t.Errorf("%v, %v", all, err)
	}
	all, err = changes(rest.KYBChange{AllOwnersListed: ptr(false)})
	if err != nil || !slices.Equal(all, []string{people}) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := changes(rest.KYBChange{Version: 3}); !errors.Is(err, fault.ErrValidation) {
		t.Errorf("%v, %v", all, err)
	}
}

// What is left out stays as it is; what is empty is cleared; people keep their ids.
func TestEdit_KeepsTheRest(t *testing.T) {
	f := Form{}
	if _, err := edit(&f, filled(), today); err != nil {
		t.Fatal(err)
	}
	id := f.People[0].ID
	again := ada()
	again.ID, again.OwnershipPercent = id, "40.5"
	fields, err := edit(&f, rest.KYBChange{
		Business: &rest.KYBBusinessChange{LegalName: ptr(" Acme 2 "), TaxID: ptr("")},
		People:   []rest.KYBPersonRequest{again, {Name: "Bob"}},
	}, today)
	if err != nil || !slices.Equal(fields, []string{"business.legalName", "business.taxId", "people"}) {
		t.Fatalf("%v, %v", fields, err)
	}
	if f.LegalName != "Acme 2" || f.TaxID != "" || f.Type != "llc" || !f.AllOwnersListed ||
		f.Registered.Country != "US" ||
		len(f.People) != 2 || f.People[0].ID != id || f.People[1].ID == "" || f.People[1].ID == id {
		t.Errorf("%+v", f)
	}
	again.OwnershipPercent = "10"
	if _, err := edit(&f, rest.KYBChange{People: []rest.KYBPersonRequest{again, again}}, today); !strings.Contains(
		fmt.Sprint(err), "people[1].id is there twice") {
		t.Errorf("one person twice: %v", err)
	}
	if _, err := edit(&f, rest.KYBChange{People: []rest.KYBPersonRequest{}}, today); err != nil || len(f.People) != 0 {
		t.Errorf("an empty list: %v, %+v", err, f.People)
	}
}

// Each thing that is taken away is named by its field; a whole form lacks nothing.
func TestCompletion(t *testing.T) {
	whole := Form{}
	if _, err := edit(&whole, filled(), today); err != nil {
		t.Fatal(err)
	}
	id := whole.People[0].ID
	papers := []file{{Document{Kind: formation}, label{}}, {Document{Kind: identity}, label{PersonID: id}}}
	for _, c := range []struct {
		want   string
		change func(*Form, *[]file)
	}{
		{"", func(*Form, *[]file) {}},
		{"business.legalName business.type business.registrationNumber business.taxId", func(f *Form, _ *[]file) {
			f.LegalName, f.Type, f.RegistrationNumber, f.TaxID = "", "", "", ""
		}},
		{"addresses.registered", func(f *Form, _ *[]file) { f.Registered = nil }},
		{"activity.description activity.sourceOfFunds activity.expectedVolumeUsd", func(f *Form, _ *[]file) {
			f.Description, f.SourceOfFunds, f.ExpectedVolumeUSD = "", "", ""
		}},
		{"people people allOwnersListed", func(f *Form, _ *[]file) { f.People, f.AllOwnersListed = nil, false }},
		{"people", func(f *Form, _ *[]file) { f.People[0].HasControl = false }},
		{"people", func(f *Form, _ *[]file) { f.People[0].IsSigner = false }},
		{"people[0].birthDate people[0].address people[0].ownershipPercent", func(f *Form, _ *[]file) {
			f.People[0].BirthDate, f.People[0].Address, f.People[0].OwnershipPercent = "", nil, ""
		}},
		{"documents.formation documents.identity[0]", func(_ *Form, d *[]file) { *d = nil }},
		{"documents.identity[1]", func(f *Form, _ *[]file) { // an owner of a quarter
			f.People = append(f.People, f.People[0])
			f.People[1] = Person{ID: "x", BirthDate: "1984-05-17", Address: f.Registered, OwnershipPercent: "25"}
		}},
		{"", func(f *Form, _ *[]file) { // of less
			f.People = append(f.People, f.People[0])
			f.People[1] = Person{ID: "x", BirthDate: "1984-05-17", Address: f.Registered, OwnershipPercent: "24.99"}
		}},
	} {
		f, d := whole, slices.Clone(papers)
		f.People = slices.Clone(whole.People)
		c.change(&f, &d)
		v := completion(f, d)
		var got []string
		for _, m := range missing(v) {
			got = append(got, m.Field)
		}
		if strings.Join(got, " ") != c.want || v.Complete != (c.want == "") || len(v.Sections) != 5 {
			t.Errorf("%q instead of %q: %+v", got, c.want, v)
		}
	}
}

// Of a short number less than four characters are shown.
func TestLastFour(t *testing.T) {
	for number, want := range map[string]string{"": "", "7": "", "123": "3", "12-3456789": "6789", "ÄÖÜßé": "ßé"} {
		if got := lastFour(number); got != want {
			t.Errorf("%q is shown as %q", number, got)
		}
	}
}

// A member who has seen a section as it is may change it; others may have changed elsewhere.
func TestDraft_Unchanged(t *testing.T) {
	d := Draft{Version: 5, Sections: map[string]int64{business: 2, people: 5}}
	for _, c := range []struct {
		seen     int64
		sections []string
		want     error
	}{
		{5, []string{business, people}, nil}, {2, []string{business, activity}, nil}, {4, []string{people}, ErrChanged},
		{1, []string{activity, business}, ErrChanged}, {6, []string{activity}, fault.ErrValidation},
	} {
		if err := d.unchanged(c.seen, c.sections); !errors.Is(err, c.want) {
			t.Errorf("%d, %v: %v", c.seen, c.sections, err)
		}
	}
}

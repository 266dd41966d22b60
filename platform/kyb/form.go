package kyb

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/language"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/text"
)

// The sections of a form. Two members may change two of them at once.
const (
	business  = "business"
	addresses = "addresses"
	activity  = "activity"
	people    = "people"
	documents = "documents"
)

// Form is what is asked of a business. It is stored sealed.
type Form struct {
	LegalName, Type           string
	RegistrationNumber, TaxID string

	Registered, Operating *rest.PostalAddress

	Website, Description, SourceOfFunds string
	ExpectedVolumeUSD                   string

	People          []Person
	AllOwnersListed bool

	// Documents are those that it was submitted with. A form that is filled in has none here: it has the workspace's.
	Documents []Attached
}

// Attached is a document of a submitted form. Nobody can put another file in its place: its id is only its own.
type Attached struct{ ID, Kind, PersonID string }

// Person is one of those behind the business.
type Person struct {
	ID, Name             string
	BirthDate            string // 2006-01-02
	Address              *rest.PostalAddress
	OwnershipPercent     string
	HasControl, IsSigner bool
}

// has tells whether the person is in the form.
func (f Form) has(personID string) bool {
	return slices.ContainsFunc(f.People, func(p Person) bool { return p.ID == personID })
}

func (f Form) seal(v *vault.Vault, at vault.Place) (string, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("writing the form of a business: %w", err)
	}
	return v.Seal(at, raw), nil
}

func openForm(v *vault.Vault, at vault.Place, sealed string) (f Form, err error) {
	if sealed == "" {
		return f, nil
	}
	raw, err := v.Open(at, sealed)
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		return Form{}, fmt.Errorf("reading the form of a business: %w", err)
	}
	return f, nil
}

// changes lists the sections that a change is about.
func changes(in rest.KYBChange) (sections []string, err error) {
	for _, s := range []struct {
		name  string
		given bool
	}{
		{business, in.Business != nil}, {addresses, in.Addresses != nil}, {activity, in.Activity != nil},
		{people, in.People != nil || in.AllOwnersListed != nil},
	} {
		if s.given {
			sections = append(sections, s.name)
		}
	}
	if sections == nil {
		err = fault.Field("body", "must have business, addresses, activity, people or allOwnersListed")
	}
	return sections, err
}

// editor puts a change into a form. It remembers which fields are changed, and the first that is wrong.
type editor struct {
	form   *Form
	now    time.Time
	fields []string
	err    error
}

// edit applies a change, and names the fields that it changes.
func edit(f *Form, in rest.KYBChange, now time.Time) (fields []string, _ error) {
	e := &editor{form: f, now: now}
	if b := in.Business; b != nil {
		e.line("business.legalName", &f.LegalName, b.LegalName)
		e.line("business.type", &f.Type, b.Type)
		e.line("business.registrationNumber", &f.RegistrationNumber, b.RegistrationNumber)
		e.line("business.taxId", &f.TaxID, b.TaxID)
	}
	if a := in.Addresses; a != nil {
		e.address("addresses.registered", &f.Registered, a.Registered)
		e.address("addresses.operating", &f.Operating, a.Operating)
	}
	if a := in.Activity; a != nil {
		e.line("activity.website", &f.Website, a.Website)
		e.line("activity.description", &f.Description, a.Description)
		e.line("activity.sourceOfFunds", &f.SourceOfFunds, a.SourceOfFunds)
		e.line("activity.expectedVolumeUsd", &f.ExpectedVolumeUSD, a.ExpectedVolumeUSD)
		e.check("activity.website", f.Website == "" || isWebsite(f.Website),
			"must be an address that begins with https://")
		e.check("activity.expectedVolumeUsd", f.ExpectedVolumeUSD == "" || decimal.MatchString(f.ExpectedVolumeUSD),
			"must be a decimal number, such as 250000")
	}
	e.people(in)
	return e.fields, e.err
}

func (e *editor) check(field string, holds bool, constraint string) {
	if !holds && e.err == nil {
		e.err = fault.Field(field, constraint)
	}
}

// line takes a text of one line, where it is given.
func (e *editor) line(field string, to, given *string) {
	if given == nil {
		return
	}
	e.check(field, text.Visible(*given), text.Unseen)
	*to = strings.TrimSpace(*given)
	e.fields = append(e.fields, field)
}

func (e *editor) address(field string, to **rest.PostalAddress, given *rest.PostalAddressRequest) {
	if given == nil {
		return
	}
	a := rest.PostalAddress{Country: strings.ToUpper(given.Country)}
	for _, part := range []struct {
		name   string
		given  string
		to     *string
		needed bool
	}{
		{"street", given.Street, &a.Street, true}, {"city", given.City, &a.City, true},
		{"state", given.State, &a.State, false}, {"postalCode", given.PostalCode, &a.PostalCode, false},
	} {
		*part.to = strings.TrimSpace(part.given)
		e.check(field+"."+part.name, text.Visible(part.given), text.Unseen)
		e.check(field+"."+part.name, !part.needed || *part.to != "", "must not be empty")
	}
	e.check(field+".country", isCountry(a.Country), "must be an ISO 3166 country code of two letters")
	*to = &a
	e.fields = append(e.fields, field)
}

func (e *editor) people(in rest.KYBChange) {
	if in.AllOwnersListed != nil {
		e.form.AllOwnersListed = *in.AllOwnersListed
		e.fields = append(e.fields, "allOwnersListed")
	}
	if in.People == nil {
		return
	}
	known, fields := e.form.People, e.fields
	e.form.People = []Person{}
	owned := int64(0)
	for i, given := range in.People {
		at := fmt.Sprintf("people[%d]", i)
		p := e.person(at, given, known)
		owned += hundredths(p.OwnershipPercent)
		e.form.People = append(e.form.People, p)
	}
	e.check("people", owned <= 100_00, "must not own more than 100 % together")
	e.fields = append(fields, people)
}

func (e *editor) person(at string, given rest.KYBPersonRequest, known []Person) Person {
	p := Person{
		ID: given.ID, Name: strings.TrimSpace(given.Name), BirthDate: given.BirthDate,
		OwnershipPercent: given.OwnershipPercent.String(), HasControl: given.HasControl, IsSigner: given.IsSigner,
	}
	same := func(o Person) bool { return o.ID == p.ID }
	e.check(at+".id", p.ID == "" || slices.ContainsFunc(known, same), "is of nobody in the form")
	e.check(at+".id", p.ID == "" || !slices.ContainsFunc(e.form.People, same), "is there twice")
	if p.ID == "" {
		p.ID = uuid.NewString()
	}
	e.check(at+".name", p.Name != "", "must not be empty")
	e.check(at+".name", text.Visible(p.Name), text.Unseen)
	e.check(at+".birthDate", p.BirthDate == "" || isBirthDate(p.BirthDate, e.now), "must be a date of a person's birth")
	e.check(at+".ownershipPercent", p.OwnershipPercent == "" || percent.MatchString(p.OwnershipPercent),
		"must be a number from 0 to 100, with two decimals at most")
	e.address(at+".address", &p.Address, given.Address)
	return p
}

var (
	decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,12})(\.[0-9]{1,2})?$`)
	percent = regexp.MustCompile(`^(100(\.0{1,2})?|[0-9]{1,2}(\.[0-9]{1,2})?)$`)
)

// hundredths is a percentage in hundredths of a percent. One that is none, which the editor has noted, is 0.
func hundredths(p string) int64 {
	whole, part, _ := strings.Cut(p, ".")
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func isWebsite(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
}

func isCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && len(code) == 2 && region.IsCountry()
}

func isBirthDate(s string, now time.Time) bool {
	day, err := time.Parse(time.DateOnly, s)
	return err == nil && day.Year() >= 1900 && day.Before(now)
}

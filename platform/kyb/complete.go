package kyb

import (
	"fmt"
	"slices"

	"github.com/railkit/railkit/rest"
)

// owner is what makes a person an owner to be listed, in hundredths of a percent.
const owner = 25_00

// owns tells whether the person has as much of the business that it must be known.
func (p Person) owns() bool { return hundredths(p.OwnershipPercent) >= owner }

// completion says what a form lacks, section by section.
func completion(f Form, all []file) rest.KYBCompletion {
	v := rest.KYBCompletion{Complete: true}
	for _, s := range []struct {
		name    string
		missing []rest.KYBMissing
	}{
		{business, f.missesOfBusiness()}, {addresses, f.missesOfAddresses()}, {activity, f.missesOfActivity()},
		{people, f.missesOfPeople()}, {documents, f.missesOfDocuments(all)},
	} {
		done := len(s.missing) == 0
		v.Complete = v.Complete && done
		v.Sections = append(v.Sections, rest.KYBSection{
			Section: s.name, Complete: done, Missing: slices.Concat([]rest.KYBMissing{}, s.missing),
		})
	}
	return v
}

// lacks collects what is missing.
type lacks []rest.KYBMissing

func (l *lacks) unless(there bool, field, message string) {
	if !there {
		*l = append(*l, rest.KYBMissing{Field: field, Message: message})
	}
}

func (f Form) missesOfBusiness() (l lacks) {
	l.unless(f.LegalName != "", "business.legalName", "The legal name of the business is missing")
	l.unless(f.Type != "", "business.type", "The type of the business is missing")
	l.unless(f.RegistrationNumber != "", "business.registrationNumber",
		"The number of the business at its register is missing")
	l.unless(f.TaxID != "", "business.taxId", "The tax number of the business is missing")
	return l
}

func (f Form) missesOfAddresses() (l lacks) {
	l.unless(f.Registered != nil, "addresses.registered", "The address where the business is registered is missing")
	return l
}

func (f Form) missesOfActivity() (l lacks) {
	l.unless(f.Description != "", "activity.description", "What the business does is missing")
	l.unless(f.SourceOfFunds != "", "activity.sourceOfFunds", "Where the money of the business comes from is missing")
	l.unless(f.ExpectedVolumeUSD != "", "activity.expectedVolumeUsd",
		"What is expected to be paid in a month is missing")
	return l
}

func (f Form) missesOfPeople() (l lacks) {
	l.unless(slices.ContainsFunc(f.People, func(p Person) bool { return p.HasControl }), people,
		"A person who has control of the business is missing")
	l.unless(slices.ContainsFunc(f.People, func(p Person) bool { return p.IsSigner }), people,
		"A person who may sign for the business is missing")
	for i, p := range f.People {
		at := fmt.Sprintf("people[%d].", i)
		l.unless(p.BirthDate != "", at+"birthDate", "The person's date of birth is missing")
		l.unless(p.Address != nil, at+"address", "The person's address is missing")
		l.unless(p.OwnershipPercent != "", at+"ownershipPercent",
			"How much of the business the person owns is missing; 0 is nothing")
	}
	l.unless(f.AllOwnersListed, "allOwnersListed",
		"It is not confirmed that everybody who owns 25 % or more is listed")
	return l
}

func (f Form) missesOfDocuments(all []file) (l lacks) {
	has := func(kind, personID string) bool {
		return slices.ContainsFunc(all, func(d file) bool { return d.Kind == kind && d.PersonID == personID })
	}
	l.unless(slices.ContainsFunc(all, func(d file) bool { return d.Kind == formation }), "documents.formation",
		"A document that shows that the business was formed is missing")
	for i, p := range f.People {
		l.unless(!p.HasControl && !p.IsSigner && !p.owns() || has(identity, p.ID),
			fmt.Sprintf("documents.identity[%d]", i),
			fmt.Sprintf("A document that shows who people[%d] is is missing", i))
	}
	return l
}

// missing lists all that a form lacks.
func missing(c rest.KYBCompletion) (all []rest.KYBMissing) {
	for _, s := range c.Sections {
		all = append(all, s.Missing...)
	}
	return all
}

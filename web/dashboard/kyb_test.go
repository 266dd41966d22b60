package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// business is a workspace whose business nobody has checked, and an admin in it.
func (w *world) business(t *testing.T) (workspace string, ada *person) {
	t.Helper()
	var made struct{ ID string }
	made1 := w.Do(w.Keys.AdminKey, http.MethodPost, "/v1/integrators", `{"name":"Acme","email":"ops@acme.example"}`)
	if err := made1.Into(&made); err != nil || made.ID == "" {
		t.Fatalf("%d %s", made1.Status, made1.Body)
	}
	return made.ID, w.joinsIn(t, made.ID, "ada@acme.example", auth.RoleAdmin)
}

// A business is described in the dashboard, is asked for more, and is approved. Then an operator refuses it after all,
// says why, and takes it back.
func TestDashboard_KYB(t *testing.T) {
	w := newWorld(t)
	workspace, ada := w.business(t)
	ada.sees("The check of your business is pending")
	ada.settles()
	if got := ada.Eval(`document.querySelectorAll("[role=alert]").length`); got != "0" {
		t.Errorf("Home tells of %s errors to a business that has just begun", got)
	}
	ada.click("The form")
	ada.sees("things are missing")
	ada.types("legalName", "Acme More Information Ltd")
	ada.types("type", "llc")
	ada.types("registrationNumber", "5712345")
	ada.types("taxId", "12-3456789")
	ada.saves("The business", "it ends in 345")
	for name, value := range map[string]string{
		"registeredStreet": "1 Main Street", "registeredPostalCode": "78701", "registeredCity": "Austin",
		"registeredState": "TX", "registeredCountry": "US",
	} {
		ada.types(name, value)
	}
	ada.saves("Where it is")
	ada.types("description", "Pays suppliers")
	ada.types("sourceOfFunds", "owners_capital")
	ada.types("expectedVolumeUsd", "250000")
	ada.saves("What it does")
	ada.click("Add a person")
	for name, value := range map[string]string{
		"name": "Ada Park", "birthDate": "1984-05-17", "ownershipPercent": "60", "hasControl": "yes", "isSigner": "yes",
		"homeStreet": "1 Main Street", "homePostalCode": "78701", "homeCity": "Austin", "homeState": "TX",
		"homeCountry": "US", "all": "yes",
	} {
		ada.types(name, value)
	}
	ada.click("Save")
	ada.sees("Ada Park", "60 %", "decides, signs")
	ada.sends("formation")
	ada.sends("identity")
	ada.click("Hand it in")
	ada.sees("More information", "Change what is asked for")
	ada.Picture("dashboard-kyb")
	ada.types("legalName", "Acme Ltd")
	ada.saves("The business")
	ada.click("Hand it in")
	ada.sees("Your business is approved")

	decide := func(body string) {
		t.Helper()
		if a := w.Do(w.Keys.AdminKey, http.MethodPatch, "/v1/integrators/"+workspace+"/kyb", body); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	decide(`{"status":"rejected","reason":"The register knows no such company"}`)
	ada.sees("Your business was not approved", "The register knows no such company")
	decide(`{"status":"approved"}`)
	ada.sees("Your business is approved")
}

// saves presses the button of a section of the form, and waits until it is saved.
func (p *person) saves(section string, shown ...string) {
	p.T.Helper()
	const version = `document.querySelector("[data-version]").dataset.version`
	before := p.Eval(version)
	p.Eval(`[...document.querySelectorAll("section")].find((s) => s.querySelector("h2").textContent === "` + section +
		`").querySelector("form button").click()`)
	apptest.Eventually(p.T, section+" is saved and read again", func() bool { return p.Eval(version) != before })
	p.sees(append(shown, "Saved")...)
}

// sends uploads a document.
func (p *person) sends(kind string) {
	p.T.Helper()
	p.types("kind", kind)
	p.Eval(`(() => {
		const files = new DataTransfer();
		files.items.add(new File(["%PDF-1.7\n"], "` + kind + `.pdf", { type: "application/pdf" }));
		document.getElementById("kyb-file").files = files.files;
		return 1;
	})()`)
	p.click("Send the file")
	p.sees(kind + ".pdf")
}

package walk

import (
	"encoding/base64"
	"fmt"

	"github.com/railkit/railkit/internal/test/apptest"
)

const integratorsPath = "/v1/integrators"

// operate makes a request under the operator's key.
func (w *World) operate(method, path string, body any) Request {
	r := w.by(method, path, body)
	r.Authorization = "ApiKey " + w.Operator
	return r
}

// ofIntegrator is a path of the workspace.
func (w *World) ofIntegrator(path string) string { return integratorsPath + "/" + w.WorkspaceID + path }

func createIntegrator(w *World) Request {
	return w.operate("POST", integratorsPath, map[string]string{"name": w.name("Integrator"), "email": w.email()})
}

func updateIntegrator(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator(""), map[string]string{"name": w.name("Renamed")})
}

func setIntegratorKyb(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator("/kyb"), map[string]string{"status": "approved", "reason": w.name("seen")})
}

func setIntegratorAgentLimits(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator("/agent-limits"),
		map[string]any{"rateLimits": map[string]int{"standard": 1000, "financial": 1000}})
}

func setIntegratorModules(w *World) Request {
	return w.operate("PATCH",
		w.ofIntegrator("/modules"), map[string][]string{"modules": {"signing", "payout", "agents", "widget"}})
}

func createAPIKey(w *World) Request {
	return w.operate("POST", w.ofIntegrator("/api-keys"), map[string]string{"name": w.name("key")})
}

// apiKey is the path of a new key.
func (w *World) apiKey() string {
	w.T.Helper()
	var made struct{ ID string }
	w.must(createAPIKey(w), &made)
	return w.ofIntegrator("/api-keys/" + made.ID)
}

func revokeAPIKey(w *World) Request { return w.operate("DELETE", w.apiKey(), nil) }
func getAPIKey(w *World) Request    { return w.operate("GET", w.apiKey(), nil) }

const kybPath = "/v1/kyb/customers"

// kybVersion is the version of the form that a member reads.
func kybVersion(w *World, b *apptest.Browser) int {
	w.T.Helper()
	var form struct{ Version int }
	w.must(w.as(b, "GET", kybPath+"/me", ""), &form)
	return form.Version
}

func updateKybForm(w *World) Request {
	b := w.member()
	return w.as(b, "PATCH", kybPath,
		fmt.Sprintf(`{"version":%d,"business":{"legalName":%q}}`, kybVersion(w, b), w.name("Acme")))
}

// pdf is a file that begins as a PDF does, in base64.
var pdf = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"))

func addKybDocument(w *World) Request {
	return w.as(w.member(), "POST", kybPath+"/documents",
		`{"kind":"formation","name":"certificate.pdf","content":"`+pdf+`"}`)
}

func deleteKybDocument(w *World) Request {
	r := addKybDocument(w)
	var made struct{ ID string }
	w.must(r, &made)
	r.Method, r.Path, r.Body = "DELETE", r.Path+"/"+made.ID, ""
	return r
}

// submitKybForm submits a complete form in a workspace of its own: a form that is under review cannot be changed.
func submitKybForm(w *World) Request {
	var made struct{ ID string }
	w.must(createIntegrator(w), &made)
	b := w.App.JoinBy(w.Operator, made.ID, w.email(), "manager")
	const street = `{"street":"1 Main Street","city":"Austin","state":"TX","postalCode":"78701","country":"US"}`
	var form struct{ People []struct{ ID string } }
	w.must(w.as(b, "PATCH", kybPath, `{"version":0,"business":{"legalName":"Acme","type":"llc","registrationNumber":"5712345",
		"taxId":"12-3456789"},"addresses":{"registered":`+street+`},"activity":{"description":"Pays suppliers",
		"sourceOfFunds":"owners_capital","expectedVolumeUsd":"250000"},"people":[{"name":"Ada Park","birthDate":"1984-05-17",
		"address":`+street+`,"ownershipPercent":60,"hasControl":true,"isSigner":true}],"allOwnersListed":true}`), &form)
	for _, kind := range []string{`"formation"`, `"identity","personId":"` + form.People[0].ID + `"`} {
		w.must(w.as(b, "POST", kybPath+"/documents", `{"kind":`+kind+`,"name":"a.pdf","content":"`+pdf+`"}`), nil)
	}
	return w.as(b, "POST", kybPath+"/submit", fmt.Sprintf(`{"version":%d}`, kybVersion(w, b)))
}

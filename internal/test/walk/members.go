package walk

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

func inviteMember(w *World) Request {
	return w.operate("POST", w.ofIntegrator("/members"), map[string]string{"email": w.email(), "role": "viewer"})
}

// invitation is the path of a new invitation.
func (w *World) invitation() string {
	w.T.Helper()
	var made struct{ ID string }
	w.must(inviteMember(w), &made)
	return w.ofIntegrator("/invitations/" + made.ID)
}

func revokeInvitation(w *World) Request { return w.operate("DELETE", w.invitation(), nil) }
func resendInvitation(w *World) Request { return w.operate("POST", w.invitation()+"/resend", nil) }

// Member is a new member of the workspace, logged in.
func (w *World) Member(role auth.Role) *apptest.Browser {
	w.T.Helper()
	return w.App.JoinBy(w.Operator, w.WorkspaceID, w.email(), role)
}

func (w *World) member() *apptest.Browser { return w.Member(auth.RoleManager) }

func changeMemberRole(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator("/members/"+w.member().MemberID), map[string]string{"role": "auditor"})
}

func removeMember(w *World) Request {
	return w.operate("DELETE", w.ofIntegrator("/members/"+w.member().MemberID), nil)
}

// as makes a request under a member's session.
func (w *World) as(b *apptest.Browser, method, path, body string) Request {
	return Request{Method: method, Path: path, Body: body, Authorization: "Bearer " + b.Access, Member: b}
}

// one is the id of the last of a list of the member's own.
func (w *World) one(b *apptest.Browser, path string) string {
	w.T.Helper()
	var all []struct{ ID string }
	w.must(w.as(b, "GET", path, ""), &all)
	return all[len(all)-1].ID
}

func addLoginPasskey(w *World) Request {
	b := w.member()
	var options json.RawMessage
	w.must(w.as(b, "POST", "/v1/auth/passkeys/challenge", ""), &options)
	return w.as(b, "POST", "/v1/auth/passkeys", `{"credential":`+b.Create(options)+`}`)
}

func deleteLoginPasskey(w *World) Request {
	r := addLoginPasskey(w)
	var made struct{ ID string }
	w.must(r, &made)
	r.Method, r.Path, r.Body = http.MethodDelete, r.Path+"/"+made.ID, ""
	return r
}

func changeNotifications(w *World) Request {
	return w.as(w.member(), "PATCH", "/v1/auth/notifications", `{"language":"es","requests":false}`)
}

// endSession ends another session than the one that asks.
func endSession(w *World) Request {
	b := w.member()
	r := w.as(b, "GET", "/v1/auth/sessions", "")
	b.Take(b.Login())
	id := w.one(b, r.Path)
	r.Method, r.Path = http.MethodDelete, r.Path+"/"+id
	return r
}

// addReturnOrigin is by an admin who has just logged in.
func addReturnOrigin(w *World) Request {
	return w.as(w.Member(auth.RoleAdmin), "POST", w.ofIntegrator("/return-origins"),
		`{"origin":"https://`+strings.ReplaceAll(w.email(), "@", ".")+`"}`)
}

func removeReturnOrigin(w *World) Request {
	r := addReturnOrigin(w)
	var made struct{ ID string }
	w.must(r, &made)
	r.Method, r.Path, r.Body = http.MethodDelete, r.Path+"/"+made.ID, ""
	return r
}

func logout(w *World) Request {
	headers := []string{"Origin", apptest.Dashboard}
	for _, c := range w.member().Cookies {
		headers = append(headers, "Cookie", c.Name+"="+c.Value)
	}
	return Request{Method: http.MethodPost, Path: "/v1/auth/logout", Headers: headers}
}

// acceptInvitation and finishLogin are done once, and refused from then on.
func acceptInvitation(w *World) Request {
	b := w.App.NewBrowser()
	token := w.App.InviteBy(w.Operator, w.WorkspaceID, w.email(), auth.RoleViewer)
	var v struct{ Options json.RawMessage }
	opened := b.Post("/v1/auth/invitations/open", map[string]string{"token": token})
	if err := opened.Into(&v); err != nil {
		w.T.Fatalf("%d %s", opened.Status, opened.Body)
	}
	return w.fromDashboard("/v1/auth/invitations/accept", `{"token":"`+token+`","credential":`+b.Create(v.Options)+`}`)
}

func finishLogin(w *World) Request {
	b := w.member()
	return w.fromDashboard("/v1/auth/login/finish",
		`{"credential":`+b.Assert(b.Post("/v1/auth/login/begin", "").Data())+`}`)
}

func (w *World) fromDashboard(path, body string) Request {
	return Request{Method: http.MethodPost, Path: path, Body: body, Headers: []string{"Origin", apptest.Dashboard}}
}

// Single are the operations that ask for no credential and are done once: what
// lets the caller do it is used up, so that a second call is refused, with this
// code. An answer that got lost is not kept, since it holds the member's session:
// who got none logs in.
var Single = map[string]string{
	"acceptInvitation": "not_found",
	"finishLogin":      "login_refused",
}

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

package admin

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

const (
	formPath = "/v1/kyb/customers"
	lane     = `{"street":"12 Hidden Lane","city":"Austin","postalCode":"78701","country":"US"}`
)

// submitForm has a member of the workspace submit a form, which the sandbox's check approves by itself.
func submitForm(t *testing.T, a *apptest.App, ada *apptest.Browser) {
	t.Helper()
	send := func(method, path, body string, into any) {
		t.Helper()
		if got := ada.Do(method, path, body); got.Status/100 != 2 || got.Into(into) != nil {
			t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
		}
	}
	var form rest.KYB
	send("PATCH", formPath, `{"version":0,"business":{"legalName":"Acme","type":"llc","registrationNumber":"5712345",
		"taxId":"12-3456789"},"addresses":{"registered":`+lane+`},"activity":{"description":"Pays suppliers",
		"sourceOfFunds":"owners_capital","expectedVolumeUsd":"250000"},"people":[{"name":"Ada Hidden",
		"birthDate":"1984-05-17","address":`+lane+`,"ownershipPercent":60,"hasControl":true,"isSigner":true}],
		"allOwnersListed":true}`, &form)
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"))
	for _, kind := range []string{`"formation"`, `"identity","personId":"` + form.People[0].ID + `"`} {
		send("POST", formPath+"/documents", `{"kind":`+kind+`,"name":"Ada Hidden.pdf","content":"`+pdf+`"}`,
			&rest.KYBDocument{})
	}
	send("GET", formPath+"/me", "", &form)
	send("POST", formPath+"/submit", fmt.Sprintf(`{"version":%d}`, form.Version), &rest.KYBSubmission{})
	apptest.Eventually(t, "a decision", func() bool {
		last, err := a.Store.KYB().LastSubmission(t.Context(), a.Keys.WorkspaceID)
		return err == nil && last.State == "approved"
	})
}

// An operator lists forms, sees nothing of what is in them but by the export, which the record names, and decides.
func TestPlatform_AdminKYB(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	s, own := beside(t, a), a.Keys.WorkspaceID
	out := filepath.Join(t.TempDir(), "export")
	at := []string{"--workspace", own}
	for _, c := range []struct{ args, want string }{
		{"ask", "--reason: is required"}, {"ask --reason r", "--workspace: it has submitted no form"},
		{"export --out " + out, "--workspace: it has submitted no form"}, {"export", "--out: is required"},
	} {
		if code, _, said := s.run(append(append([]string{"kyb"}, strings.Fields(c.args)...), at...)...); code == 0 ||
			!strings.Contains(said, c.want) {
			t.Errorf("%s: %d %s", c.args, code, said)
		}
	}
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	submitForm(t, a, ada)
	list, _ := s.must("kyb", "list", "--state", "approved")
	shown, _ := s.must(append([]string{"kyb", "show"}, at...)...)
	if !strings.Contains(list, own) || !strings.Contains(shown, "formation, application/pdf, 9 bytes") ||
		!strings.Contains(shown, "approved") {
		t.Errorf("%s\n%s", list, shown)
	}
	for _, secret := range []string{"Hidden", "Acme", "1984", "3456789"} {
		if strings.Contains(list+shown, secret) {
			t.Errorf("%s is shown:\n%s\n%s", secret, list, shown)
		}
	}
	if list, said := s.must("kyb", "list"); strings.Contains(list, own) || !strings.Contains(said, "no form") {
		t.Errorf("under review: %s %s", list, said)
	}
	submission := exported(t, s, a, append([]string{"kyb", "export", "--out", out}, at...), out)
	if !strings.Contains(list, submission) || !strings.Contains(shown, submission) {
		t.Errorf("%s is not shown:\n%s\n%s", submission, list, shown)
	}
	decideByShell(t, s, a, submission)
}

// decideByShell decides by every command, and each names the submission that the operator has read.
func decideByShell(t *testing.T, s shell, a *apptest.App, submission string) {
	t.Helper()
	read := " --submission " + submission
	for _, c := range []struct{ args, state, says string }{
		{"kyb ask --reason papers", "approved", "--submission: is required"},
		{"workspace kyb --status rejected --reason papers", "approved", "--submission: is required"},
		{"kyb ask --reason papers" + read + "0", "approved", "it is not the last one"},
		{"kyb ask --reason papers" + read, "more_information", "pending"},
		{"kyb approve" + read, "more_information", "take the request back"},
		{"kyb reject --reason papers" + read, "rejected", "rejected"}, {"kyb approve" + read, "approved", "approved"},
		{"kyb ask --reason papers" + read, "more_information", "pending"},
		{"workspace kyb --status pending" + read, "in_review", "pending"},
		{"kyb approve" + read, "approved", "approved"},
	} {
		code, now, said := s.run(append(strings.Fields(c.args), "--workspace", a.Keys.WorkspaceID)...)
		last, err := a.Store.KYB().LastSubmission(t.Context(), a.Keys.WorkspaceID)
		if err != nil || string(last.State) != c.state || !strings.Contains(now+said, c.says) {
			t.Errorf("%s: %d, %+v, %v: %s%s", c.args, code, last.State, err, now, said)
		}
	}
}

// exported runs kyb export, which prints the id of the submission.
func exported(t *testing.T, s shell, a *apptest.App, command []string, out string) (submission string) {
	t.Helper()
	submission, _ = s.must(command...)
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 || strings.Contains(f.Name(), "Hidden") {
			t.Errorf("%s: %v, %v", f.Name(), info, err)
		}
	}
	form, err := os.ReadFile(filepath.Join(out, "form.json"))
	if err != nil || !strings.Contains(string(form), "12-3456789") ||
		!strings.Contains(string(form), "12 Hidden Lane") {
		t.Errorf("%v: %s", err, form)
	}
	var entries int
	err = a.Store.Writer().QueryRowContext(t.Context(),
		"SELECT COUNT(*) FROM audit WHERE action = 'kyb.export' AND actor = 'operator' AND workspace_id = $1",
		a.Keys.WorkspaceID).Scan(&entries)
	if err != nil || entries != 1 {
		t.Errorf("%d entries: %v", entries, err)
	}
	if code, _, said := s.run(command...); code == 0 || !strings.Contains(said, "--out") {
		t.Errorf("over what is there: %d %s", code, said)
	}
	return strings.TrimSpace(submission)
}

package stories_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/sqlite"
)

const forms = "/v1/kyb/customers"

// shopWithForm is a workspace with an admin, who fills the form in.
type shopWithForm struct {
	*apptest.App
	t     *testing.T
	id    string
	email string
	ada   *apptest.Browser

	invitation mailsink.Mail // of ada
}

func newShopWithForm(t *testing.T, a *apptest.App, email string) *shopWithForm {
	t.Helper()
	made := a.Do(a.Keys.AdminKey, "POST", "/v1/integrators", `{"name":"Shop","modules":["payout"]}`)
	var w struct{ ID string }
	if err := made.Into(&w); err != nil || w.ID == "" {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	ada := a.JoinBy(a.Keys.AdminKey, w.ID, email, auth.RoleAdmin)
	return &shopWithForm{a, t, w.ID, email, ada, a.MailTo(email)}
}

// form reads it.
func (s *shopWithForm) form(b *apptest.Browser) (f rest.KYB) {
	s.t.Helper()
	if got := b.Do("GET", forms+"/me", ""); got.Into(&f) != nil || got.Status != 200 {
		s.t.Fatalf("%d %s", got.Status, got.Body)
	}
	return f
}

// put fills in a part of it at its newest version.
func (s *shopWithForm) put(part string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"version":%d,%s}`, s.form(s.ada).Version, part)
	wantCode(s.t, part, s.ada.Do("PATCH", forms, body, "Idempotency-Key", uuid.NewString()), 200, "")
}

func (s *shopWithForm) submit() apptest.Answer {
	s.t.Helper()
	return s.ada.Do("POST", forms+"/submit", fmt.Sprintf(`{"version":%d}`, s.form(s.ada).Version))
}

const home = `{"street":"12 Hidden Lane","city":"Austin","postalCode":"78701","country":"US"}`

// fill fills in all of it, under a legal name.
func (s *shopWithForm) fill(name string) {
	s.t.Helper()
	s.put(`"business":{"legalName":"` + name + `","type":"llc","registrationNumber":"5712345","taxId":"12-3456789"},
		"addresses":{"registered":` + home + `},"activity":{"description":"Pays suppliers","sourceOfFunds":"owners_capital",
		"expectedVolumeUsd":"250000"},"people":[{"name":"Ada Hidden","birthDate":"1984-05-17","address":` + home + `,
		"ownershipPercent":60,"hasControl":true,"isSigner":true}],"allOwnersListed":true`)
	person := s.form(s.ada).People[0].ID
	for _, kind := range []string{`"formation"`, `"identity","personId":"` + person + `"`} {
		wantCode(s.t, kind, s.upload(kind, "%PDF-1.7\n"), 201, "")
	}
}

func (s *shopWithForm) upload(kind, content string) apptest.Answer {
	s.t.Helper()
	return s.ada.Do("POST", forms+"/documents", `{"kind":`+kind+`,"name":"Ada Hidden.pdf","content":"`+
		base64.StdEncoding.EncodeToString([]byte(content))+`"}`)
}

// decided waits for what becomes of the last submission, and of the workspace with it.
func (s *shopWithForm) decided(state, status string) (last rest.KYBSubmission) {
	s.t.Helper()
	apptest.Eventually(s.t, state, func() bool { // a member may not call as often as this asks
		is, err := s.Store.KYB().LastSubmission(s.t.Context(), s.id)
		return err == nil && string(is.State) == state
	})
	got := s.ada.Do("GET", forms+"/submission", "")
	if err := got.Into(&last); err != nil || last.State != state || last.DecidedAt == nil {
		s.t.Errorf("%v: %s", err, got.Body)
	}
	var w struct{ KYBStatus, KYBReason string }
	got = s.Do(s.Keys.AdminKey, "GET", "/v1/integrators/"+s.id, "")
	if err := got.Into(&w); err != nil || w.KYBStatus != status || w.KYBReason != last.Reason {
		s.t.Errorf("the workspace is %+v after %+v", w, last)
	}
	return last
}

func (s *shopWithForm) decide(status, reason string) apptest.Answer {
	return s.Do(s.Keys.AdminKey, "PATCH", "/v1/integrators/"+s.id+"/kyb",
		`{"status":"`+status+`","reason":"`+reason+`"}`)
}

// A form is filled in, lacks something, is asked about, rejected, opened again and approved; the workspace follows,
// and its admin is mailed each time.
func TestPlatform_KYBStory(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Rig(t), "ada@shop.example")
	empty := s.form(s.ada)
	if empty.State != "draft" || empty.Version != 0 || empty.UpdatedAt != nil || len(empty.Completion.Sections) != 5 ||
		empty.Completion.Complete {
		t.Errorf("nobody has begun: %+v", empty)
	}
	if none := s.ada.Do("GET", forms+"/submission", ""); none.Status != 200 || string(none.Data()) != "null" {
		t.Errorf("no submission: %d %s", none.Status, none.Body)
	}
	wantCode(t, "asked about nothing", s.decide("more_information", "which?"), 409, "kyb_not_submitted")
	s.put(`"business":{"legalName":"Acme needs More Information"}`)
	lacks := s.submit()
	wantCode(t, "an incomplete form", lacks, 400, "kyb_incomplete")
	for _, field := range []string{"business.taxId", "addresses.registered", "allOwnersListed", "documents.formation"} {
		if !strings.Contains(lacks.Field("message").(string), field) ||
			!strings.Contains(lacks.Body, `"field":"`+field) {
			t.Errorf("%s is not named: %s", field, lacks.Body)
		}
	}
	s.fill("Acme needs More Information")
	wantCode(t, "submitting", s.submit(), 201, "")
	wantCode(t, "again", s.submit(), 409, "kyb_under_review")
	wantCode(t, "a change", s.ada.Do("PATCH", forms, `{"version":9,"allOwnersListed":false}`), 409, "kyb_under_review")
	if asked := s.decided("more_information", "pending"); !strings.Contains(asked.Reason, "legal name") {
		t.Errorf("%+v", asked)
	}
	mail := s.MailTo(s.email, s.invitation)
	if !strings.Contains(mail.Text, "needs more information") || !strings.Contains(mail.Text, "legal name") {
		t.Errorf("mail: %s", mail.Text)
	}

	s.put(`"business":{"legalName":"Acme, to reject"}`)
	wantCode(t, "submitting", s.submit(), 201, "")
	s.decided("rejected", "rejected")
	wantCode(t, "a change", s.ada.Do("PATCH", forms, `{"version":9,"allOwnersListed":false}`), 409, "kyb_decided")
	wantCode(t, "without a reason", s.decide("more_information", ""), 400, "validation_failed")
	wantCode(t, "opening it", s.decide("more_information", "a new name"), 200, "")
	s.decided("more_information", "pending")
	s.put(`"business":{"legalName":"Acme"}`)
	wantCode(t, "submitting", s.submit(), 201, "")
	s.decided("approved", "approved")
	apptest.Eventually(t, "a mail of each decision", func() bool {
		n := 0
		for _, m := range s.Mail.Mails() {
			if strings.Contains(m.Text, `The check of the business of "Shop"`) {
				n++
			}
		}
		return n == 4
	})
	s.nothingPersonal()
}

// nothingPersonal looks for what is in a form wherever it must not be.
func (s *shopWithForm) nothingPersonal() {
	s.t.Helper()
	all := s.Log.String()
	for _, table := range []string{
		"kyb_drafts", "kyb_submissions", "kyb_documents", "kyb_mails", "audit", "events", "idempotency", "workspaces",
	} {
		rows, err := s.Store.Writer().Query("SELECT * FROM " + table)
		if err != nil {
			s.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				s.t.Fatal(err)
			}
			all += fmt.Sprintf("%s: %s\n", table, values)
		}
		if err := rows.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	if !strings.Contains(all, "business.taxId") {
		s.t.Error("the record does not name the fields that were filled in")
	}
	for _, secret := range []string{"Hidden", "1984-05-17", "3456789", "5712345", "Acme", "JVBERi"} {
		if i := strings.Index(all, secret); i >= 0 {
			s.t.Errorf("%s is in %s", secret, all[max(i-200, 0):i])
		}
	}
}

// The operator reads a submission, asks for more, and decides; meanwhile members put other documents in the place of
// those that were read, and submit again. What nobody has read is not approved.
func TestPlatform_KYBDecidesWhatWasRead(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Shared(t), "kyb-read@shop.example")
	decide := func(status, submission string) apptest.Answer {
		return s.Do(s.Keys.AdminKey, "PATCH", "/v1/integrators/"+s.id+"/kyb",
			`{"status":"`+status+`","reason":"papers","submissionId":"`+submission+`"}`)
	}
	wantCode(t, "what was not submitted", decide("approved", uuid.NewString()), 409, "kyb_not_submitted")
	s.fill("Acme More Information")
	wantCode(t, "submitting", s.submit(), 201, "")
	first := s.decided("more_information", "pending").ID
	wantCode(t, "approving what members change", decide("approved", first), 409, "kyb_open")
	wantCode(t, "without its name", s.decide("approved", ""), 409, "kyb_open")

	read := s.export()
	if read.SubmissionID != first || len(read.Documents) != 2 || len(read.Deleted) != 0 {
		t.Errorf("as it was submitted: %+v", read)
	}
	gone := read.Documents[0].ID
	wantCode(t, "deleting one", s.ada.Do("DELETE", forms+"/documents/"+gone, ""), 200, "")
	wantCode(t, "one in its place", s.upload(`"formation"`, "%PDF-1.7\nother\n"), 201, "")
	read = s.export()
	if len(read.Documents) != 1 || len(read.Deleted) != 1 || read.Deleted[0].ID != gone ||
		read.Deleted[0].Kind != "formation" || !strings.Contains(string(read.Form), gone) {
		t.Errorf("after documents were replaced: %d there, %+v deleted", len(read.Documents), read.Deleted)
	}
	wantCode(t, "taking the request back", decide("pending", first), 200, "")
	wantCode(t, "a change", s.upload(`"other"`, "%PDF-1.7\n"), 409, "kyb_under_review")
	wantCode(t, "asking again", decide("more_information", first), 200, "")
	wantCode(t, "submitting again", s.submit(), 201, "")
	second := s.decided("more_information", "pending").ID
	for _, status := range []string{"approved", "rejected", "more_information", "pending"} {
		got := decide(status, first)
		wantCode(t, status+" what was read before", got, 409, "kyb_submitted_again")
		if !strings.Contains(got.Body, `"submissionId":"`+second) {
			t.Errorf("the last one is not named: %s", got.Body)
		}
	}
	wantCode(t, "taking the request back", decide("pending", second), 200, "")
	wantCode(t, "approving what was read", decide("approved", second), 200, "")
	s.decided("approved", "approved")
}

// export is what the operator reads.
func (s *shopWithForm) export() kyb.Exported {
	s.t.Helper()
	checks, err := app.NewKYB(s.Config(), s.Store)
	if err != nil {
		s.t.Fatal(err)
	}
	e, err := checks.Export(s.t.Context(), &command.Command{
		Principal: auth.Principal{
			Kind: auth.Kind(audit.Operator), ID: "ada", Environment: "sandbox", Scopes: []auth.Scope{auth.Admin},
			Tenant: auth.Tenant{WorkspaceID: s.id},
		},
		Operation: "admin kyb export", Render: func(command.Reply) ([]byte, error) { return nil, nil },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// A member who looks at the form is told when another one changes it or submits it, and nothing of what is in it.
func TestPlatform_KYBChangesAreTold(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Shared(t), "kyb-told@shop.example")
	told := func() []rest.Event {
		t.Helper()
		var all struct{ Events []rest.Event }
		got := s.ada.Do("GET", "/v1/events?types=workspace.updated&limit=100", "")
		if err := got.Into(&all); err != nil || strings.Contains(got.Body, "Acme") {
			t.Fatalf("%v: %s", err, got.Body)
		}
		return all.Events
	}
	s.put(`"business":{"legalName":"Acme More Information"}`)
	if all := told(); len(all) != 1 || all[0].Object.ID != s.id {
		t.Errorf("after a change: %+v", all)
	}
	s.fill("Acme More Information") // a change and two documents
	wantCode(t, "an incomplete change", s.ada.Do("PATCH", forms, `{"version":99,"allOwnersListed":true}`), 400,
		"validation_failed")
	if all := told(); len(all) != 4 {
		t.Errorf("after documents: %+v", all)
	}
	wantCode(t, "submitting", s.submit(), 201, "")
	if all := told(); len(all) < 5 {
		t.Errorf("after submitting: %+v", all)
	}
	s.decided("more_information", "pending")
	if all := told(); len(all) != 6 {
		t.Errorf("after the decision: %+v", all)
	}
}

// Who may only read sees neither where persons live nor when they were born; nobody sees whole numbers.
func TestPlatform_KYBReaders(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Shared(t), "kyb-readers@shop.example")
	s.fill("Acme")
	for _, b := range []*apptest.Browser{
		s.ada, s.JoinBy(s.Keys.AdminKey, s.id, "kyb-viewer@shop.example", auth.RoleViewer),
	} {
		body := b.Do("GET", forms+"/me", "").Body
		writer := b == s.ada
		if strings.Count(body, "12 Hidden Lane") != map[bool]int{true: 2, false: 1}[writer] ||
			strings.Contains(body, "1984-05-17") != writer || strings.Contains(body, "3456789") ||
			!strings.Contains(body, `"taxIdLastFour":"6789"`) || strings.Contains(body, "JVBERi") {
			t.Errorf("writer %v: %s", writer, body)
		}
	}
	for what, got := range map[string]apptest.Answer{
		"not base64": s.ada.Do("POST", forms+"/documents", `{"kind":"other","name":"a","content":"?"}`),
		"a script":   s.upload(`"other"`, "#!/bin/sh\n"),
		"too large":  s.upload(`"other"`, "%PDF-1.7\n"+strings.Repeat(" ", 512<<10)),
		"of nobody":  s.upload(`"identity","personId":"x"`, "%PDF-1.7\n"),
		"of whom":    s.upload(`"identity"`, "%PDF-1.7\n"),
	} {
		wantCode(t, what, got, 400, "validation_failed")
	}
	wantCode(t, "a document that is not there", s.ada.Do("DELETE", forms+"/documents/x", ""), 404, "not_found")
}

// The shell lines of docs/kyb.md work when they are pasted.
func TestPlatform_KYBLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Shared(t), "kyb-pasted@shop.example")
	document, err := os.ReadFile("../../../docs/kyb.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	for _, block := range strings.Split(string(document), "```sh\n")[1:] {
		if block, _, _ = strings.Cut(block, "```"); strings.Contains(block, "$T") {
			lines += block
		}
	}
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Env = append(os.Environ(), "B="+s.BaseURL, "T="+s.ada.Access)
	out, err := script.CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, `"taxIdLastFour":"6789"`) ||
		!strings.Contains(text, `"error":"kyb_incomplete"`) || !strings.Contains(text, `"data":null`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// A form takes 30 documents, and one more for each that is deleted.
func TestPlatform_KYBDocumentsAreCounted(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Shared(t), "kyb-counted@shop.example")
	bob := s.JoinBy(s.Keys.AdminKey, s.id, "kyb-bob-counted@shop.example", auth.RoleManager)
	document := `{"kind":"other","name":"a.pdf","content":"` + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n")) + `"}`
	add := func(i int) apptest.Answer { // a member may not call so often
		return []*apptest.Browser{s.ada, bob}[i%2].Do("POST", forms+"/documents", document)
	}
	var first rest.KYBDocument
	for i := range 30 {
		got := add(i)
		if err := got.Into(&first); err != nil || got.Status != 201 {
			t.Fatalf("%d: %d %s", i, got.Status, got.Body)
		}
	}
	wantCode(t, "one more", add(30), 409, "kyb_documents_full")
	wantCode(t, "deleting one", s.ada.Do("DELETE", forms+"/documents/"+first.ID, ""), 200, "")
	wantCode(t, "in its place", add(31), 201, "")
}

// Two members lose nothing of each other's: changes of two sections are both there, and of one section the second is
// refused. Of many submissions at once one counts.
func TestPlatform_KYBTwoMembers(t *testing.T) {
	t.Parallel()
	s := newShopWithForm(t, apptest.Rig(t, apptest.WithPostgres(t)), "kyb-ada@shop.example") // whose writers overlap
	bob := s.JoinBy(s.Keys.AdminKey, s.id, "kyb-bob@shop.example", auth.RoleManager)
	s.fill("Acme")
	version := s.form(bob).Version
	both := func(of func(b *apptest.Browser, who string) (part string)) map[int]int {
		var mu sync.Mutex
		var all sync.WaitGroup
		statuses := map[int]int{}
		for who, b := range map[string]*apptest.Browser{"ada": s.ada, "bob": bob} {
			all.Go(func() {
				got := b.Do("PATCH", forms, fmt.Sprintf(`{"version":%d,%s}`, version, of(b, who)))
				mu.Lock()
				defer mu.Unlock()
				statuses[got.Status]++
				if got.Status == 409 && got.Field("error") != "kyb_changed" {
					t.Error(got.Body)
				}
			})
		}
		all.Wait()
		return statuses
	}
	if got := both(func(b *apptest.Browser, who string) string {
		if b == s.ada {
			return `"business":{"legalName":"Acme of ada"}`
		}
		return `"activity":{"description":"Pays for bob"}`
	}); got[200] != 2 {
		t.Errorf("two sections: %v", got)
	}
	f := s.form(bob)
	if f.Business.LegalName != "Acme of ada" || f.Activity.Description != "Pays for bob" || f.Version != version+2 {
		t.Errorf("%+v", f)
	}
	version = f.Version
	if got := both(func(_ *apptest.Browser, who string) string {
		return `"activity":{"website":"https://` + who + `.example"}`
	}); got[200] != 1 || got[409] != 1 {
		t.Errorf("one section: %v", got)
	}
	wantCode(t, "submitting what somebody changed",
		s.ada.Do("POST", forms+"/submit", fmt.Sprintf(`{"version":%d}`, version)), 409, "kyb_changed")

	version = s.form(bob).Version
	var all sync.WaitGroup
	statuses := make(chan int, 8)
	for i := range cap(statuses) {
		all.Go(func() {
			b := []*apptest.Browser{s.ada, bob}[i%2]
			statuses <- b.Do("POST", forms+"/submit", fmt.Sprintf(`{"version":%d}`, version)).Status
		})
	}
	all.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	if count[201] != 1 || count[409] != cap(statuses)-1 {
		t.Errorf("%v", count)
	}
}

// A server that ends after a submission, and after a decision, and loses both jobs, decides and mails after its next
// start, once.
func TestPlatform_KYBAfterRestarts(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	s := newShopWithForm(t, a, "ada@shop.example")
	s.fill("Acme")
	wantCode(t, "submitting", s.submit(), 201, "")
	smtp := a.Config().SMTPURL
	restartWithoutJobs(t, a, "", "UPDATE kyb_submissions SET check_at = check_at - 120000000 WHERE check_at > 0")
	s.decided("approved", "approved")
	restartWithoutJobs(t, a, smtp, "UPDATE kyb_mails SET created_at = created_at - 120000000")
	if mail := a.MailTo(s.email, s.invitation); !strings.Contains(mail.Text, "is approved") {
		t.Errorf("mail: %s", mail.Text)
	}
}

// restartWithoutJobs loses the jobs of forms while a server is down, and lets time pass for the sweeper.
func restartWithoutJobs(t *testing.T, a *apptest.App, smtp, pass string) {
	t.Helper()
	a.StopServer()
	db, err := sqlite.Open(t.Context(), filepath.Join(a.Config().DataDir, "railkit.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"DELETE FROM river_job WHERE kind LIKE 'kyb%'", pass} {
		if _, err := db.Writer.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	a.Reconfigure(func(c *apptest.Config) { c.SMTPURL = smtp })
	a.StartServer()
}

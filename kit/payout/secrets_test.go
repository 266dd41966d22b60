package payout_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/canary"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Whoever steals the database, reads the log or every answer learns no number of a
// bank account, whatever became of it.
func TestPayout_BankAccountSecrets(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(c *apptest.Config) { c.DatabaseURL = "" })
	cage := &canary.Cage{}
	for name, number := range map[string]string{
		"account number": "482917365048271", "CLABE": "032180000118359719", "IBAN": "DE89370400440532013000",
		"Pix key": "fulano.de.tal@example.com", "tax id": "61882613000194", "a refused CLABE": "002010077777777771",
		"a lost IBAN": "NL91ABNA0417164300",
	} {
		cage.AddText(name, number)
	}
	var answers strings.Builder
	call := func(method, path, body string) apptest.Answer {
		a := d.Do(d.Keys.BenchKey, method, path, body, "Idempotency-Key", uuid.NewString())
		answers.WriteString(a.Body)
		return a
	}
	us := d.add(railkit.BankAccountRequest{
		AccountNumber: "482917365048271", RoutingNumber: "111000025", AccountType: "checking",
	})
	for _, body := range []string{
		`{"clabe":"032180000118359719"}`, `{"iban":"DE89370400440532013000"}`,
		`{"pixKey":"fulano.de.tal@example.com","taxId":"61.882.613/0001-94"}`,
	} {
		if a := call("POST", d.path(), body); a.Status != 201 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	d.bank.meet(
		say(http.StatusBadRequest, `{"code":"invalid_parameters","message":"002010077777777771 is no account"}`),
		lose, lose,
	)
	call("POST", d.path(), `{"clabe":"002010077777777771"}`)
	call("POST", d.path(), `{"iban":"NL91ABNA0417164300"}`)
	call("PATCH", d.path("/", us.ID), `{"routing_number":"011000015"}`)
	call("POST", d.path(), `{"clabe":"032180000118359719"}`)
	call("GET", d.path()+"?include_archived=true", "")
	apptest.Eventually(t, "the sweeper has finished what was lost", func() bool {
		all := d.accounts(true)
		return len(all) == 5 && all[0].Status == "active" && all[4].RoutingNumber == "011000015"
	})
	files, err := filepath.Glob(filepath.Join(d.Config().DataDir, "railkit.db*"))
	if err != nil || len(files) < 2 { // with its log, where the newest rows are
		t.Fatalf("%v, %v", files, err)
	}
	found, err := cage.FindInFolder(d.Config().DataDir)
	if err != nil {
		t.Fatal(err)
	}
	found = append(found, cage.Find("the log", []byte(d.Log.String()))...)
	for _, line := range append(found, cage.Find("the answers", []byte(answers.String()))...) {
		t.Error(line)
	}
}

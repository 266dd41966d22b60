package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bare are the updates whose WHERE names a row and nothing that it has to be still, and why two writers of such a row
// lose nothing all the same.
var bare = map[string][]string{
	"adds to what the row has": {
		"EndHeld", "AddSpent", "CountRefusal", "TakeAuditHeads", "CountNotice", "AddCheckpoint", "AddToOrderCounts",
	},
	"never takes back what is later": {"PolledDepositAccount", "PolledVirtualAccount", "VoidLedgerEntries"},
	"locks the row, and changes nothing": {
		"HoldBankAccount", "HoldBalance", "HoldBatches", "HoldRecipient", "HoldSkill", "HoldWorkspace",
		"LockLoginPasskeys",
	},
	"follows a lock in its transaction": {
		"MoveAuditHeads", "FillAnswers", "UpdateRecipient", "UpdateSkill", "UpdateWorkspace", "SetRole", "FreeOfOrder",
		"RememberBlock", "UpdateWebhookEndpoint",
	},
	"writes one thing that only one caller says": {
		"DeleteAgent", "PutInvite", "SwitchMiniApp", "NamePolicy", "RenamePasskey", "TouchRecovery",
		"ReplaceSignerMark", "SetMemberMails",
	},
}

var (
	updated  = regexp.MustCompile(`(?s)^\s*(?:WITH\b.*?\)\s*)?UPDATE (\w+)`)
	upserted = regexp.MustCompile(`(?s)INSERT INTO (\w+).*DO UPDATE`)
	compared = regexp.MustCompile(`(?:\w+\.)?(\w+)\s*(?:=|<>|<=|>=|<|>|IN\b)`)
)

// keys are columns that say which row is meant.
var keys = strings.Fields(`workspace_id id environment chain number name account currency agent_id skill_id month layer
	ref kind lookup partner event_id object_id recipient_id key_hash sub_organization_id credential_id member_id
	order_id account_id bank_account_id day subject payment endpoint_id`)

// No update writes a row over what another writer has written meanwhile: it compares what it goes by, or is one of the
// few that need not. Who writes the rows that have several writers is in docs/extending.md, table by table.
func TestUpdatesCompare(t *testing.T) {
	files, err := filepath.Glob("queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	doc, err := os.ReadFile("../docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`--[^\n]*`)
	excused := map[string]bool{}
	for _, names := range bare {
		for _, name := range names {
			excused[name] = true
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range strings.Split(string(text), "-- name: ")[1:] {
			name, _, _ := strings.Cut(query, " ")
			_, body, _ := strings.Cut(query, "\n")
			body = comment.ReplaceAllString(body, "")
			table := updated.FindStringSubmatch(body)
			if table == nil {
				table = upserted.FindStringSubmatch(body)
			}
			if table == nil {
				continue
			}
			if !bytes.Contains(doc, []byte("`"+table[1]+"`")) {
				t.Errorf("docs/extending.md does not say who writes %s", table[1])
			}
			if compares(body) == excused[name] {
				t.Errorf("%s of %s: compares %v, and is excused %v", name, table[1], compares(body), excused[name])
			}
			delete(excused, name)
		}
	}
	for name := range excused {
		t.Errorf("%s is excused, and is no update", name)
	}
}

// compares tells whether an update goes by more than which row is meant.
func compares(body string) bool {
	_, body, _ = strings.Cut(body, "UPDATE")
	_, where, _ := strings.Cut(body, "WHERE")
	where, _, _ = strings.Cut(where, "RETURNING")
	return slices.ContainsFunc(compared.FindAllStringSubmatch(where, -1), func(found []string) bool {
		return !slices.Contains(keys, found[1])
	})
}

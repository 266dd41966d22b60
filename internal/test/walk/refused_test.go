package walk_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/internal/test/x402test"
)

// unpaid are the calls by which money would be paid or promised on a network that is there for transfers only, as a
// right request with the network put in, and the field that has to be told. Fields of a list say which networks can be.
var unpaid = []struct {
	name, operation, field string
	change                 func(body map[string]any, slug string)
}{
	{"a seller's offer", "createSkill", "network", put("network")},
	{"a seller's new offer", "updateSkill", "network", put("network")},
	{"an agent's purchase", "payX402", "paymentRequirement.network", func(body map[string]any, slug string) {
		body["paymentRequirement"].(map[string]any)["network"] = slug
	}},
	{"an agent's payment", "signAgentTransaction", "cluster", put("cluster")},
	{"an agent", "prepareAgent", "allowedChains[0]", func(body map[string]any, slug string) {
		delete(body, "chainId")
		body["allowedChains"] = []string{slug}
	}},
	{"an address that leads to a bank", "createWithdrawAddress", "chain", put("chain")},
	{"such an address in the older form", "setupLiquidationAddress", "chain", put("chain")},
	{"a deposit account", "createDepositAccount", "chain", put("chain")},
	{"a payout's quote", "quotePayout", "chain", put("chain")},
	{"a batch", "previewBatch", "chain", func(body map[string]any, slug string) {
		put("chain")(body["rows"].([]any)[0].(map[string]any), slug)
	}},
}

func put(field string) func(map[string]any, string) {
	return func(body map[string]any, slug string) { body[field] = slug }
}

// What pays or is paid only where USDC is listed, or where the partner is, is refused on Tron by a word that names the
// field and the network, and leaves nothing behind.
func TestPlatform_UnpaidOnTron(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range unpaid {
		r := walk.Mutations[c.operation](s.own)
		var body map[string]any
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			t.Fatal(err)
		}
		c.change(body, "tron")
		r.Body = apptest.JSON(t, body)
		s.leavesNothing(c.name, r, c.field)
	}
	row := walk.Mutations["previewBatch"](s.own)
	var batch struct {
		Rows []struct{ BeneficiaryID string }
	}
	if err := json.Unmarshal([]byte(row.Body), &batch); err != nil {
		t.Fatal(err)
	}
	row.Body = "beneficiaryId,amount,currency,chain\r\n" + batch.Rows[0].BeneficiaryID + ",25.5,USDC,tron\r\n"
	row.Headers = append(row.Headers, "Content-Type", "text/csv")
	s.leavesNothing("a batch as CSV", row, "chain")
}

// previewed is all that is left of a batch that nobody can execute: its preview, with what is wrong in each row.
const previewed = "batch_rows +1, batches +1"

// leavesNothing sends what has to be refused.
func (s *stage) leavesNothing(name string, r walk.Request, field string) {
	s.t.Helper()
	before := countRows(s.t, s.App)
	got := r.Send(s.own)
	left, refused := countRows(s.t, s.App).since(before), got.Status >= 400 && got.Status < 500
	if strings.HasPrefix(name, "a batch") {
		refused = strings.Contains(got.Body, `"status":"invalid","executable":false`) && left == previewed
	} else if left != "" {
		s.t.Errorf("%s left %s", name, left)
	}
	listed := strings.Contains(got.Body, "must be one of base, polygon, ") && !strings.Contains(got.Body, "tron")
	if !refused || !strings.Contains(got.Body, `"field":"`+field+`"`) ||
		!listed && !strings.Contains(strings.ToLower(got.Body), "tron") {
		s.t.Errorf("%s: %d %s, left %q", name, got.Status, got.Body, left)
	}
}

// The facilitator, which is a program of its own, says so of both what it is asked, and writes nothing down.
func TestPlatform_UnsettledOnTron(t *testing.T) {
	t.Parallel()
	const tron = "tron:0x2b6653dc" // its CAIP-2 name
	c, folder := x402test.NewChain(t), t.TempDir()
	f := c.Facilitator(func(config *facilitator.Config) { config.Folder = folder })
	paid, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", x402test.NewKey(t).Address))
	body := bytes.ReplaceAll([]byte(apptest.JSON(t, paid)), []byte("eip155:84532"), []byte(tron))
	before := sizes(t, folder)
	for _, path := range []string{"/verify", "/settle"} {
		res, err := http.Post(f.URL+path, "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || !bytes.Contains(said, []byte(`"invalid_network"`)) ||
			!bytes.Contains(said, []byte(`network \"`+tron+`\" is none`)) || bytes.Contains(said, []byte("true")) {
			t.Errorf("%s: %d %s, %v", path, res.StatusCode, said, err)
		}
	}
	if now := sizes(t, folder); now != before {
		t.Errorf("it has written down %d bytes", now-before)
	}
}

// sizes is how much is in the files of a folder.
func sizes(t *testing.T, folder string) (all int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		is, err := d.Info()
		if err == nil {
			all += is.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

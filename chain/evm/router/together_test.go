package router_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain/evm/router"
)

const multicall3 = `[{"type":"function","name":"aggregate3","inputs":[{"name":"calls","type":"tuple[]","components":[
 {"name":"target","type":"address"},{"name":"allowFailure","type":"bool"},{"name":"callData","type":"bytes"}]}],
 "outputs":[{"name":"","type":"tuple[]","components":[{"name":"success","type":"bool"},
 {"name":"returnData","type":"bytes"}]}]}]`

type result struct {
	Success    bool
	ReturnData []byte
}

// An encoder of others writes the same question, and its answer is read. Cut off anywhere, the answer is not.
func TestWidget_QuestionsTogether(t *testing.T) {
	parsed, err := abi.JSON(strings.NewReader(multicall3))
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte{7}, 33)
	type asked struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	want, err := parsed.Pack("aggregate3", []asked{
		{common.Address(at), true, []byte{1, 2, 3, 4}}, {common.Address(sold), true, long},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := router.Together([]router.Question{{To: at, Data: []byte{1, 2, 3, 4}}, {To: sold, Data: long}})
	if !bytes.Equal(got, want) {
		t.Errorf("%x\nwant\n%x", got, want)
	}
	answer, err := parsed.Methods["aggregate3"].Outputs.Pack([]result{{true, long}, {false, long}, {true, nil}})
	if err != nil {
		t.Fatal(err)
	}
	answers, ok := router.ReadTogether(answer, 3)
	if !ok || !bytes.Equal(answers[0], long) || answers[1] != nil || answers[2] == nil || len(answers[2]) != 0 {
		t.Errorf("%x %v", answers, ok)
	}
	if _, ok := router.ReadTogether(answer, 2); ok {
		t.Error("three answers to two questions")
	}
	for n := range len(answer) - 1 {
		if _, ok := router.ReadTogether(answer[:n], 3); ok {
			t.Errorf("%d of %d bytes are read", n, len(answer))
		}
	}
}

// A node may answer anything: nothing of it is read beyond its end.
func FuzzReadTogether(f *testing.F) {
	f.Add([]byte{}, 1)
	f.Add(bytes.Repeat([]byte{0xff}, 320), 2)
	f.Add(append(make([]byte, 31), 32), 0)
	f.Fuzz(func(t *testing.T, answer []byte, questions int) {
		if questions < 0 || questions > 100 {
			return
		}
		if all, ok := router.ReadTogether(answer, questions); ok && len(all) != questions {
			t.Errorf("%d answers to %d questions", len(all), questions)
		}
	})
}

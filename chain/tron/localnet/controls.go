package localnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// byName are the controls as every chain of the sandbox has them: methods of JSON-RPC, with these parameters.
var byName = map[string]struct {
	control string
	params  []string
}{
	"dev_faucet":      {"faucet", []string{"address", "asset", "amount", "name"}},
	"dev_mine":        {"mine", []string{"blocks", "step"}},
	"dev_setAutomine": {"automine", []string{"on"}},
}

// invalidParams is JSON-RPC's code for a mistake of the caller.
const invalidParams = -32602

// serveRPC answers a control that is asked for by JSON-RPC, so that whoever drives the sandbox needs one way alone.
func (c *Chain) serveRPC(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage   `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	raw, err := body(w, r)
	if err == nil && json.Unmarshal(raw, &q) != nil {
		err = errors.New("the body is no request of JSON-RPC")
	}
	var result any
	if err == nil {
		result, err = c.control(q.Method, q.Params)
	}
	answer := object{"jsonrpc": "2.0", "id": q.ID}
	if err != nil {
		answer["error"] = object{"code": invalidParams, "message": err.Error()}
	} else {
		answer["result"] = result
	}
	write(w, answer)
}

func (c *Chain) control(method string, params []json.RawMessage) (any, error) {
	known, ok := byName[method]
	if !ok {
		return nil, fmt.Errorf("there is no method %s here: a node of Tron is asked below /wallet", method)
	}
	if len(params) > len(known.params) {
		return nil, fmt.Errorf("%s takes %d parameters", method, len(known.params))
	}
	q := call{members: object{}}
	for i, p := range params {
		var v any
		d := json.NewDecoder(bytes.NewReader(p))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		q.members[known.params[i]] = v
	}
	answer, err := controls[known.control](c, q)
	if given, ok := answer.(object); ok && err == nil && given["txid"] != nil {
		return given["txid"], nil
	}
	return answer, err
}

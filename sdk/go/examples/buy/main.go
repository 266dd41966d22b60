// Command buy asks for a URL and pays for it, up to 0.02 USDC, as docs/agents-quickstart.md shows it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/railkit/railkit/sdk/go/agent"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: buy URL")
	}
	if err := buy(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func buy(url string) (err error) {
	cfg, err := agent.FromEnv() // RAILKIT_API_URL, RAILKIT_AGENT_ID, RAILKIT_AGENT_SECRET
	if err != nil {
		return err
	}
	r, err := agent.New(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(context.Background())) }()

	client := &http.Client{Transport: r.Transport(nil, agent.Limit{MaxAmount: "20000"})} // 0.02 USDC
	res, err := client.Get(url)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if payment, ok := agent.PaymentOf(res); ok {
		fmt.Printf("paid %s millionths of a USDC to %s\n", payment.Amount, payment.PayTo)
	}
	_, err = io.Copy(os.Stdout, res.Body)
	return err
}

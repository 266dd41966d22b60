package child

import (
	"fmt"
	"os"
)

// Program is a process of Railkit by its commands. Every one also has help and version.
type Program struct {
	Name, Usage, Version string
	Commands             map[string]func(args []string) error
}

// Main runs the command that the process was started with. It exits with 1 where that fails, and with 2 without one.
func (p Program) Main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, p.Usage)
		os.Exit(2)
	}
	if err := p.run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

func (p Program) run(command string, args []string) error {
	switch command {
	case "version":
		fmt.Println(p.Version)
		return nil
	case "help", "-h", "--help":
		fmt.Print(p.Usage)
		return nil
	}
	if do, ok := p.Commands[command]; ok {
		return do(args)
	}
	return fmt.Errorf("no command %q; see %s help", command, p.Name)
}

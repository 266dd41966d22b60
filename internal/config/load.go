package config

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
)

// SandboxFolder holds the sandbox's database where no setting names a folder.
// Production has no such folder: a server that was given no PostgreSQL by mistake
// would begin anew on an empty file in its working directory.
const SandboxFolder = "railkit-data"

// Origin is where a setting's value came from.
type Origin string

// The origins, the first that has something counts.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromDev         Origin = "railkit dev" // what a running local platform says of itself
	FromDefault     Origin = "default"
)

// Loaded is a configuration that knows where it came from.
type Loaded struct {
	Server
	From     map[string]Origin // by the setting's name
	Warnings []string          // what works, and should be mended
}

// Flags are a command's flags for settings.
type Flags struct{ given map[string]*texts }

// texts collects what a flag was given. It never refuses: an error from here
// would be shown with the text, and that may hold a secret.
type texts []string

func (t *texts) String() string { return "" } // nor is it shown as a default

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// Register adds flags to a command's own: those of the named settings, or of all.
func Register(f *flag.FlagSet, only ...string) *Flags {
	r := &Flags{given: map[string]*texts{}}
	var secrets []Setting
	for _, s := range Settings() {
		if len(only) > 0 && !slices.Contains(only, s.Name) {
			continue
		}
		if !s.Flag {
			secrets = append(secrets, s)
			continue
		}
		r.given[s.Name] = new(texts)
		f.Var(r.given[s.Name], s.Name, s.help())
	}
	usage := f.Usage
	f.Usage = func() {
		usage()
		for _, s := range secrets {
			fmt.Fprintf(f.Output(), "  %s\n    \t%s\n", s, s.help())
		}
	}
	return r
}

// help is one setting's text in a command's help.
func (s Setting) help() string {
	more := s.Env()
	if !s.Flag {
		more = "a variable only"
	}
	if s.Default != "" {
		more = "default " + s.Default + "; " + more
	}
	if s.Secret {
		more += ", or a file named by " + s.FileEnv()
	}
	return s.Doc + " (" + more + ")"
}

// Load puts together what flags, environment and files say, in that order.
func (r *Flags) Load(environ []string) (Loaded, error) {
	l := Loaded{From: map[string]Origin{}}
	if err := CheckNames(environ); err != nil {
		return l, err
	}
	env := variables(environ)
	for _, s := range Settings() {
		texts, from, err := r.find(s, env)
		if err == nil && len(texts) > 0 {
			err = s.put(&l.Server, texts)
		}
		if err != nil {
			return l, fmt.Errorf("%v: %w", s, err)
		}
		l.From[s.Name] = from
		if path := env[s.FileEnv()]; from == FromFile && open(path) {
			l.Warnings = append(l.Warnings, "other users may read the file that "+s.FileEnv()+" names: chmod 600")
		}
	}
	if l.DataDir == "" && l.Environment == string(chain.Sandbox) {
		l.DataDir = SandboxFolder
	}
	return l, nil
}

// find returns a setting's texts, the source of which is the first that has one.
func (r *Flags) find(s Setting, env map[string]string) ([]string, Origin, error) {
	text, path := env[s.Env()], env[s.FileEnv()]
	if s.Secret && text != "" && path != "" {
		return nil, "", errors.New("both " + s.Env() + " and " + s.FileEnv() + " are set: keep one")
	}
	if given := r.given[s.Name]; given != nil && len(*given) > 0 {
		return *given, FromFlag, nil
	}
	if text != "" {
		return []string{text}, FromEnvironment, nil
	}
	if s.Secret && path != "" {
		text, err := readSecret(path)
		if err != nil {
			return nil, "", fmt.Errorf("reading the file that %s names: %w", s.FileEnv(), err)
		}
		return []string{text}, FromFile, nil
	}
	if s.Default != "" {
		return []string{s.Default}, FromDefault, nil
	}
	return nil, FromDefault, nil
}

func variables(environ []string) map[string]string {
	env := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		env[name] = value
	}
	return env
}

// readSecret reads a file as editors and echo write it: with one newline too
// many. Its error has no path, where somebody may have put the secret itself.
func readSecret(path string) (string, error) {
	raw, err := os.ReadFile(path)
	var where *fs.PathError
	if errors.As(err, &where) {
		return "", where.Err
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if text == "" {
		return "", errors.New("it is empty")
	}
	return text, nil
}

// open tells whether users beyond owner and group may read a file. It is no
// reason to refuse: containers hand secrets over in files of mode 0444.
func open(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().Perm()&0o007 != 0
}

// Suggest gives a setting a value that nobody else gave it.
func (l *Loaded) Suggest(name, text string) {
	if l.From[name] != FromDefault || text == "" {
		return
	}
	for _, s := range Settings() {
		if s.Name == name && s.put(&l.Server, []string{text}) == nil {
			l.From[name] = FromDev
		}
	}
}

// Line is a setting as doctor prints it.
type Line struct {
	Name, Value string
	From        Origin
}

// Lines are all settings, without the secrets.
func (l Loaded) Lines() []Line {
	var all []Line
	for _, s := range Settings() {
		value := s.show(l.Server)
		switch {
		case value == "":
			value = "(not set)"
		case s.Secret:
			value = "(set)"
		}
		all = append(all, Line{s.Name, value, l.From[s.Name]})
	}
	return all
}

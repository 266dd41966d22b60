package mail

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"
)

//go:embed letters
var files embed.FS

// letters are the files of each language. They are read with the first letter, since most programs and commands write
// none; the tests write each of them.
var letters = sync.OnceValue(func() map[Language]*template.Template {
	all := map[Language]*template.Template{}
	for _, l := range Languages {
		folder, err := fs.Sub(files, "letters/"+string(l))
		if err != nil {
			panic(err)
		}
		of := template.New(string(l)).Funcs(functions(l)).Option("missingkey=error")
		all[l] = template.Must(of.ParseFS(folder, "*.txt"))
	}
	return all
})

// longestSubject bounds a subject, in characters.
const longestSubject = 150

// Write writes a letter. Its file begins with the subject, and an empty line ends that. A subject is one line: what it
// shows can make no header of its own.
func Write(l Language, letter Letter) (subject, body string, err error) {
	var b strings.Builder
	if err := letters()[l.Or()].ExecuteTemplate(&b, letter.file()+".txt", letter); err != nil {
		return "", "", fmt.Errorf("writing a mail: %w", err)
	}
	subject, body, _ = strings.Cut(b.String(), "\n\n")
	subject = strings.TrimPrefix(subject, "Subject: ")
	return short(strings.Join(strings.Fields(subject), " "), longestSubject), strings.TrimSpace(body) + "\n", nil
}

package batch

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

// column is a column of a CSV: its name in the header line, and where its cells go.
type column struct {
	name  string
	field func(*rest.BatchPayment) *string
}

var columns = []column{
	{"reference", func(p *rest.BatchPayment) *string { return &p.Reference }},
	{"beneficiaryId", func(p *rest.BatchPayment) *string { return &p.BeneficiaryID }},
	{"beneficiaryAccountId", func(p *rest.BatchPayment) *string { return &p.BeneficiaryAccountID }},
	{"amount", func(p *rest.BatchPayment) *string { return &p.Amount }},
	{"currency", func(p *rest.BatchPayment) *string { return &p.Currency }},
	{"chain", func(p *rest.BatchPayment) *string { return &p.Chain }},
	{"token", func(p *rest.BatchPayment) *string { return &p.Token }},
}

// needed are the columns that a CSV must have.
var needed = []string{"beneficiaryId", "amount", "currency"}

// byteOrderMark begins the UTF-8 of some spreadsheets.
const byteOrderMark = "\xef\xbb\xbf"

// ReadCSV reads the rows of a CSV. It refuses a file that cannot be read as rows: what is wrong within a cell is told
// by the preview, with all other wrong cells. Lines with nothing but commas, which spreadsheets write below their last
// row, are no rows.
func ReadCSV(body []byte) (rest.BatchRequest, error) {
	var in rest.BatchRequest
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	if !utf8.Valid(body) {
		return in, fault.Field("body", "must be UTF-8")
	}
	lines := csv.NewReader(bytes.NewReader(body))
	lines.FieldsPerRecord = -1
	header, err := lines.Read()
	if err == nil && isSeparatorLine(header) {
		header, err = lines.Read()
	}
	if errors.Is(err, io.EOF) {
		return in, fault.Field("body", "must have a header line and rows")
	}
	if err != nil {
		first, _, _ := strings.Cut(string(body), "\n")
		return in, cmp.Or(otherSeparators(first), unreadable(err))
	}
	order, err := readHeader(header)
	if err != nil {
		return in, err
	}
	if in.Rows, err = readRows(lines, order); err == nil && len(in.Rows) == 0 {
		err = fault.Field("body", "must have rows below its header line")
	}
	return in, err
}

// readRows reads the lines below the header. order has for each cell of a line the index of its column.
func readRows(lines *csv.Reader, order []int) (rows []rest.BatchPayment, err error) {
	var long []string // lines with more cells than the header
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadable(err)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			continue
		}
		line, _ := lines.FieldPos(0)
		if slices.ContainsFunc(cells[min(len(order), len(cells)):], func(cell string) bool { return cell != "" }) {
			long = append(long, strconv.Itoa(line))
		}
		p := rest.BatchPayment{Line: line}
		for i, cell := range cells[:min(len(order), len(cells))] {
			*columns[order[i]].field(&p) = cell
		}
		if rows = append(rows, p); len(rows) > Most {
			return nil, fault.Field("body", fmt.Sprintf("must have at most %d rows", Most))
		}
	}
	if len(long) > 0 {
		return nil, fault.Field("body", "has more cells than the header line has columns, on line "+listed(long))
	}
	return rows, nil
}

// readHeader finds the column of each cell of the header line. It tells all unknown and all missing columns at once.
func readHeader(header []string) (order []int, err error) {
	var unknown, missing []string
	given := map[string]bool{}
	for i, cell := range header {
		name := strings.TrimSpace(cell)
		at := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
		switch {
		case at < 0:
			unknown = append(unknown, sayable(name, i+1))
		case given[name]:
			return nil, fault.Field(name, "must not be a column twice")
		}
		given[name] = true
		order = append(order, at)
	}
	if len(unknown) > 0 {
		if err := otherSeparators(strings.Join(header, ",")); err != nil {
			return nil, err
		}
		return nil, fault.Field("body", "has unknown columns: "+listed(unknown)+"; the columns are "+allColumns()+
			", with commas between them")
	}
	for _, name := range needed {
		if !given[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fault.Field("body", "must have the columns "+listed(missing))
	}
	return order, nil
}

// isSeparatorLine tells whether a line is the first one that Excel writes to say that commas follow.
func isSeparatorLine(cells []string) bool {
	return strings.EqualFold(strings.TrimSpace(strings.Join(cells, "")), "sep=") && len(cells) > 1
}

// otherSeparators names what stands between the columns of a header line in place of commas, if that is plain. Such
// files are not read: where semicolons are usual, 1.500 means fifteen hundred.
func otherSeparators(line string) error {
	for _, s := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}} {
		cells := strings.Split(line, s.mark)
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " \"\r")
		}
		first := strings.HasPrefix(strings.ToLower(line), "sep="+s.mark)
		known := slices.ContainsFunc(columns, func(c column) bool { return slices.Contains(cells, c.name) })
		if first || known && len(cells) > 1 {
			return fault.Field("body", "has "+s.name+
				" between its columns; they must be commas, and amounts must have a point")
		}
	}
	return nil
}

func allColumns() string {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	return listed(all)
}

// sane is a name that may be said in a message. Any other text may hold what only the caller may know.
var sane = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_ -]{0,31}$`)

// sayable is the name of an unknown column, or its place in the header line.
func sayable(name string, place int) string {
	if sane.MatchString(name) {
		return name
	}
	return fmt.Sprintf("(column %d)", place)
}

// listed is a list of at most 20 texts.
func listed(all []string) string {
	const most = 20
	if len(all) > most {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", len(all)-most)
	}
	return strings.Join(all, ", ")
}

// unreadable tells the line on which quotes are wrong.
func unreadable(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fault.Field("body", fmt.Sprintf("is no CSV: the quotes on line %d are wrong", parse.Line)).Because(err)
	}
	return fault.Field("body", "is no CSV").Because(err)
}

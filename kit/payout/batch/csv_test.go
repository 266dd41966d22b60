package batch

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

func TestReadCSV(t *testing.T) {
	t.Parallel()
	one := rest.BatchPayment{Reference: "INV-1", BeneficiaryID: "r1", Amount: "10.50", Currency: "MXN", Line: 2}
	ones := []rest.BatchPayment{one}
	for name, c := range map[string]struct {
		file string
		want []rest.BatchPayment
	}{
		"plain":       {"reference,beneficiaryId,amount,currency\nINV-1,r1,10.50,MXN\n", ones},
		"other order": {"currency,amount,beneficiaryId,reference\r\nMXN,10.50,r1,INV-1\r\n", ones},
		"byte mark":   {"\xef\xbb\xbfreference,beneficiaryId,amount,currency\nINV-1,r1,10.50,MXN", ones},
		"Excel's line": {"sep=,\nreference,beneficiaryId,amount,currency\nINV-1,r1,10.50,MXN\n", []rest.BatchPayment{
			{Reference: "INV-1", BeneficiaryID: "r1", Amount: "10.50", Currency: "MXN", Line: 3},
		}},
		"leading zeros": {"reference,beneficiaryId,amount,currency\n000123,r1,10.50,MXN\n", []rest.BatchPayment{
			{Reference: "000123", BeneficiaryID: "r1", Amount: "10.50", Currency: "MXN", Line: 2},
		}},
		"blanks":       {" reference , beneficiaryId,amount,currency\nINV-1 , r1, 10.50 ,MXN", ones},
		"quoted":       {"\"reference\",beneficiaryId,amount,currency\n\"INV-1\",r1,\"10.50\",MXN\n", ones},
		"spare commas": {"reference,beneficiaryId,amount,currency\nINV-1,r1,10.50,MXN,,\n,,,\n\n,,,,\n", ones},
		"a short line": {"beneficiaryId,amount,currency\nr1", []rest.BatchPayment{{BeneficiaryID: "r1", Line: 2}}},
		"wrong cells": {"beneficiaryId,amount,currency\nr1,ten,XYZ", []rest.BatchPayment{
			{BeneficiaryID: "r1", Amount: "ten", Currency: "XYZ", Line: 2},
		}},
		"lines in text": {"beneficiaryId,amount,currency,reference\nr1,1,MXN,\"a\nb\"\nr2,2,MXN,c", []rest.BatchPayment{
			{Reference: "a\nb", BeneficiaryID: "r1", Amount: "1", Currency: "MXN", Line: 2},
			{Reference: "c", BeneficiaryID: "r2", Amount: "2", Currency: "MXN", Line: 4},
		}},
		"all columns": {"token,reference,beneficiaryId,beneficiaryAccountId,amount,currency,chain\nusdc,a,b,c,1,USDC,base",
			[]rest.BatchPayment{{
				Reference: "a", BeneficiaryID: "b", BeneficiaryAccountID: "c", Amount: "1", Currency: "USDC",
				Chain: "base", Token: "usdc", Line: 2,
			}}},
	} {
		got, err := ReadCSV([]byte(c.file))
		if err != nil || !slices.Equal(got.Rows, c.want) {
			t.Errorf("%s: %+v, %v", name, got.Rows, err)
		}
	}
}

func TestReadCSV_Refuses(t *testing.T) {
	t.Parallel()
	const header = "beneficiaryId,amount,currency\n"
	for name, c := range map[string]struct{ file, want string }{
		"nothing":            {"", "must have a header line and rows"},
		"a header alone":     {header, "must have rows below its header line"},
		"blank rows alone":   {header + ",,\n\n", "must have rows below its header line"},
		"unknown columns":    {"beneficiaryId,amout,currency,Note\nr,1,MXN,n", "columns: amout, Note; the"},
		"a secret as column": {"amount,rk_client_key_v1_0123456789abcdef012345\n1,n", "unknown columns: (column 2);"},
		"an empty column":    {"beneficiaryId,amount,currency,\nr,1,MXN,n", "unknown columns: (column 4);"},
		"missing columns":    {"beneficiaryId,reference\nr,1", "must have the columns amount, currency"},
		"a column twice":     {"beneficiaryId,amount,currency,amount\nr,1,MXN,2", "amount must not be a column twice"},
		"semicolons":         {"beneficiaryId;amount;currency\nr;1;MXN", "has semicolons between its columns"},
		"quoted semicolons":  {"\"beneficiaryId\";\"amount\";\"currency\"\nr;1;MXN", "has semicolons between"},
		"a decimal comma":    {"beneficiaryId;amount;currency\nr;1,50;MXN", "has semicolons between its columns"},
		"tabs":               {"beneficiaryId\tamount\tcurrency\nr\t1\tMXN", "has tabs between its columns"},
		"Excel's semicolons": {"sep=;\nbeneficiaryId;amount;currency\nr;1;MXN", "has semicolons between its columns"},
		"Excel's line alone": {"sep=,\n", "must have a header line and rows"},
		"long lines":         {header + "r,1,MXN,x\nr,1,MXN\nr,1,MXN,y\n", "has columns, on line 2, 4"},
		"wrong quotes":       {header + "r,1,MXN\nr,\"1\"2,MXN\n", "the quotes on line 3 are wrong"},
		"an open quote":      {header + "r,\"1,MXN\n", "the quotes on line"},
		"Latin-1":            {header + "r,1,MXN\n\xe9,1,MXN", "must be UTF-8"},
		"UTF-16":             {"\xff\xfeb\x00", "must be UTF-8"},
		"too many rows":      {header + strings.Repeat("r,1,MXN\n", Most+1), "must have at most 1000 rows"},
	} {
		_, err := ReadCSV([]byte(c.file))
		f, is := fault.As(err)
		if !is || f.Kind != fault.Invalid || !strings.Contains(f.Message, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if in, err := ReadCSV([]byte(header + strings.Repeat("r,1,MXN\n", Most))); err != nil || len(in.Rows) != Most {
		t.Errorf("as many rows as may be: %d, %v", len(in.Rows), err)
	}
}

// What is read and written again is read the same.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("reference,beneficiaryId,amount,currency\nINV-1,r1,10.50,MXN\n"))
	f.Add([]byte("\xef\xbb\xbfamount,currency,beneficiaryId,token\r\n\"1,0\",usd,\"a\r\nb\",\r\n,,,\r\n"))
	f.Add([]byte("beneficiaryId;amount\n\"\"\"x"))
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := ReadCSV(file)
		if err != nil {
			if _, is := fault.As(err); !is {
				t.Fatalf("no error for the caller: %v", err)
			}
			return
		}
		if len(in.Rows) == 0 || len(in.Rows) > Most {
			t.Fatalf("%d rows", len(in.Rows))
		}
		again, err := ReadCSV(written(t, in.Rows))
		if err != nil || len(again.Rows) != len(in.Rows) {
			t.Fatalf("%d rows, again %d, %v", len(in.Rows), len(again.Rows), err)
		}
		for i := range again.Rows {
			again.Rows[i].Line, in.Rows[i].Line = 0, 0
			if again.Rows[i] != in.Rows[i] {
				t.Fatalf("%+v, again %+v", in.Rows[i], again.Rows[i])
			}
		}
	})
}

func written(t *testing.T, rows []rest.BatchPayment) []byte {
	t.Helper()
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	_ = w.Write(line)
	for _, r := range rows {
		for i, c := range columns {
			line[i] = *c.field(&r)
		}
		_ = w.Write(line)
	}
	if w.Flush(); w.Error() != nil {
		t.Fatal(w.Error())
	}
	return file.Bytes()
}

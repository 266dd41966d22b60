package text

import (
	_ "embed"
	"slices"
	"sync"

	"golang.org/x/text/unicode/bidi"
)

// inDisplayOrder puts the characters of a line into the order in which a paragraph from left to right shows them, by
// the Unicode Bidirectional Algorithm (UAX #9), with brackets mirrored and marks behind their letters.
//
// Characters that embed, override or isolate a direction are left out: Visible refuses them, so that no displayed
// text has one. x/text knows the classes of characters, but tells only the parity of their levels, and "12" after
// Hebrew (level 2) goes elsewhere than "ab" (level 0).
func inDisplayOrder(line []rune) []rune {
	line = slices.DeleteFunc(line, hasNoDirection)
	if !slices.ContainsFunc(line, mayReorder) {
		return line
	}
	levels := directionLevels(line)
	shown := make([]rune, 0, len(line))
	for _, i := range marksBehind(line, levels, visualOrder(levels)) {
		r := line[i]
		if image, ok := mirrorImages()[r]; ok && levels[i] == 1 {
			r = image
		}
		shown = append(shown, r)
	}
	return shown
}

func classOf(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

// hasNoDirection is rule X9.
func hasNoDirection(r rune) bool {
	c := classOf(r)
	return c == bidi.BN || c >= bidi.Control
}

// mayReorder: without one of these a line is shown as it is written.
func mayReorder(r rune) bool {
	c := classOf(r)
	return c == bidi.R || c == bidi.AL || c == bidi.AN
}

//go:embed mirrored.tsv
var mirroredFile string

var mirrorImages = sync.OnceValue(func() map[rune]rune {
	images := map[rune]rune{}
	for r, image := range readTable(mirroredFile) {
		images[r] = image[0]
	}
	return images
})

// directionLevels gives each character its level: 0 for left to right, 1 for right to left, 2 for numbers within.
func directionLevels(line []rune) []int {
	classes := make([]bidi.Class, len(line))
	for i, r := range line {
		classes[i] = classOf(r)
	}
	resolveStrong(classes)
	resolveSeparators(classes)
	resolveLatinNumbers(classes)
	resolveBrackets(line, classes)
	resolveNeutrals(classes)
	levels := make([]int, len(line)) // rules I1 and I2
	for i, c := range classes {
		switch c {
		case bidi.R:
			levels[i] = 1
		case bidi.EN, bidi.AN:
			levels[i] = 2
		}
	}
	return levels
}

// resolveStrong is rules W1 to W3: marks are as what they stand on, numbers after Arabic are Arabic numbers.
func resolveStrong(classes []bidi.Class) {
	before, strong := bidi.L, bidi.L
	for i, c := range classes {
		if c == bidi.NSM {
			c = before
		}
		before = c
		switch {
		case c == bidi.L, c == bidi.R, c == bidi.AL:
			strong = c
		case c == bidi.EN && strong == bidi.AL:
			c = bidi.AN
		}
		if c == bidi.AL {
			c = bidi.R
		}
		classes[i] = c
	}
}

// resolveSeparators is rules W4 to W6: what is part of a number, such as the point in 1.5 and the sign in 10 %.
func resolveSeparators(classes []bidi.Class) {
	for i := 1; i < len(classes)-1; i++ {
		number, c := classes[i-1], classes[i]
		part := c == bidi.CS && number == bidi.AN || (c == bidi.CS || c == bidi.ES) && number == bidi.EN
		if part && classes[i+1] == number {
			classes[i] = number
		}
	}
	for i := 0; i < len(classes); i++ {
		from := i
		for i < len(classes) && classes[i] == bidi.ET {
			i++
		}
		number := from > 0 && classes[from-1] == bidi.EN || i < len(classes) && classes[i] == bidi.EN
		for j := from; j < i && number; j++ {
			classes[j] = bidi.EN
		}
	}
	for i, c := range classes {
		if c == bidi.ES || c == bidi.ET || c == bidi.CS {
			classes[i] = bidi.ON
		}
	}
}

// resolveLatinNumbers is rule W7: numbers after Latin go with it.
func resolveLatinNumbers(classes []bidi.Class) {
	strong := bidi.L
	for i, c := range classes {
		switch {
		case c == bidi.L, c == bidi.R:
			strong = c
		case c == bidi.EN && strong == bidi.L:
			classes[i] = bidi.L
		}
	}
}

// resolveBrackets is rule N0: both brackets of a pair have one direction.
func resolveBrackets(line []rune, classes []bidi.Class) {
	for _, pair := range bracketPairs(line, classes) {
		direction := directionOfPair(classes, pair)
		if direction == bidi.ON {
			continue
		}
		for _, i := range pair {
			classes[i] = direction
			for i++; i < len(line) && classOf(line[i]) == bidi.NSM; i++ {
				classes[i] = direction
			}
		}
	}
}

const mostOpenBrackets = 63

// bracketPairs are the indices of brackets that belong together (definition BD16), by the first of them.
func bracketPairs(line []rune, classes []bidi.Class) (pairs [][2]int) {
	var open []int
	for i, r := range line {
		p, _ := bidi.LookupRune(r)
		switch {
		case !p.IsBracket() || classes[i] != bidi.ON:
		case p.IsOpeningBracket():
			if len(open) == mostOpenBrackets {
				return pairs
			}
			open = append(open, i)
		default:
			for j := len(open) - 1; j >= 0; j-- {
				if mirrorImages()[line[open[j]]] == r {
					pairs = append(pairs, [2]int{open[j], i})
					open = open[:j]
					break
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	return pairs
}

// directionOfPair is that of the text within, or ON if that has none.
func directionOfPair(classes []bidi.Class, pair [2]int) bidi.Class {
	within := bidi.ON
	for _, c := range classes[pair[0]+1 : pair[1]] {
		switch strongOf(c) {
		case bidi.L:
			return bidi.L
		case bidi.R:
			within = bidi.R
		}
	}
	if within == bidi.ON {
		return bidi.ON
	}
	for i := pair[0] - 1; i >= 0; i-- {
		if c := strongOf(classes[i]); c != bidi.ON {
			return c
		}
	}
	return bidi.L
}

// strongOf takes numbers for right to left, as rules N0 and N1 do, and what has no direction for ON.
func strongOf(c bidi.Class) bidi.Class {
	switch c {
	case bidi.L:
		return bidi.L
	case bidi.R, bidi.EN, bidi.AN:
		return bidi.R
	}
	return bidi.ON
}

// resolveNeutrals is rules N1 and N2: what has no direction takes that of both its neighbours, if they agree.
func resolveNeutrals(classes []bidi.Class) {
	before := bidi.L
	for i := 0; i < len(classes); i++ {
		from := i
		for i < len(classes) && strongOf(classes[i]) == bidi.ON {
			i++
		}
		after := bidi.L
		if i < len(classes) {
			after = strongOf(classes[i])
		}
		direction := bidi.L
		if before == after {
			direction = before
		}
		for j := from; j < i; j++ {
			classes[j] = direction
		}
		before = after
	}
}

// visualOrder is rule L2: the indices of characters as they stand from left to right.
func visualOrder(levels []int) []int {
	order := make([]int, len(levels))
	for i := range order {
		order[i] = i
	}
	for _, level := range []int{2, 1} {
		for i := 0; i < len(order); i++ {
			from := i
			for i < len(order) && levels[order[i]] >= level {
				i++
			}
			slices.Reverse(order[from:i])
		}
	}
	return order
}

// marksBehind is rule L3: what is right to left has its marks before its letters now, and gets them behind again.
func marksBehind(line []rune, levels, order []int) []int {
	isMark := func(i int) bool { return levels[i] == 1 && classOf(line[i]) == bidi.NSM }
	for i := 0; i < len(order); i++ {
		from := i
		for i < len(order)-1 && isMark(order[i]) && levels[order[i+1]] == 1 {
			i++
		}
		slices.Reverse(order[from : i+1])
	}
	return order
}

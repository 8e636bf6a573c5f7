package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// phrasebook has the Chinese of every sentence, by its form. The server speaks
// English only; the console turns a sentence back into its form and words that.
const phrasebook = "web/src/said/sentences.zh.json"

// verb is one of fmt's, with flags, width and precision; %% is masked before.
var (
	verb    = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]`)
	percent = regexp.MustCompile(`%%`)
	named   = regexp.MustCompile(`\{([0-9]+)[~-]?\}`)
)

// holes counts the verbs of a form.
func holes(form string) int {
	return len(verb.FindAllString(percent.ReplaceAllString(form, "\x00"), -1))
}

func wording(t *Tree) (broken []string) {
	if t.Worded == nil {
		return nil // a tree without a console
	}
	said := map[string]bool{}
	for _, s := range t.Spoken {
		if !said[s.Form] && t.Worded[s.Form] == "" {
			broken = append(broken, fmt.Sprintf("%s says %q: not in %s", s.At, s.Form, phrasebook))
		}
		said[s.Form] = true
	}
	for _, form := range slices.Sorted(maps.Keys(t.Worded)) {
		if !said[form] {
			broken = append(broken, fmt.Sprintf("%s has %q: nobody says it", phrasebook, form))
		}
		used := map[int]bool{}
		for _, m := range named.FindAllStringSubmatch(t.Worded[form], -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil || n < 1 || n > holes(form) {
				broken = append(broken, fmt.Sprintf("%s words %q with %s, of %d holes", phrasebook, form, m[0], holes(form)))
			}
			used[n] = true
		}
		for n := 1; n <= holes(form); n++ {
			if !used[n] {
				broken = append(broken, fmt.Sprintf("%s words %q without {%d}", phrasebook, form, n))
			}
		}
	}
	return broken
}

package walk_test

import "flag"

var update = flag.Bool("update", false, "write the tables instead of comparing them")

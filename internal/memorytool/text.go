package memorytool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostListed limits the lines of a listing.
const mostListed = 1000

// fileLines returns the lines of a text. A final line break starts no further line.
func fileLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numberedLines formats lines with their numbers, starting at from.
func numberedLines(lines []string, from int) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d\t%s", from+i, line)
	}
	return b.String()
}

// viewFile shows a file, or the wanted lines of it.
func viewFile(p Path, text string, wanted []int64) (string, error) {
	lines, from := fileLines(text), int64(1)
	if wanted != nil {
		to := wanted[1]
		if to == -1 || to > int64(len(lines)) {
			to = int64(len(lines))
		}
		if from = wanted[0]; from < 1 || from > max(int64(len(lines)), 1) || wanted[1] != -1 && wanted[1] < from {
			return "", wrong("Error: Invalid `view_range` parameter: [%d, %d]. It should be within the range of lines of the file: [1, %d]", wanted[0], wanted[1], len(lines))
		}
		lines = lines[min(from-1, to):to]
	}
	head := fmt.Sprintf("Here's the content of %s with line numbers:", p)
	if len(lines) == 0 {
		return head, nil
	}
	return head + "\n" + numberedLines(lines, int(from)), nil
}

// viewDirectory lists the files below a directory, two levels deep, with sizes.
func viewDirectory(dir Path, files []entry) string {
	type item struct {
		path Path
		dir  bool
		size int
	}
	total, items := 0, map[string]*item{}
	for _, f := range files {
		if f.path.hidden(dir) {
			continue
		}
		total += f.size
		for depth := len(dir) + 1; depth <= min(len(f.path), len(dir)+2); depth++ {
			p := f.path[:depth]
			it := items[p.String()]
			if it == nil {
				it = &item{path: p}
				items[p.String()] = it
			}
			it.size += f.size
			it.dir = it.dir || depth < len(f.path)
		}
	}
	list := make([]*item, 0, len(items))
	for _, it := range items {
		list = append(list, it)
	}
	slices.SortFunc(list, func(a, b *item) int { return slices.Compare(a.path, b.path) })
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n%s\t%s", dir, fileSize(total), dir)
	for i, it := range list {
		if i == mostListed {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-mostListed)
			break
		}
		fmt.Fprintf(&b, "\n%s\t%s", fileSize(it.size), it.path)
		if it.dir {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// fileSize formats a size, such as 512B, 5.5K or 1.2M.
func fileSize(n int) string {
	unit, size := 0, 1
	for unit < 3 && n/size >= 1024 {
		unit, size = unit+1, size*1024
	}
	text := strconv.Itoa(n / size)
	if tenths := (n%size*10 + size/2) / size; tenths == 10 {
		text = strconv.Itoa(n/size + 1)
	} else if tenths > 0 {
		text += "." + strconv.Itoa(tenths)
	}
	return text + "BKMG"[unit:unit+1]
}

// replaceOnce replaces the only occurrence of old, and returns its line.
func replaceOnce(p Path, text, old, next string) (string, int, error) {
	if old == "" {
		return "", 0, wrong("No replacement was performed, old_str is empty.")
	}
	var at []int
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1 // matches may overlap
	}
	switch len(at) {
	case 0:
		return "", 0, wrong("No replacement was performed, old_str `%s` did not appear verbatim in %s.", old, p)
	case 1:
		return text[:at[0]] + next + text[at[0]+len(old):], 1 + strings.Count(text[:at[0]], "\n"), nil
	}
	var lines []string
	line, from, last := 1, 0, 0
	for _, i := range at {
		line += strings.Count(text[from:i], "\n")
		if from = i; line != last {
			lines = append(lines, strconv.Itoa(line))
			last = line
		}
	}
	return "", 0, wrong("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", old, strings.Join(lines, ", "))
}

// snippet shows the lines around a text that was inserted at a line.
func snippet(text string, line int, put string) string {
	const around = 2
	lines := fileLines(text)
	from := max(line-1-around, 0)
	to := min(line+strings.Count(put, "\n")+around, len(lines))
	return numberedLines(lines[min(from, to):to], from+1)
}

// insertLines inserts a text after a line, without joining it to the lines around it.
func insertLines(text string, line int64, put string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if line < 0 || line > int64(len(lines)) {
		return "", wrong("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, len(lines))
	}
	before, after := strings.Join(lines[:line], ""), strings.Join(lines[line:], "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if !strings.HasSuffix(put, "\n") && (after != "" || strings.HasSuffix(text, "\n")) {
		put += "\n"
	}
	return before + put + after, nil
}

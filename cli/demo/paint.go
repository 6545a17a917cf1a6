package demo

// hue is a terminal's code for how text looks.
type hue string

const (
	bold  hue = "1"
	dim   hue = "2"
	red   hue = "1;31"
	green hue = "1;32"
	cyan  hue = "36"
)

// in colours a text where colours are wanted.
func (s story) in(h hue, text string) string {
	if !s.paint {
		return text
	}
	return "\x1b[" + string(h) + "m" + text + "\x1b[0m"
}

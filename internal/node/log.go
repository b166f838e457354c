package node

import (
	"io"
	"log/slog"
)

// NewLog returns a logger as a configuration wants it. Terminal says whether a person
// reads along.
func (c *Config) NewLog(w io.Writer, terminal bool) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // Check has looked at it
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" || c.LogFormat == "auto" && terminal {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

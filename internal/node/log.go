package node

import (
	"io"
	"log/slog"
)

// NewLog returns the logger of a configuration. terminal says whether w is a terminal.
func (c *Config) NewLog(w io.Writer, terminal bool) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // Check has validated it
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" || c.LogFormat == "auto" && terminal {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

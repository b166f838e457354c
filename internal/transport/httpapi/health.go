package httpapi

import "net/http"

// health says that the process answers.
func (c *call) health() {
	c.w.Header().Set("Content-Type", mediaJSON)
	c.w.Header().Set("Cache-Control", "no-store")
	c.send(http.StatusOK, []byte("{\"status\":\"ok\"}\n"))
}

// ready says whether calls are served: not on the way down, and not when the board has
// stopped writing.
func (c *call) ready() {
	if c.s.draining() {
		c.fail(errDraining())
		return
	}
	if err := c.s.o.Board.Failed(); err != nil {
		c.fail(err)
		return
	}
	c.health()
}

// describe answers the description of the interface.
func (c *call) describe() {
	c.w.Header().Set("Content-Type", mediaJSON)
	c.cached(0, c.s.openapi)
}

package httpapi

import "net/http"

// health reports that the process answers.
func (c *call) health() {
	c.w.Header().Set("Content-Type", mediaJSON)
	c.w.Header().Set("Cache-Control", "no-store")
	c.send(http.StatusOK, []byte("{\"status\":\"ok\"}\n"))
}

// ready reports whether calls are served: the server is not draining, and the board can write.
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

// describe answers with the OpenAPI document.
func (c *call) describe() {
	c.w.Header().Set("Content-Type", mediaJSON)
	c.cached(0, c.s.openapi)
}

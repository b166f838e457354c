package eval

import "context"

// Parameters of the descent.
const (
	descendMemory = 10   // steps of history
	descendHalves = 20   // how often a step is halved before the descent stops
	descendEnough = 1e-6 // a step that gains less is the last
)

// descend moves w to a minimum of f by L-BFGS: f returns its value and writes its gradient. It
// takes at most steps steps.
func descend(ctx context.Context, w []float64, steps int, f func(w, slope []float64) float64) error {
	slope := make([]float64, len(w))
	value := f(w, slope)
	var moved, turned [][]float64 // changes of w and of the gradient in the last steps
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		way := direction(slope, moved, turned)
		rise := dot(slope, way)
		if rise <= 1e-12 {
			return nil
		}
		next, nextSlope, nextValue, ok := step(w, way, value, rise, f)
		if !ok {
			return nil
		}
		by, turn := make([]float64, len(w)), make([]float64, len(w))
		for i := range w {
			by[i], turn[i] = next[i]-w[i], nextSlope[i]-slope[i]
		}
		if dot(by, turn) > 1e-10 {
			moved, turned = append(moved, by), append(turned, turn)
			if len(moved) > descendMemory {
				moved, turned = moved[1:], turned[1:]
			}
		}
		gain := value - nextValue
		copy(w, next)
		slope, value = nextSlope, nextValue
		if gain < descendEnough {
			return nil
		}
	}
	return nil
}

// step goes along a descent direction, halving its length until it gains.
func step(w, way []float64, value, rise float64, f func(w, slope []float64) float64) (next, slope []float64, least float64, ok bool) {
	next, slope = make([]float64, len(w)), make([]float64, len(w))
	far := 1.0
	for range descendHalves {
		for i := range w {
			next[i] = w[i] - far*way[i]
		}
		if least = f(next, slope); least <= value-1e-4*far*rise {
			return next, slope, least, true
		}
		far /= 2
	}
	return nil, nil, 0, false
}

// direction returns the gradient, corrected by the history of the last steps.
func direction(slope []float64, moved, turned [][]float64) []float64 {
	way := append([]float64(nil), slope...)
	share := make([]float64, len(moved))
	for i := len(moved) - 1; i >= 0; i-- {
		share[i] = dot(moved[i], way) / dot(moved[i], turned[i])
		for k := range way {
			way[k] -= share[i] * turned[i][k]
		}
	}
	if n := len(moved) - 1; n >= 0 {
		length := dot(moved[n], turned[n]) / dot(turned[n], turned[n])
		for k := range way {
			way[k] *= length
		}
	}
	for i := range moved {
		back := dot(turned[i], way) / dot(moved[i], turned[i])
		for k := range way {
			way[k] += moved[i][k] * (share[i] - back)
		}
	}
	return way
}

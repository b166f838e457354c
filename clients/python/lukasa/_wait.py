"""Whether a call is tried again, and when."""

from __future__ import annotations

import random
from typing import Optional

from ._problem import NoAnswer, Problem


class Again:
    """Again decides whether a call is tried once more. Waits are in seconds."""

    def __init__(self, attempts: int, min_wait: float, max_wait: float) -> None:
        self._attempts, self._min_wait, self._max_wait = attempts, min_wait, max_wait
        self._attempt = 0

    def reset(self) -> None:
        """Resets the wait after a success."""
        self._attempt = 0

    def after(self, error: Exception, harmless: bool) -> Optional[float]:
        """Returns how long to wait before the next attempt, or None if there is none.
        Harmless is what may be done twice."""
        self._attempt += 1
        if self._attempt >= self._attempts:
            return None
        wait = self.backoff()
        if isinstance(error, Problem):
            # These were refused before anything was done; of what is over a quota no waiting helps.
            refused = error.status in (429, 503) and error.code != "over_quota"
            return max(wait, error.retry_after) if refused or (harmless and error.status >= 500) else None
        return wait if harmless and isinstance(error, NoAnswer) else None

    def backoff(self) -> float:
        """Twice as long as after the attempt before, and a part of that at random, so that
        many do not come at once."""
        wait = min(self._min_wait * 2 ** min(max(self._attempt - 1, 0), 20), self._max_wait)
        return wait / 2 + random.random() * wait / 2

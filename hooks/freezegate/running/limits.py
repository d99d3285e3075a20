"""How much a run may take."""

from __future__ import annotations

MEMORY = 2 << 30
"""Bytes of private memory."""

REPLAYS = 3
"""Evaluations of one case, where no policy says how many."""

EVALUATION = 60.0
"""Seconds for one evaluation, where no limit is named."""

SEARCH = 600.0
"""Seconds for a search with its replays, where no limit is named."""

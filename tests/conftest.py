"""Every test runs apart from the user's git configuration and from the hook or CI job that may have started
it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # whatever pytest's import mode: tests import `building`

from building import environment

_ISOLATED = environment()
for _name in set(os.environ) - set(_ISOLATED):
    del os.environ[_name]
os.environ.update(_ISOLATED)

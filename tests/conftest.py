"""Every test runs apart from the user's git configuration and from the hook or CI job that may have started
it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # whatever pytest's import mode: tests import `building`

from hypothesis import settings

from building import environment

if os.environ.get("CI") == "true":
    # Under another name, which worker processes inherit: nothing may be skipped for want of a registry.
    os.environ["TESTS_MUST_ALL_RUN"] = "1"
_ISOLATED = environment()
for _name in set(os.environ) - set(_ISOLATED):
    del os.environ[_name]
os.environ.update(_ISOLATED)

# A required run gives one answer for one commit; new cases are drawn on people's machines.
settings.register_profile("required", derandomize=True, database=None)
if os.environ.get("TESTS_MUST_ALL_RUN"):
    settings.load_profile("required")

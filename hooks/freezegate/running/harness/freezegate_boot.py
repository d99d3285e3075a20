"""The script that the child's interpreter starts with.

A script, not ``-c``: Python then puts this folder on ``sys.path`` and not the current one, whatever the version.
"""

from __future__ import annotations

import sys

# The environment says that no bytecode is written, which is meant for the project. The harness's own may be: compiling it
# anew costs as much as the whole rest of the start.
sys.dont_write_bytecode = False
__import__("freezegate_child").main(sys.path.pop)

"""The hub of another version as a process: its code stands in a zip file that comes first on the path.

Usage: `PYTHONPATH=ZIP python old_hub.py DB`. It prints where it listens. Nothing of today's tests may be imported here.
"""

import sys

from dragoman import wire
from dragoman.clock import SystemClock
from dragoman.hub import serve

serve.serve(
    sys.argv[1],
    serve.Listen(),
    SystemClock(),
    wire.Limits(replies_per_contact_hour=None, replies_per_role_day=None),
    ready=lambda address: print(address, flush=True),
)

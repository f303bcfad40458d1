"""May our token be shown to this address? Pure. Only to Microsoft's own Bot Connector, over HTTPS, or to an address
that the configuration names exactly. An activity that asks to be answered elsewhere is not taken at all.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from dragoman.channels.address import is_private

HOSTS: Final = frozenset(
    {
        "smba.trafficmanager.net",
        "smba.infra.gcc.teams.microsoft.com",
        "smba.infra.gov.teams.microsoft.us",
        "smba.infra.dod.teams.microsoft.us",
    }
)
"""The connector's hosts: public, GCC, GCC High, DoD."""
_LONGEST: Final = 300


def is_allowed(url: str, named: tuple[str, ...] = ()) -> bool:
    """Whether our token may go to `url`; `named` are the addresses of the configuration."""
    if not url or len(url) > _LONGEST or not url.isascii() or not url.isprintable() or "\\" in url:
        return False
    if url.rstrip("/") in {each.rstrip("/") for each in named}:
        return is_private(url)
    try:
        address = urlsplit(url)
        return address.scheme == "https" and address.netloc in HOSTS and not address.query and not address.fragment
    except ValueError:
        return False

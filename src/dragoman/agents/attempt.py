"""One attempt at an authorised program: which ends of a run are faults, and what is kept of them for the operator.

The order: changed since it was authorised → could not start → too late or too much output → it ended by itself. Only
the last comes back; whether the exit code is a good one is the caller's question, since a host's CLI explains a bad one
on standard output. Nothing here reads what was said.
"""

from __future__ import annotations

from typing import Final

from dragoman.agents.contract import Fault, HandlerFailed
from dragoman.agents.process import Ended, Ran
from dragoman.agents.program import NO_ROOM, Changed, Program, Room

_FAULTS: Final = {
    Ended.TIMEOUT: Fault.TIMEOUT,
    Ended.OUTPUT_TOO_LARGE: Fault.OUTPUT_TOO_LARGE,
    Ended.CANNOT_START: Fault.CANNOT_START,
}


async def attempt(program: Program, stdin: bytes, room: Room = NO_ROOM) -> Ran:
    """Run `program` once; the run of a program that ended by itself.

    Raises:
        HandlerFailed: with its fault; the end of stderr is its evidence.
    """
    try:
        ran = await program.run(stdin, room=room)
    except Changed as error:
        raise HandlerFailed(Fault.COMMAND_CHANGED, str(error), where=program.argv[0]) from error
    except OSError as error:
        raise HandlerFailed(Fault.CANNOT_START, str(error), where=program.argv[0]) from error
    if ran.ended is not Ended.EXITED:
        detail = ran.detail or f"after {ran.duration_ms} ms"
        raise HandlerFailed(_FAULTS[ran.ended], detail, evidence=heard(ran))
    return ran


def heard(ran: Ran) -> str:
    """What the program wrote to stderr."""
    return ran.stderr.decode("utf-8", "replace")

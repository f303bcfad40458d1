"""Any command as a handler: JSON in on stdin, one answer out on stdout (spec 2 §2).

The order: is it still the authorised command → run it bounded → only a run that exited 0 in time and size is read →
`parse_answer`. Every other end is a `HandlerFailed` with its fault; what the command wrote to stderr rides along as
evidence for the operator. The command never gets a channel, a key or a token; its words leave through the gate only.
"""

from __future__ import annotations

from dragoman.agents.attempt import attempt, heard
from dragoman.agents.contract import Fault, HandlerAnswer, HandlerFailed, HandlerRequest, parse_answer, write_request
from dragoman.agents.program import Program


class CommandHandler:
    """A handler that runs one authorised `Program` per turn."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def fingerprint(self) -> str:
        """What the scope digest holds of this handler: arguments and file hashes."""
        return self.program.fingerprint()

    async def answer(self, request: HandlerRequest) -> HandlerAnswer:
        """Run the command once for `request`.

        Raises:
            HandlerFailed: no usable answer; the turn failed and stays charged.
        """
        ran = await attempt(self.program, write_request(request))
        try:
            if ran.exit_code != 0:
                raise HandlerFailed(Fault.EXIT_CODE, f"exit code {ran.exit_code}")
            return parse_answer(ran.stdout, probe=request.probe, max_message_bytes=request.limits.max_message_bytes)
        except HandlerFailed as failed:
            failed.evidence = heard(ran)
            raise

"""A peer: the A2A project's own server (a2a-sdk), a task echo, over its PostgreSQL store or its in-memory store.

`a2a_echo.py PORT memory|DSN`. The task goes submitted, working, artifact, completed, as its own examples do.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import DatabaseTaskStore, InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Echo(AgentExecutor):
    """Says the text back as an artifact."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """One task, from submitted to completed."""
        assert context.message is not None
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await updater.add_artifact([new_text_part(context.get_user_input())])
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Not asked for here."""
        raise NotImplementedError


def store(where: str) -> Any:
    """The store that is named."""
    if where == "memory":
        return InMemoryTaskStore()
    from sqlalchemy.ext.asyncio import create_async_engine

    return DatabaseTaskStore(create_async_engine(where.replace("postgresql://", "postgresql+asyncpg://")))


def card(port: int) -> AgentCard:
    """What an A2A agent says of itself."""
    here = AgentInterface(protocol_binding="JSONRPC", protocol_version="1.0", url=f"http://127.0.0.1:{port}/")
    return AgentCard(
        name="echo",
        description="echo",
        version="1",
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text"],
        default_output_modes=["text"],
        supported_interfaces=[here],
        skills=[AgentSkill(id="echo", name="echo", description="echo", tags=["echo"])],
    )


if __name__ == "__main__":
    port = int(sys.argv[1])
    tasks = store(sys.argv[2])
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=tasks, agent_card=card(port))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Make the table first: eight first requests that make it together would fail."""
        if hasattr(tasks, "initialize"):
            await tasks.initialize()
        yield

    app = Starlette(routes=create_jsonrpc_routes(handler, "/"), lifespan=lifespan)
    uvicorn.run(app, port=port, loop="uvloop", http="httptools", log_level="warning", access_log=False)

"""A peer: Starlette with one plain INSERT per request into PostgreSQL, and no check of anything.

`insert.py PORT DSN`
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

MAKE = """CREATE TABLE IF NOT EXISTS message (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
message_id text NOT NULL UNIQUE, contact_id text NOT NULL, body text NOT NULL)"""
ADD = "INSERT INTO message (message_id, contact_id, body) VALUES ($1, $2, $3)"
pools: list[Any] = []


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """Hold a pool as large as it helps (measured: 8 to 32 differ little)."""
    pools.append(await asyncpg.create_pool(sys.argv[2], min_size=16, max_size=16))
    await pools[0].execute(MAKE)
    yield
    await pools[0].close()


async def take(request: Request) -> JSONResponse:
    """Store the body as it came."""
    message_id = uuid.uuid4().hex
    body = await request.body()
    async with pools[0].acquire() as connection:
        await connection.execute(ADD, message_id, request.path_params["contact"], body.decode())
    return JSONResponse({"message_id": message_id})


app = Starlette(routes=[Route("/contacts/{contact}", take, methods=["POST"])], lifespan=lifespan)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), loop="uvloop", http="httptools", log_level="warning", access_log=False)

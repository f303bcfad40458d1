"""`dragoman hub`: serve a hub, and speak to one as an owner's agent does. JSON out; texts come from files or stdin.

Nothing secret is ever an argument: the role key is a file of mode 0600, message texts are read from `--text-file`.
What the optional parts need is imported inside the commands, so that `--help` needs none of it. A write whose fate is
unknown ends with the option that repeats it under the same id.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from dragoman import wire
from dragoman.cli import hub_admin, hub_find, hub_key
from dragoman.cli.hub_ask import After, AsJson, ContactId, KeyFile, PasswordFile, Url, ask, password_in, text_of
from dragoman.cli.output import decode_once, emit, read_file
from dragoman.clock import SECOND, SystemClock

if TYPE_CHECKING:
    from dragoman.channels.hub.client import HubClient

Rate = Annotated[float, typer.Option(min=0, help="Requests per second, in bursts; 0 counts nothing.")]

app = typer.Typer(name="hub", help="Serve a hub, or speak to one as a role.", no_args_is_help=True)


@app.command()
def serve(
    db: Annotated[
        str, typer.Option("--db", help="`sqlite:///absolute/path`, a plain path, or `postgresql://user@host/database`.")
    ],
    listen: Annotated[str, typer.Option("--listen", help="HOST:PORT; port 0 takes a free one.")] = "127.0.0.1:8787",
    origin: Annotated[
        list[str] | None, typer.Option("--origin", help="Address that clients use when a proxy stands in front.")
    ] = None,
    insecure_http: Annotated[
        bool, typer.Option("--insecure-http", help="Allow plain HTTP that other machines can reach.")
    ] = False,
    lease_seconds: Annotated[int, typer.Option("--lease-seconds", min=1, max=3600)] = 120,
    lease_cap_seconds: Annotated[int, typer.Option("--lease-cap-seconds", min=1, max=86_400)] = 1800,
    text_bytes: Annotated[int, typer.Option("--text-bytes", min=1, max=64 * 1024)] = 16 * 1024,
    per_contact_hour: Annotated[
        int, typer.Option("--replies-per-contact-hour", min=0, help="Rolling limit of each role; 0 counts nothing.")
    ] = 6,
    per_role_day: Annotated[
        int, typer.Option("--replies-per-role-day", min=0, help="Rolling limit of each role; 0 counts nothing.")
    ] = 60,
    registration: Annotated[
        str, typer.Option("--registration", help="`open`, or `invited`: a new role needs an invitation.")
    ] = "open",
    log: Annotated[
        str | None, typer.Option("--log", help="Write a JSON line per request to this file; `-` is standard error.")
    ] = None,
    metrics_listen: Annotated[
        str | None, typer.Option("--metrics-listen", help="HOST:PORT that shows `/metrics` and nothing else.")
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None, typer.Option("--trusted-proxy", help="Address whose `X-Forwarded-For` is believed.")
    ] = None,
    rate_address: Rate = 100.0,
    rate_entrance: Rate = 5.0,
    rate_role: Rate = 50.0,
    rate_log_in: Rate = 0.2,
    db_password_file: PasswordFile = None,
    minimum_client_version: Annotated[
        str, typer.Option("--minimum-client-version", help="Published: the oldest client that is still served.")
    ] = "",
    client_releases: Annotated[
        Path | None, typer.Option("--client-releases", help="Published: a JSON list of releases; else our own.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line when ready.")] = False,
) -> None:
    """Serve a hub until SIGTERM or SIGINT."""
    from dragoman.channels.hub.release import release
    from dragoman.hub import serve as process

    published = [release()]
    if client_releases is not None:
        published = decode_once(read_file(client_releases), list[wire.ClientRelease], "client-releases")
    how = process.operation_of(
        registration,
        log,
        process.parse_listen(metrics_listen, insecure_http=insecure_http) if metrics_listen else None,
        trusted_proxy or [],
        (rate_address, rate_entrance, rate_role, rate_log_in),
    )

    def ready(address: str) -> None:
        if as_json:
            emit({"listening": address})
        else:
            typer.echo(f"listening on {address}")

    process.serve(
        db,
        process.parse_listen(listen, insecure_http=insecure_http),
        SystemClock(),
        wire.Limits(
            lease_ms=lease_seconds * SECOND,
            lease_cap_ms=lease_cap_seconds * SECOND,
            text_bytes=text_bytes,
            replies_per_contact_hour=per_contact_hour or None,
            replies_per_role_day=per_role_day or None,
        ),
        origins=origin or [],
        password=password_in(db_password_file),
        operation=msgspec.structs.replace(
            how, minimum_client_version=minimum_client_version, client_releases=tuple(published)
        ),
        ready=ready,
    )


@app.command()
def keygen(
    out: Annotated[Path, typer.Option("--out", help="Where to write; must not exist.")], as_json: AsJson = False
) -> None:
    """Make a role key."""
    from dragoman.channels.hub.keys import create_key

    key = create_key(out)
    emit({"role_id": key.role_id, "public_key": key.public_key, "instance_id": key.instance_id, "key": str(out)})


@app.command("register")
def register_role(
    url: Url,
    key: KeyFile,
    invitation: Annotated[
        str | None, typer.Option("--invitation", help="A file with the operator's invitation; `-` for stdin.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the key's role known to the hub; doing it again changes nothing."""
    code = text_of(invitation).strip() if invitation is not None else None
    ask(url, key, lambda client: client.register(code))


@app.command()
def login(
    url: Url,
    key: KeyFile,
    takeover: Annotated[bool, typer.Option("--takeover", help="Become the primary instance.")] = False,
    as_json: AsJson = False,
) -> None:
    """Log in once and show what the hub holds of this instance."""

    async def enter(client: HubClient) -> wire.Me:
        await client.log_in(takeover=takeover)
        return await client.me()

    ask(url, key, enter)


@app.command()
def contact(
    url: Url,
    key: KeyFile,
    peer: Annotated[str, typer.Option("--peer", help="The other role's id.")],
    role: Annotated[str | None, typer.Option("--role", help="Our role's id; checked against the key.")] = None,
    open_id: Annotated[
        str | None, typer.Option("--open-id", help="Repeat an opening under its id; shown when it failed.")
    ] = None,
    delegation: Annotated[
        str | None, typer.Option("--delegation", help="The peer's delegation that this answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open a contact with a peer."""
    minted = open_id or f"opn_{os.urandom(16).hex()}"
    ask(
        url,
        key,
        lambda client: client.open_contact(minted, peer, delegation_id=delegation),
        role=role,
        repeat=f"--open-id {minted}",
    )


@app.command()
def contacts(url: Url, key: KeyFile, after: After = 0, as_json: AsJson = False) -> None:
    """List this role's contacts."""
    ask(url, key, lambda client: client.contacts(after=after))


@app.command()
def close(url: Url, key: KeyFile, contact_id: ContactId, as_json: AsJson = False) -> None:
    """Close a contact for both sides."""
    ask(url, key, lambda client: client.close_contact(contact_id))


@app.command()
def send(
    url: Url,
    key: KeyFile,
    contact_id: ContactId,
    text_file: Annotated[str, typer.Option("--text-file", help="A file of UTF-8 text, or `-` for stdin.")],
    complete: Annotated[bool, typer.Option("--complete", help="Say that the matter is closed.")] = False,
    reply_id: Annotated[
        str | None, typer.Option("--reply-id", help="Repeat a send under its id; shown when it failed.")
    ] = None,
    patience: Annotated[
        int, typer.Option("--patience", min=0, max=3600, help="Seconds to ask again while the hub is away or busy.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Send a message in a contact."""
    minted = reply_id or f"rep_{os.urandom(16).hex()}"
    text = text_of(text_file)
    ask(
        url,
        key,
        lambda client: client.send(contact_id, reply_id=minted, text=text, complete=complete),
        repeat=f"--reply-id {minted}",
        patience=patience,
    )


@app.command()
def messages(url: Url, key: KeyFile, contact_id: ContactId, after: After = 0, as_json: AsJson = False) -> None:
    """Show a contact's messages, both sides'."""
    ask(url, key, lambda client: client.messages(contact_id, after=after))


@app.command()
def communication(url: Url, key: KeyFile, contact_id: ContactId, as_json: AsJson = False) -> None:
    """Show where a conversation stands."""
    ask(url, key, lambda client: client.communication(contact_id))


app.add_typer(hub_find.app)
app.add_typer(hub_admin.app)
app.add_typer(hub_key.app)

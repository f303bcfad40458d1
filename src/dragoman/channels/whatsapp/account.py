"""The WhatsApp account of a section: secrets from their files, the Graph API, the adapter. Nothing is connected yet."""

from __future__ import annotations

from dragoman.channels.account import Place
from dragoman.channels.secret_file import read_secret
from dragoman.channels.whatsapp.adapter import WhatsAppAccount
from dragoman.channels.whatsapp.graph import Graph
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.channels.whatsapp.state import WhatsAppAgent


def account(section: WhatsAppSection, place: Place) -> WhatsAppAccount:
    """The account of its section, not opened yet.

    Raises:
        DragomanError: `extra_missing`, `config_invalid`, or a secret that cannot be read: without them it never starts.
    """
    token = read_secret(place.at(section.token_file), "the access token")
    secret = read_secret(place.at(section.app_secret_file), "the app secret")
    word = read_secret(place.at(section.verify_token_file), "the verify token")
    agent = WhatsAppAgent(
        phone_number_id=section.phone_number_id, business_id=section.business_id or "", app_secret=secret
    )
    graph = Graph(section.api_url, section.api_version, section.phone_number_id, token)
    return WhatsAppAccount(section, agent, graph, word, place)

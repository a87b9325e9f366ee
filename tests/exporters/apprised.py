"""What a person gets through Apprise: the title and the text, as its JSON service passes them on."""

from __future__ import annotations

import json

from tests.exporters.conftest import Service
from tests.exporters.situations import SITUATIONS

from ragvigil.exporters import Apprise


def apprise(service: Service) -> Apprise:
    """The channel to that server."""
    return Apprise(f"{service.base.replace('http', 'json')}/hush-hush?rto=2&cto=2")


async def rendered(service: Service, situation: str) -> str:
    """The one message of a situation."""
    service.status = 200
    assert (await apprise(service).send(SITUATIONS[situation])).delivered
    (request,) = service.received
    message = json.loads(request.body)
    return f"({message['type']})\n{message['title']}\n{'=' * 40}\n{message['message']}\n"

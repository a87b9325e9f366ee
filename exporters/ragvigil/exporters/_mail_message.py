"""An alert as a mail: plain text for every reader, the same as HTML with a chart, one conversation per incident."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from ragvigil.exporters._alert import Alert
from ragvigil.exporters._chart import HEIGHT, WIDTH, Chart, chart_of
from ragvigil.exporters._page import Page, page_of
from ragvigil.exporters._text import as_text
from ragvigil.exporters._wire import rfc3339

if TYPE_CHECKING:
    from jinja2 import Template

INSTALL = "jinja2 is not installed; run: pip install 'ragvigil[scorer]'"

_SUBJECT_CHARACTERS = 140
_PRIORITIES = {"critical": "1 (Highest)", "error": "2 (High)"}


def message_of(
    alert: Alert, sender: Address, recipients: Sequence[Address], reference: str | None
) -> EmailMessage:
    """The mail; `reference` is what `reference_of` gave for the incident's first one.

    Message-ID is the same however often that alert is sent. Mail readers join a conversation by References, some
    only with the same subject: so the first one's subject stays, and what is new begins the text.
    """
    page = page_of(alert)
    root, _, subject = (reference or "").partition(" ")
    message = EmailMessage(policy=SMTP)
    message["Subject"] = f"Re: {subject}" if subject else page.headline[:_SUBJECT_CHARACTERS]
    message["From"] = sender
    message["To"] = tuple(recipients)
    message["Date"] = format_datetime(alert.at)
    message["Message-ID"] = _message_id(alert, sender)
    if root:
        message["In-Reply-To"] = message["References"] = root
    if alert.action != "resolve" and alert.severity in _PRIORITIES:
        message["X-Priority"] = _PRIORITIES[alert.severity]
    # No automatic answers from people who are away.
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(as_text(alert) + "\n", cte="quoted-printable")
    chart, name = chart_of(alert), f"chart.{message['Message-ID'][1:-1]}"
    message.add_alternative(_html(page, chart, name), subtype="html", cte="quoted-printable")
    if chart is not None:
        # In the mail itself: nothing to load from elsewhere, so no reader holds it back.
        html = cast("EmailMessage", message.get_body(("html",)))
        html.add_related(
            chart.png, "image", "png", cid=f"<{name}>", filename="chart.png", disposition="inline"
        )
    return message


def reference_of(message: EmailMessage) -> str:
    """Message-ID and subject of the mail that begins a conversation."""
    return f"{message['Message-ID']} {message['Subject']}"


def _message_id(alert: Alert, sender: Address) -> str:
    told = "\n".join((alert.incident_id, alert.action, rfc3339(alert.at)))
    name = hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]
    return f"<{name}.ragvigil@{sender.domain}>"


def _html(page: Page, chart: Chart | None, name: str) -> str:
    """One column of tables with styles in place: what mail readers, phones among them, agree on."""
    return template().render(page=page, chart=chart, name=name, width=WIDTH, height=HEIGHT)


@cache
def template() -> Template:
    """The page as HTML, which escapes every text. Raises ImportError without Jinja2."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise ImportError(INSTALL) from None
    source = files("ragvigil.exporters").joinpath("mail.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(source)

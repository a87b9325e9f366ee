"""What a mail reader shows of a mail: its headers and text, and its HTML."""

from __future__ import annotations

from email.headerregistry import Address
from email.message import EmailMessage

from tests.exporters.situations import OPENS, SITUATIONS

from ragvigil.exporters._mail_message import message_of, reference_of

SENDER = Address("ragvigil", "ragvigil", "example.com")
RECIPIENTS = (Address("", "oncall", "example.com"),)
HEADERS = ("From", "To", "Date", "Subject", "Message-ID", "In-Reply-To", "X-Priority")


def rendered(situation: str) -> tuple[str, str]:
    """Text and HTML of the mail of a situation; before what goes on there was the trigger."""
    reference = None
    if situation not in OPENS:
        reference = reference_of(message_of(SITUATIONS["trigger"], SENDER, RECIPIENTS, None))
    return shown(message_of(SITUATIONS[situation], SENDER, RECIPIENTS, reference))


def shown(message: EmailMessage) -> tuple[str, str]:
    """The same of any mail."""
    head = "\n".join(f"{name}: {message[name]}" for name in HEADERS if message[name])
    return f"{head}\n\n{part_of(message, 'plain')}", part_of(message, "html")


def part_of(message: EmailMessage, kind: str) -> str:
    """The text of one alternative."""
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")

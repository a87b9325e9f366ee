"""E-mail over SMTP with TLS."""

from __future__ import annotations

import asyncio
import re
import smtplib
import ssl
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path
from typing import Literal

from ragvigil.exporters._addresses import is_loopback
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._mail_message import message_of, reference_of

Security = Literal["starttls", "tls", "none"]

_HOST = re.compile(r"[A-Za-z0-9_.:-]+")


class Mail:
    """Sends each alert to all recipients as one mail.

    >>> Mail(host="smtp.example.com", sender="rag@example.com", recipients=["oncall@example.com"])
    Mail('smtp.example.com')
    """

    def __init__(
        self,
        host: str,
        sender: str,
        recipients: Sequence[str],
        *,
        port: int = 587,
        security: Security = "starttls",
        username: str | None = None,
        password: str | None = None,
        timeout_seconds: float = 15.0,
        trusted: Path | None = None,
    ) -> None:
        """`security`: ``starttls`` (port 587), ``tls`` from the first byte (465), or ``none``; `trusted` is a file of
        certificates to trust instead of the system's.

        Raises ValueError when a setting cannot be used.
        """
        self.check(
            host=host,
            sender=sender,
            recipients=recipients,
            security=security,
            username=username,
            password=password,
            trusted=trusted,
        )
        self._host, self._port, self._security = host, port, security
        self._sender, self._recipients = _address(sender), [_address(one) for one in recipients]
        self._login = None if username is None or password is None else (username, password)
        self._timeout_seconds = timeout_seconds
        self._context = _trusting(trusted) if security != "none" else None

    @staticmethod
    def check(
        *,
        host: str,
        sender: str,
        recipients: Sequence[str],
        security: Security,
        username: str | None,
        password: str | None,
        trusted: Path | None,
    ) -> None:
        """Raises ValueError when a setting cannot be used; connects to nothing."""
        if not _HOST.fullmatch(host):
            raise ValueError("host must be the name of a mail server, such as smtp.example.com")
        _address(sender)
        if not recipients:
            raise ValueError("recipients must name at least one address")
        for one in recipients:
            _address(one)
        if (username is None) != (password is None):
            raise ValueError("username and password belong together")
        if trusted is not None:
            _trusting(trusted)
        if security == "none" and password is not None and not is_loopback(f"smtp://{host}"):
            raise ValueError('a password needs security = "starttls" or "tls", or the whole way can read it')

    def __repr__(self) -> str:
        return f"Mail({self._host!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Send one mail; `reference` puts it into the incident's conversation."""
        message = message_of(alert, self._sender, self._recipients, reference)
        sending = asyncio.to_thread(self._send, message, reference or reference_of(message))
        try:
            async with asyncio.timeout(4 * self._timeout_seconds):
                return await sending
        except TimeoutError:
            return Outcome(delivered=False, retry=True, reason="timeout")

    def _send(self, message: EmailMessage, reference: str) -> Outcome:
        try:
            with self._connected() as server:
                refused = server.send_message(message)
        except smtplib.SMTPDataError as error:
            # The server read this very message and will not have it; every other refusal an operator can mend.
            return _failed(f"smtp_{error.smtp_code}", retry=error.smtp_code < 500)
        except smtplib.SMTPRecipientsRefused:
            return _failed("recipients_refused")
        except smtplib.SMTPResponseException as error:
            return _failed(f"smtp_{error.smtp_code}")
        except smtplib.SMTPNotSupportedError:
            return _failed("not_supported")
        except TimeoutError:
            return _failed("timeout")
        except ssl.SSLCertVerificationError:
            return _failed("untrusted_certificate")
        except ssl.SSLError:
            return _failed("tls_failed")
        except smtplib.SMTPException:
            return _failed("protocol_error")
        except OSError:
            return _failed("unreachable")
        return Outcome(
            delivered=True, reason="some_recipients_refused" if refused else "", reference=reference
        )

    def _connected(self) -> smtplib.SMTP:
        """A session that is encrypted and logged in as configured; the caller closes it."""
        if self._security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self._host, self._port, timeout=self._timeout_seconds, context=self._context
            )
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=self._timeout_seconds)
        try:
            if self._security == "starttls":
                server.starttls(context=self._context)
            if self._login is not None:
                server.login(*self._login)
        except BaseException:
            server.close()
            raise
        return server


def _trusting(certificates: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=certificates)
    except OSError as error:
        raise ValueError(f"trusted: {certificates} holds no certificates ({type(error).__name__})") from None


def _failed(reason: str, *, retry: bool = True) -> Outcome:
    return Outcome(delivered=False, retry=retry, reason=reason)


def _address(text: str) -> Address:
    """The address that `text` says, with or without a name before it; raises ValueError."""
    name, bracket, rest = text.strip().rpartition("<")
    spec = rest.removesuffix(">") if bracket else text.strip()
    try:
        address = Address(display_name=name.strip(' "'), addr_spec=spec)
    except (ValueError, HeaderParseError, IndexError):
        address = None
    if address is None or not address.username or "." not in f"{address.domain}." or not address.domain:
        raise ValueError(
            f"{text[:100]!r} is no mail address; write name@example.com, or Name <name@example.com>"
        )
    return address

"""E-mail over SMTP with TLS."""

from __future__ import annotations

import asyncio
import re
import smtplib
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path
from typing import Literal

from ragvigil.exporters._addresses import is_loopback
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._mail_message import message_of, reference_of, template
from ragvigil.exporters._post import hindered

Security = Literal["starttls", "tls", "none"]

_STEPS = 4
"""Slow answers after which a conversation ends, those to the mail itself apart."""
_PATIENCE = 8
"""So much longer a server has for the mail itself: one that it takes too late is sent again, and comes twice."""

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

        Raises ValueError when a setting cannot be used, ImportError without Jinja2.
        """
        template()
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
        self._patience_seconds = _PATIENCE * timeout_seconds
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
        if host.count(":") == 1:  # more of them are an IPv6 address
            raise ValueError("host must be a name alone; the port is a setting of its own: port = 587")
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

    @property
    def longest_seconds(self) -> float:
        """After so long a mail that was not taken is given up until the next try."""
        return _STEPS * self._timeout_seconds + self._patience_seconds

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Send one mail; `reference` puts it into the incident's conversation."""
        message = message_of(alert, self._sender, self._recipients, reference)
        line = _Line()
        sending = asyncio.to_thread(self._send, message, reference or reference_of(message), line)
        try:
            async with asyncio.timeout(self.longest_seconds):
                return await sending
        except TimeoutError:
            return Outcome(delivered=False, retry=True, reason="timeout")
        finally:
            line.cut()

    def _send(self, message: EmailMessage, reference: str, line: _Line) -> Outcome:
        try:
            server = self._connected()
            try:
                line.hold(server, self._patience_seconds)
                refused = server.send_message(message)
                _part(server, self._timeout_seconds)
            finally:
                server.close()
        except smtplib.SMTPDataError as error:
            return _failed(f"smtp_{error.smtp_code}", retry=not _too_large(error))
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
        except OSError as error:
            return replace(_failed("unreachable"), detail=hindered(f"{self._host}:{self._port}", error))
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


class _Line:
    """The connection of one mail, which another thread may cut: what nobody waits for must not arrive later."""

    def __init__(self) -> None:
        self._server: smtplib.SMTP | None = None
        self._is_cut = False

    def hold(self, server: smtplib.SMTP, seconds: float) -> None:
        """Wait so long for each answer from here on; raises TimeoutError when it was cut already."""
        self._server = server
        if server.sock is not None:
            server.sock.settimeout(seconds)
        if self._is_cut:
            raise TimeoutError

    def cut(self) -> None:
        """End the conversation, wherever it is."""
        self._is_cut = True
        line = self._server.sock if self._server is not None else None
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


def _part(server: smtplib.SMTP, seconds: float) -> None:
    """Say goodbye; the mail is taken, whatever the server answers to that."""
    with suppress(smtplib.SMTPException, OSError):
        if server.sock is not None:
            server.sock.settimeout(seconds)
        server.quit()


def _too_large(error: smtplib.SMTPDataError) -> bool:
    """Whether the mail itself is what the server will not have; every other refusal, such as of an unverified
    sender or a full quota, an operator can mend. 552 alone says both: the enhanced code tells (RFC 3463, 5.3.4)."""
    words = error.smtp_error if isinstance(error.smtp_error, bytes) else error.smtp_error.encode()
    return error.smtp_code == 552 and words.startswith(b"5.3.4")


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

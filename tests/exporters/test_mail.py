"""Mail over a real SMTP server with real TLS."""

from __future__ import annotations

import asyncio
import base64
import logging
import ssl
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Literal

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from tests.exporters.mails import part_of
from tests.exporters.situations import SITUATIONS, hostile

from ragvigil.exporters import Mail, Outcome
from ragvigil.exporters._chart import chart_of
from ragvigil.exporters._page import page_of
from ragvigil.scorer.incidents.deliver import SEND_SECONDS

# Said of a session that is in TLS from its first byte, too.
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS:UserWarning")

TRIGGER, UPDATE, RESOLVE = (SITUATIONS[name] for name in ("trigger", "update", "resolve"))


@dataclass
class Box:
    """A mailbox, and how its server behaves."""

    port: int = 0
    received: list[EmailMessage] = field(default_factory=list[EmailMessage])
    encrypted: list[bool] = field(default_factory=list[bool])
    refusal: str | None = None
    refused_recipients: tuple[str, ...] = ()
    thinking_seconds: float = 0.0
    """How long it thinks about a mail that it has read."""
    goodbye: str | None = None
    thinks: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether the client left while it thought."""

    async def handle_RCPT(  # noqa: N802 - aiosmtpd looks it up under this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Whether that recipient exists."""
        if address in self.refused_recipients:
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_QUIT(  # noqa: N802 - aiosmtpd looks it up under this name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """End it, in words of its own."""
        return self.goodbye or "221 Bye"

    async def handle_DATA(  # noqa: N802 - aiosmtpd looks it up under this name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Take a mail, or refuse it."""
        self.thinks.set()
        try:
            await asyncio.sleep(self.thinking_seconds)
        except asyncio.CancelledError:
            self.hung_up.set()
            raise
        if self.refusal is not None:
            return self.refusal
        assert isinstance(envelope.content, bytes)
        self.received.append(message_from_bytes(envelope.content, policy=policy.default))
        assert server.transport is not None
        self.encrypted.append(server.transport.get_extra_info("sslcontext") is not None)
        return "250 OK"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key, in one file."""
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=ragvigil-test",
    ]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("openssl is not installed: no certificate to test TLS with")
    return certificate


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
) -> AuthResult:
    known = LoginPassword(b"ragvigil", b"hush-hush")
    return AuthResult(success=data == known, handled=False)


@pytest.fixture(params=["starttls", "tls"])
def security(request: pytest.FixtureRequest) -> Literal["starttls", "tls"]:
    """Both ways to encrypt."""
    return "starttls" if request.param == "starttls" else "tls"


@asynccontextmanager
async def serving(
    box: Box,
    *,
    wrapped: ssl.SSLContext | None = None,
    offered: ssl.SSLContext | None = None,
    login: bool = False,
) -> AsyncGenerator[Box, None]:
    """The box on a free loopback port: in TLS from the first byte, or offering STARTTLS, or neither."""

    def session() -> SMTP:
        return SMTP(
            box,
            hostname="127.0.0.1",
            authenticator=_authenticate if login else None,
            auth_required=login,
            auth_require_tls=offered is not None,
            tls_context=offered,
            require_starttls=offered is not None,
        )

    server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", 0, ssl=wrapped)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
        await server.wait_closed()


@pytest.fixture
async def box(certificate: Path, security: Literal["starttls", "tls"]) -> AsyncIterator[Box]:
    """A server that takes mail over TLS alone, after a login."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    wrapped, offered = (context, None) if security == "tls" else (None, context)
    async with serving(Box(), wrapped=wrapped, offered=offered, login=True) as served:
        yield served


def mail(
    box: Box, security: Literal["starttls", "tls"], certificate: Path | None, *, password: str = "hush-hush"
) -> Mail:
    """The channel to that server."""
    return Mail(
        "127.0.0.1",
        "ragvigil <ragvigil@example.com>",
        ["Öncall <oncall@example.com>", "boss@example.com"],
        port=box.port,
        security=security,
        username="ragvigil",
        password=password,
        timeout_seconds=5.0,
        trusted=certificate,
    )


async def test_an_incident_is_one_conversation(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """Over TLS, logged in, to all recipients; update and resolve refer to the first mail."""
    channel = mail(box, security, certificate)
    first = await channel.send(TRIGGER)
    assert (first.delivered, first.reason) == (True, "")
    for alert in (UPDATE, RESOLVE):
        assert (await channel.send(alert, first.reference)).reference == first.reference
    begun, *answers = box.received
    assert box.encrypted == [True] * 3
    assert begun["Subject"] == f"🟠 {TRIGGER.title}"
    assert begun["To"] == "Öncall <oncall@example.com>, boss@example.com"
    assert [answer["In-Reply-To"] for answer in answers] == [begun["Message-ID"]] * 2
    assert [answer["References"] for answer in answers] == [begun["Message-ID"]] * 2
    assert {answer["Subject"] for answer in answers} == {f"Re: 🟠 {TRIGGER.title}"}
    assert part_of(answers[1], "plain").startswith(RESOLVE.title)
    assert begun["Auto-Submitted"] == "auto-generated"


async def test_the_chart_is_in_the_mail_and_says_in_words_what_it_shows(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """Nothing to load from elsewhere, which mail readers hold back; a ticket without a history has none."""
    channel = mail(box, security, certificate)
    for alert in (TRIGGER, SITUATIONS["ticket"]):
        assert (await channel.send(alert)).delivered
    told, plain = box.received
    chart = chart_of(TRIGGER)
    assert chart is not None
    (picture,) = [part for part in told.walk() if part.get_content_type() == "image/png"]
    assert picture.get_content() == chart.png
    assert picture["Content-Disposition"].startswith("inline")
    html = part_of(told, "html")
    assert f'src="cid:{picture["Content-ID"][1:-1]}"' in html
    assert f'alt="{chart.words}"' in html
    assert "http" not in html.partition("<img")[2].partition(">")[0]
    assert [part.get_content_type() for part in plain.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]


async def test_a_mail_that_is_sent_twice_has_one_id(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """Readers drop the double."""
    channel = mail(box, security, certificate)
    for alert in (TRIGGER, TRIGGER, UPDATE):
        await channel.send(alert)
    first, again, other = (message["Message-ID"] for message in box.received)
    assert first == again != other


async def test_hostile_text_begins_no_header_and_no_tag(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """Five megabytes of markup and line breaks."""
    outcome = await mail(box, security, certificate).send(
        replace(hostile(), title="It fell\r\nBcc: evil@evil.example")
    )
    assert outcome.delivered
    (message,) = box.received
    assert message["Bcc"] is None
    assert message["Subject"] == "🟠 It fell Bcc: evil@evil.example"
    html = part_of(message, "html")
    assert "<script" not in html
    assert html.count("<img") == 1
    assert '<img src="cid:chart.' in html
    assert len(message.as_bytes()) < 200_000


@pytest.mark.parametrize(
    ("refusal", "outcome"),
    [
        ("451 try later", Outcome(delivered=False, retry=True, reason="smtp_451")),
        ("552 5.3.4 too large", Outcome(delivered=False, retry=False, reason="smtp_552")),
        ("552 5.2.2 mailbox full", Outcome(delivered=False, retry=True, reason="smtp_552")),
        ("550 5.7.1 sender not verified", Outcome(delivered=False, retry=True, reason="smtp_550")),
    ],
)
async def test_a_refusal_means_what_its_code_says(
    box: Box, security: Literal["starttls", "tls"], certificate: Path, refusal: str, outcome: Outcome
) -> None:
    """Only that the mail itself is too large nobody can mend."""
    box.refusal = refusal
    assert await mail(box, security, certificate).send(TRIGGER) == outcome


async def test_recipients_that_do_not_exist_are_said(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """Some: it is delivered to the others. All: it is tried again, for somebody can mend the list."""
    channel = mail(box, security, certificate)
    box.refused_recipients = ("boss@example.com",)
    some = await channel.send(TRIGGER)
    assert (some.delivered, some.reason) == (True, "some_recipients_refused")
    box.refused_recipients = ("boss@example.com", "oncall@example.com")
    assert await channel.send(TRIGGER) == Outcome(delivered=False, retry=True, reason="recipients_refused")


async def test_a_wrong_password_and_a_strange_certificate_can_be_mended(
    box: Box, security: Literal["starttls", "tls"], certificate: Path
) -> None:
    """And nothing is sent to a server that cannot prove who it is."""
    wrong = await mail(box, security, certificate, password="wrong").send(TRIGGER)
    assert wrong == Outcome(delivered=False, retry=True, reason="smtp_535")
    strange = await mail(box, security, None).send(TRIGGER)
    assert strange == Outcome(delivered=False, retry=True, reason="untrusted_certificate")
    assert box.received == []


async def test_a_password_shows_nowhere(
    box: Box, security: Literal["starttls", "tls"], certificate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in repr, logs or outcomes, whether the server takes it or not."""
    caplog.set_level(logging.DEBUG)
    outcomes = [
        await mail(box, security, certificate, password=password).send(TRIGGER)
        for password in ("hush-hush", "hush-wrong")
    ]
    shown = repr(mail(box, security, certificate)) + caplog.text + repr(outcomes)
    assert "hush" not in shown
    assert base64.b64encode(b"\0ragvigil\0hush-wrong").decode() not in shown


def unsafe(box: Box, *, timeout_seconds: float) -> Mail:
    """A channel without encryption and with little patience."""
    return Mail(
        "127.0.0.1", "a@example.com", ["b@example.com"],
        port=box.port, security="none", timeout_seconds=timeout_seconds,
    )  # fmt: skip


async def test_a_server_may_think_long_about_the_mail_itself() -> None:
    """A filter that reads it; a mail that was given up meanwhile would come again and again."""
    async with serving(Box(thinking_seconds=0.5)) as box:
        assert (await unsafe(box, timeout_seconds=0.25).send(TRIGGER)).delivered
    assert len(box.received) == 1


async def test_a_mail_that_is_given_up_does_not_arrive_later() -> None:
    """The connection is cut, in a thread that nobody waits for any more."""
    async with serving(Box(thinking_seconds=30.0)) as box:
        sending = asyncio.create_task(unsafe(box, timeout_seconds=30.0).send(TRIGGER))
        await asyncio.wait_for(box.thinks.wait(), 10)
        sending.cancel()
        await asyncio.wait_for(box.hung_up.wait(), 10)
    assert box.received == []


async def test_a_strange_goodbye_does_not_send_a_mail_twice() -> None:
    """It was taken before."""
    async with serving(Box(goodbye="451 not yet")) as box:
        assert (await unsafe(box, timeout_seconds=5.0).send(TRIGGER)).delivered


def test_the_courier_waits_longer_than_a_mail_may_take() -> None:
    """What it cut off it would send again, taken or not."""
    assert Mail("127.0.0.1", "a@example.com", ["b@example.com"]).longest_seconds < SEND_SECONDS


async def test_a_server_that_offers_no_encryption_gets_nothing() -> None:
    """STARTTLS that somebody on the way cut out."""
    async with serving(Box()) as box:
        outcome = await Mail("127.0.0.1", "a@example.com", ["b@example.com"], port=box.port).send(TRIGGER)
        careless = Mail("127.0.0.1", "a@example.com", ["b@example.com"], port=box.port, security="none")
        plain = await careless.send(TRIGGER)
    assert outcome == Outcome(delivered=False, retry=True, reason="not_supported")
    assert plain.delivered
    assert len(box.received) == 1


@pytest.mark.parametrize("situation", ["trigger", "update", "resolve", "ticket"])
def test_the_headline_can_be_read(situation: str) -> None:
    """White on its colour: a contrast of 4.5 as WCAG 2 computes it, for a phone in the dark and in the sun."""
    colour = page_of(SITUATIONS[situation]).colour
    shares = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 4.5


async def test_a_server_that_is_not_there_is_worth_another_try() -> None:
    """Port 1 of loopback refuses."""
    outcome = await Mail("127.0.0.1", "a@example.com", ["b@example.com"], port=1).send(TRIGGER)
    assert outcome == Outcome(delivered=False, retry=True, reason="unreachable")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"host": "smtp://x"}, "host must be the name"),
        ({"host": "smtp.example.com:587"}, "host must be a name alone"),
        ({"sender": "nobody"}, "'nobody' is no mail address"),
        ({"recipients": ()}, "at least one"),
        ({"recipients": ("a@example.com", "b@c d")}, "'b@c d' is no mail address"),
        ({"recipients": ("a@example.com\nBcc: b@c.de",)}, "is no mail address"),
        ({"username": "me"}, "belong together"),
        ({"username": "me", "password": "hush-hush", "security": "none"}, "a password needs security"),
        ({"trusted": Path("nowhere.pem")}, "nowhere.pem holds no certificates"),
    ],
)
def test_an_unusable_setting_is_said(settings: dict[str, object], said: str) -> None:
    """At start, not at the first page, and without the password."""
    usable = {"host": "smtp.example.com", "sender": "a@example.com", "recipients": ("b@example.com",)}
    with pytest.raises(ValueError, match=said) as problem:
        Mail(**{**usable, **settings})  # type: ignore[arg-type]  # parametrized
    assert "hush-hush" not in str(problem.value)

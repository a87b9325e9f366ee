"""What the built-in rules take out, what they leave, and that no text makes them slow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.tracer import Limits, context, record_request, trace_generator, trace_rag, trace_retriever
from ragvigil.tracer._citations import cited_by, read_citations
from ragvigil.tracer._citing import markers_in
from ragvigil.tracer._clues import Look
from ragvigil.tracer.redaction import RULES, all_of, presidio, redact

from .conftest import Recording, documents


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("mail ana.souza+x@mail.example.org now", "mail <EMAIL> now"),
        ("Card 4111 1111 1111 1111 12/26", "Card <CARD> 12/26"),
        ("step 2 4111 1111 1111 1111", "step 2 <CARD>"),
        ("2026 4111-1111-1111-1111 3782 822463 10005", "2026 <CARD> <CARD>"),
        ("4111 1111 1111 1112 4111 1111 1111 1111", "4111 1111 1111 1112 <CARD>"),
        ("4111-1111-1111-1111, 378282246310005.", "<CARD>, <CARD>."),
        ("IBAN DE89 3704 0044 0532 0130 00 AND more", "IBAN <IBAN> AND more"),
        ("GB82WEST12345698765432.", "<IBAN>."),
        ("CPF 529.982.247-25 or 52998224725", "CPF <CPF> or <CPF>"),
        ("CNPJ 11.222.333/0001-81, 11222333000181", "CNPJ <CNPJ>, <CNPJ>"),
        ("CNPJ 12.ABC.345/01DE-35", "CNPJ <CNPJ>"),
        ("SSN 123-45-6789", "SSN <SSN>"),
        ("from 10.0.0.1 and 2001:db8::1", "from <IP> and <IP>"),
        ("+55 11 98765-4321, (11) 98765-4321, 555-123-4567", "<PHONE>, <PHONE>, <PHONE>"),
        ("030 1234567 or +49 (0)30 123456", "<PHONE> or <PHONE>"),
        ("sk-proj-abcdefghijklmnop1234", "<SECRET>"),
        ("AKIAABCDEFGHIJKLMNOP ghp_abcdefghijklmnopqrstuvwx", "<SECRET> <SECRET>"),
        ("sk_live_abcdefghijkl github_pat_abcdefghijklmnopqrstuvwx", "<SECRET> <SECRET>"),
        ("xoxb-123456-abcdef or hf_abcdefghijklmnopqrstuvwx", "<SECRET> or <SECRET>"),
        ("Authorization: Bearer abcdefghijklmnopqrst", "Authorization: Bearer <SECRET>"),
        ('{"api_key": "s3cr3t-value"}', '{"api_key": "<SECRET>"}'),
        ('{"password": "swordfish"} pwd=swordfish', '{"password": "<SECRET>"} pwd=<SECRET>'),
        ("token: AbCdEfGhIj, secret: swordfish!x", "token: <SECRET>, secret: <SECRET>"),
        (
            "shlex.get_token: Convert it. Password: required.",
            "shlex.get_token: Convert it. Password: required.",
        ),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM", "<SECRET>"),
        ("GET /ask?by=ana.b%40mail.example.org&n=1", "GET /ask?by=<EMAIL>&n=1"),
        (
            "postgres://bob:hunter2@db:5432/rag, redis://:hunter2@cache",
            "postgres://bob:<SECRET>@db:5432/rag, redis://:<SECRET>@cache",
        ),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7", "AWS_SECRET_ACCESS_KEY=<SECRET>"),
        ("SharedAccessKey=abcd1234==;AccountKey=efgh5678==", "SharedAccessKey=<SECRET>;AccountKey=<SECRET>"),
        (f"gsk_{'a1' * 20} xai-{'b2' * 20} nvapi-{'c3' * 20}", "<SECRET> <SECRET> <SECRET>"),
        (f"lsv2_pt_{'a1' * 16}_{'b2' * 5} r8_{'c3' * 18} pcsk_{'d4' * 20}", "<SECRET> <SECRET> <SECRET>"),
        (f"SG.{'a1' * 11}.{'b2' * 20} ya29.{'c3' * 20}", "<SECRET> <SECRET>"),
        (f"https://hooks.slack.com/services/T0000/B0000/{'x' * 24}", "https://<SECRET>"),
        ("4111\u00a01111\u00a01111\u00a01111 or 4111\u20111111\u20111111\u20111111", "<CARD> or <CARD>"),
        ("\uff14" + "\uff11" * 15, "<CARD>"),
        ("DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "<IBAN>"),
        ("+49\u00a030\u202f1234567, 030\u20131234567, 030\u00a01234567", "<PHONE>, <PHONE>, <PHONE>"),
        ("06 12 34 56 78, 06.12.34.56.78", "<PHONE>, <PHONE>"),
        ("0301-123456 " * 40, "<PHONE> " * 40),
        ("+49(0)30/123456, 0041 44 668 18 00, 1-800-521-2779", "<PHONE>, <PHONE>, <PHONE>"),
        ("8 (912) 345-67-89", "8 <PHONE>"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "<SECRET>"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----", "<SECRET>"),
        (
            "ana\u200b@example.org, ana@ex\u00adample.org, ana\uff20example.org, ana\ufe6bexample.org",
            ", ".join(["<EMAIL>"] * 4),
        ),
        ("ana&#64;example.org ana&#x40;example.org ana&commat;example&period;org", "<EMAIL> <EMAIL> <EMAIL>"),
        (r"ana\u0040example.org ana\\u0040example.org", "<EMAIL> <EMAIL>"),
        ("4111\u200b1111\u20601111\ufeff1111", "<CARD>"),
        ("\uff0b\uff14\uff19 \uff13\uff10 \uff11\uff12\uff13\uff14\uff15\uff16\uff17", "<PHONE>"),
        ("a&#38;b\nana&#64;example.org\n&#169;", "a&#38;b\n<EMAIL>\n&#169;"),
        (
            "https://s3.example.org/k?X-Amz-Date=2&X-Amz-Signature=fe5f80f77d5fa3beca03",
            "https://s3.example.org/k?X-Amz-Date=2&X-Amz-Signature=<SECRET>",
        ),
        (
            "https://x.example.org/a?sv=2020&sig=abcdEFGH1234abcd%3D&se=1",
            "https://x.example.org/a?sv=2020&sig=<SECRET>&se=1",
        ),
        ("Cookie: sid=abcdef1234", "Cookie: <SECRET>"),
        ("4111.1111.1111.1111 4111/1111/1111/1111, 4111 - 1111 - 1111 - 1111", "<CARD> <CARD>, <CARD>"),
        ("3782 / 822463 / 10005 or 4111\u00b71111\u00b71111\u00b71111", "<CARD> or <CARD>"),
        ("ana[at]example.org, ana (at) mail.example[.]org, ana[@]example.org", "<EMAIL>, <EMAIL>, <EMAIL>"),
        ("ana [at] example [dot] org or ana@example[.]org", "<EMAIL> or <EMAIL>"),
        ("ana (at) example.co.uk, ANA (at) EXAMPLE.COM, ana(at)firm.studio", "<EMAIL>, <EMAIL>, <EMAIL>"),
        ("ana (at) firm [dot] studio or ana (at) mail.firm.example(dot)org.", "<EMAIL> or <EMAIL>."),
        ("de89 3704 0044 0532 0130 00, De89370400440532013000", "<IBAN>, <IBAN>"),
        ("nl91abna0417164300 or DE89-3704-0044-0532-0130-00", "<IBAN> or <IBAN>"),
        (
            "The password is hunter2! My password was: 'sw0rdfish'",
            "The password is <SECRET>! My password was: '<SECRET>'",
        ),
        ("The password is qa-2based, not x7-bit9.", "The password is <SECRET>, not x7-bit9."),
        (
            "Das Passwort ist hunter22; a senha \u00e9 h4nter22",
            "Das Passwort ist <SECRET>; a senha \u00e9 <SECRET>",
        ),
        (
            "Le mot de passe est : Soleil#2024. La password \u00e8 Estate2024, a palavra-passe \u00e9 Verao2024",
            "Le mot de passe est : <SECRET>. La password \u00e8 <SECRET>, a palavra-passe \u00e9 <SECRET>",
        ),
        (
            "mot de passe est \u00ab Soleil2024 \u00bb, Kennwort lautet Sommer2024",
            "mot de passe est \u00ab <SECRET> \u00bb, Kennwort lautet <SECRET>",
        ),
        ("<user><password>swordfish</password></user>", "<user><password><SECRET></password></user>"),
        (
            "dbPassword=swordfish1 Passwort: swordfish1, senha: swordfish1",
            "dbPassword=<SECRET> Passwort: <SECRET>, senha: <SECRET>",
        ),
        (
            "contrase\u00f1a: swordfish1; mot de passe : swordfish1",
            "contrase\u00f1a: <SECRET>; mot de passe : <SECRET>",
        ),
        ("Ocp-Apim-Subscription-Key: 0123456789abcdef", "Ocp-Apim-Subscription-Key: <SECRET>"),
        (f"GOCSPX-{'a1' * 14} dapi{'b2' * 16} 123456789:AA{'c' * 33}", "<SECRET> <SECRET> <SECRET>"),
        (f"https://discord.com/api/webhooks/1234/{'x' * 60}", "https://<SECRET>"),
        ("GET /ask?next=%2Fask%3Fby%3Dana.b%2540mail.example.org", "GET /ask?next=<EMAIL>"),
        (
            "headers=[('x-api-key', 'swordfish1'), (b'cookie', b'sid=a1b2c3')]",
            "headers=[('x-api-key', '<SECRET>'), (b'cookie', b'<SECRET>')]",
        ),
        ("curl -s -u ana:swordfish1 https://a.example", "curl -s -u ana:<SECRET> https://a.example"),
        ("curl --user 'ana:swordfish1' -d x=1", "curl --user 'ana:<SECRET>' -d x=1"),
    ],
)
def test_what_identifies_or_opens_is_replaced(given: str, wanted: str) -> None:
    """One mark for each kind, the rest of the text as it was."""
    assert redact(given) == wanted


@pytest.mark.parametrize(
    "given",
    [
        "Water boils at 100 °C at 1013.25 hPa [1][doc-3].",
        "order 4111 1111 1111 1112",
        "CPF 529.982.247-26 and 111.111.111-11",
        "CNPJ 11.222.333/0001-82",
        "DE00 3704 0044 0532 0130 00",
        "on 2026-11-21 at 12:30:45, 1997-2001",
        "std::vector and 999.999.999.999",
        "SSN 000-45-6789",
        "100 200 300",
        "doi 10.4103/0019-5154.177773, ISSN 0019-5154",
        "01 02 03 04 05 06 07, version 1.02.03",
        "see http://example.org/a:b and @ana, 100%40",
        "primary_key: id, api key rotation, foreign-key=none",
        "AT&#38;T, caf&#233;, \u200bzero width, soft\u00adhyphen, \uff11\uff12 \uff20",
        r"caf\u00e9 at 20\u00b0 \u0041BC",
        "Cookie: a small file; significant=yes, &signal=long_value_of_a_signal_here",
        "PlainToken = group(Number, Name), Passwort: erforderlich, senha: obrigat\u00f3ria.",
        "<password></password> <token>",
        "chapter 12:AA and dapifer",
        "2019.2020.2021.2022 and 4111.1111.1111.1112, 1.4111.1111.1111.1111.5",
        "at 12 (at) noon, f[at] = g(at), [.] and (dot) notation",
        "The password is required, is 256-bit, was changed on 2026-11-26 and is long.",
        "The password is SHA256-hashed. A password was base64-encoded, the password is ISO27001-compliant.",
        "The password is AES-256 encrypted, the password was SHA-512 hashed, the password is Base64 encoded.",
        "The password is AES256-based and the password is x509-protected; the password is min8-characters long.",
        "Le mot de passe est obligatoire et valable 90 jours",
        "La password \u00e8 di 12 caratteri, \u00e8 WPA2-protected.",
        "Das Kennwort ist 12-stellig, das Kennwort ist SHA256-gehasht; the password is min8characters.",
        "f(x) foo (at) bar.baz, meet me (at) home.today or (at) noon.then",
        "de00 3704 0044 0532 0130 00, ab12 3456 7890 1234",
        "curl -u USER:PASSWORD https://a.example, curl -u $USER:$TOKEN x, sort -u a:swordfish1",
        "['cookie', 'header'], ('authorization', 'required'), \"x-axis\", \"values 2026\"",
        "",
    ],
)
def test_what_only_looks_alike_stays(given: str) -> None:
    """Wrong check digits, dates, times, code and measurements."""
    assert redact(given) == given


FRAGMENTS = st.sampled_from(
    [
        *("ana@example.org", "4111 1111 1111 1111", "529.982.247-25", "sk-abcdefghijklmnopqr", "token=abcdefgh"),
        *("GB82 WEST 1234 5698 7654 32", "10.0.0.1", "2001:db8::1", "+55 11 98765-4321", "Bearer abcdefghijklmnopq"),
        *("12.ABC.345/01DE-35", "123-45-6789", "030 1234567", "(11) 98765-4321", "11 98765-4321", "AKIAABCDEFGHIJKLMN"),
        *("\u200b", "\uff20", "&#64;", "\\u0040", "&sig=", "Cookie: a=", "<token>", "</", "dbPassword=", "GOCSPX-"),
        *("[at]", "(at)", "[.]", "[@]", "(dot)", "4111.1111.1111.1111", " - ", "de89"),
        *("password is ", "a1b2c3d", "senha é ", "mot de passe est ", "Kennwort ist ", "palavra-passe é "),
        *("%2540", "('cookie', '", "curl", " -u ana:"),
        *("\u0661.\u0661.\u0661.\u0661", "\uff11" * 11, "\u0665\u0662\u0669982247\u0662\u0665"),
        *(" ", "\n", "é", "5", "0", "a", "-"),
    ]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=10).map("".join))
def test_no_rule_finds_anything_where_its_clue_is_missing(text: str) -> None:
    """Clues save time and nothing else."""
    look = Look(text.encode())
    for rule in RULES:
        assert rule.clue(look) or rule.replace(text) == text


def test_a_number_is_found_behind_a_table_of_others() -> None:
    """Stretches that may be numbers are looked for one by one only as long as they are few."""
    table = "2024-01-05, " * 500
    assert redact(f"{table}card 4111 1111 1111 1111, {table}") == f"{table}card <CARD>, {table}"


ADVERSARIAL = [
    "a", "1", "1 ", "a.b-", "a@", "a@b.", "AA11", "AA11 ", ":", "a:", "sk-", "eyJ", "token=", "token ",
    "-----BEGIN PRIVATE KEY-----", "1.1.", "+1 ", "(11) ", "[", "[a", "【", "-", "0 ", "Bearer ",
    "(", "(a", "¹", "`", "000 ", "002 ", "%41", "gsk_%41", "://a:", "hooks.slack.com/services/", "SG.a.",
    "&#", "&#6", "\u200b", "a\u200b@", "\\", "\\u00", "&sig=", "cookie: a=", "<token>", "<token>a",
    "1:AA", "dbPassword=", "a[at]", "a[.]", "a (at) ", "4111.", "4111 - ", "ab12 ", "password is ", "password is a1",
    "curl ", "curl -u a:", "'cookie','", "'x-key', '1", "%2540a", "x-",
]  # fmt: skip
CLUES = " %40 a@b.co://x 0301 12345 [at] password 4111.1111.1111.1111 ab12345678901234"
"""Without which some rules are not asked."""


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_time_is_linear_in_the_text_whatever_it_is(unit: str) -> None:
    """Eight times the text takes nowhere near sixty-four times as long."""

    def seconds(length: int) -> float:
        text = unit * (length // len(unit)) + CLUES
        started = time.process_time()
        redact(text)
        cited_by(markers_in(text).markers, ("doc-1",))
        return time.process_time() - started

    short = min(seconds(25_000) for _ in range(3))
    assert any(seconds(200_000) < max(32 * short, 0.2) for _ in range(3))  # once, where nothing disturbs it


def test_redactors_compose_in_order() -> None:
    """The service's own rule sees what the built-in rules left."""
    assert all_of([redact, lambda text: text.replace("<EMAIL>", "somebody")])("ana@example.org") == "somebody"


def test_presidio_replaces_what_it_finds_and_uses_no_network(
    record: Callable[..., Recording], caplog: pytest.LogCaptureFixture
) -> None:
    """The real one (.ci/check-neighbours installs it), by its patterns alone; it says that it lacks a model."""
    pytest.importorskip("presidio_analyzer")
    redactor = presidio()
    assert redactor is not None
    bitcoin = "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ"
    assert redactor(f"Pay {bitcoin} or call 212-555-5555 now.") == "Pay <CRYPTO> or call <PHONE_NUMBER> now."
    assert redactor("Nothing here.") == "Nothing here."
    recording = record(content="redacted")
    record_request(f"Pay {bitcoin}", "Mail ana@example.org [p1] [doc-2].")
    root = recording.spans()[-1]["attributes"]
    assert (root["input.value"], root["output.value"]) == ("Pay <CRYPTO>", "Mail <EMAIL> [p1] [doc-2].")
    said = [one.getMessage() for one in caplog.records if one.name == "ragvigil.tracer"]
    assert said == ["ragvigil: Presidio finds no names: no spaCy model for 'en' is installed"]


def test_without_presidio_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no dependency of ours."""

    def nothing(name: str) -> None:
        assert name == "presidio_analyzer"

    monkeypatch.setattr("ragvigil.tracer.redaction.find_spec", nothing)
    assert presidio() is None


@pytest.mark.parametrize(
    ("answer", "ids", "unknown"),
    [
        ("Yes [doc-1][2].", ["doc-1", "doc-2"], []),
        ("Yes [1, 3] and [1-2].", ["doc-1", "[3]", "doc-2"], []),
        ("Yes 【2†source】 and [^1].", ["doc-2", "doc-1"], []),
        ("Yes [doc-9] [7].", [], ["doc-9", "7"]),
        ("Call [John Smith] [sic] [555123] [ana@example.org].", [], []),
        ("Yes [Source 1] [Fuente: doc-2] [Quellen 1 und 3].", ["doc-1", "doc-2", "[3]"], []),
        ("Yes (see doc-2) (source: doc-9) (opened in 1901) (Source 3).", ["doc-2", "[3]"], ["doc-9"]),
        ("Yes.¹ No,² of 40 m² at 10³ and x<sup>2</sup>; both<sup>3</sup>.", ["doc-1", "doc-2", "[3]"], []),
        ("是\uff3b\uff11\uff3d、[来源 2]、[1、3]。", ["doc-1", "doc-2", "[3]"], []),
        ("It works by [ID:0] and [ID:2].", ["doc-1", "[3]"], []),
        ("Use `rows[7]`:\n\n```python\nrows[8]\n~~~\nrows[9]\n```\nDone [DOC-1].", ["doc-1"], []),
        ("Under [COVID-19] rules HTTP [404] is [GPT-4]; b = [9].", [], []),
        ("Nothing.", [], []),
    ],
)
def test_citations_are_read_against_what_was_retrieved(
    answer: str, ids: list[str], unknown: list[str]
) -> None:
    """Known ids, ordinals by rank, unknown ids of the known shape, and no other words."""
    assert read_citations(answer, ["doc-1", "doc-2", None]) == (ids, unknown, [])


@pytest.mark.parametrize(
    ("answer", "retrieved", "ids", "unknown"),
    [
        ("See [returns-9] and [COVID-19].", ["shipping-1", "refund-2"], [], ["returns-9", "COVID-19"]),
        ("See [handbook.pdf, page 3] [handbook.pdf#4] [annex.pdf].", ["handbook.pdf"], ["handbook.pdf"], ["annex.pdf"]),
        ("See [guide] and [guide#9].", ["guide#1", "guide#2"], ["guide#1"], ["guide#9"]),
        ("See [1b4e28ba-2fa1-11d2-883f-0016d3cca427].", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"], [],
         ["1b4e28ba-2fa1-11d2-883f-0016d3cca427"]),
        ("See [doc1] and [doc4].", ["3f2504e0", None], ["3f2504e0"], ["4"]),
        ("It is [0], [1] and [3].", ["a", "b", "c"], ["a", "c"], []),
        ("All of them¹².", [f"p{rank}" for rank in range(1, 13)], ["p12"], []),
        ("Yes [the guide](https://kb.example/a).", ["https://kb.example/a"], ["https://kb.example/a"], []),
    ],
)  # fmt: skip
def test_unknown_ids_are_told_by_the_known_ones(
    answer: str, retrieved: list[str | None], ids: list[str], unknown: list[str]
) -> None:
    """By their letters where all share them, by the ending of files, by their length where they are hexadecimal."""
    assert read_citations(answer, retrieved) == (ids, unknown, [])


def test_ids_without_digits_have_no_shape_to_leak_words_by() -> None:
    """Any word in brackets would look like one."""
    assert read_citations("See [water] and [Ana].", ["water"]) == (["water"], [], [])
    assert read_citations("It boils [water]. It is cold [snow].", ["water"]) == (["water"], [], ["snow"])


@pytest.mark.parametrize(
    ("answer", "retrieved", "words"),
    [
        ("Sick pay lasts six weeks [sick-pay].", ["annual-leave", "parental-leave"], ["sick-pay"]),
        ("You have 28 days [annual-leave] [sick-pay].", ["annual-leave"], ["sick-pay"]),
        ("It costs 1,500 euros [laptop] [policy-7].", ["laptop", "meal"], ["policy-7"]),
        ("It costs 1,500 euros [laptop][handbook-2019-842].", ["laptop", "meal"], ["handbook-2019-842"]),
        ("You may work from home [remote]; it is paid [meal] [remote].", ["laptop", "meal"], ["remote"]),
        ("加班费另付[加班]。", ["年假"], ["加班"]),
        ("It is paid [sic] [optional]. Write to [EMAIL], [your-name] [SKU-9912].", ["laptop", "meal"], []),
        ("Set it to [enabled]. Click [save]. Dear [anna], see `[remote]` and [the manual][manual].", ["laptop"], []),
        ("The [desk] is blue [1] [remote].", ["laptop", "meal"], []),
        ("It is encoded [UTF-8] [K12]. Ask for it [follow-up].", ["doc-1"], []),
    ],
)  # fmt: skip
def test_an_unknown_word_at_the_place_of_a_citation_is_one_beside_ids_in_words(
    answer: str, retrieved: list[str | None], words: list[str]
) -> None:
    """It was passed over, so that an answer with an invented slug scored as if it cited nothing else."""
    assert read_citations(answer, retrieved).words == words


CARD = "4111 1111 1111 1111"


def said(spans: Sequence[Mapping[str, Any]]) -> str:
    """All that spans say but how long it took, whose digits may be any."""
    return str(
        [
            {**one, "attributes": {k: v for k, v in one["attributes"].items() if not isinstance(v, float)}}
            for one in spans
        ]
    )


@pytest.mark.parametrize("before", range(180, 204))
def test_no_half_of_a_number_leaves_where_a_text_is_cut(
    record: Callable[..., Recording], before: int
) -> None:
    """Redaction sees beyond each limit: of a stream, an answer, a question, a document and its metadata."""
    text = "x" * (before - 1) + " " + CARD + " and more " + "x" * 600

    @trace_rag
    def whole(question: str) -> str:
        search(question)
        return text

    @trace_rag
    def stream(question: str) -> Iterator[str]:
        yield text[:before]
        yield from text[before:]

    @trace_generator
    def write(question: str) -> Iterator[str]:
        yield from (text[:before], CARD, text[before + len(CARD) :])

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        deep = {("x " * 32)[: before - 140] + CARD: ("x " * 64)[: before - 140] + CARD + " " + "x" * 600}
        return [{"id": "a", "text": text, "metadata": {"by": ("x " * 128)[: before + 52] + text, "in": deep}}]

    recording = record(content="redacted", limits=Limits(attribute_bytes=200, document_bytes=200))
    whole(text)
    list(stream(text))
    list(write(text))
    spans = recording.spans()
    assert len(spans) == 4
    assert "4111" not in said(spans)


def test_what_shrinks_before_a_cut_draws_no_half_of_a_number_in(record: Callable[..., Recording]) -> None:
    """A text that redaction shortens ends before what was cut without it."""
    recording = record(content="redacted", limits=Limits(attribute_bytes=2_000))
    mail = "ana.maria.de.souza@customers.example.org "
    for before in range(256):
        record_request("q", (mail * 100)[: 2_000 + before - 16] + " " + CARD)
    assert "4111" not in said(recording.spans())


def test_names_in_metadata_are_redacted_too(record: Callable[..., Recording]) -> None:
    """Of two that are alike then one is kept, and the loss is named."""
    recording = record(content="redacted")

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        given = {"ana@example.org": 1, "bob@example.org": 2, "in": {"eve@example.org": "ana@example.org"}}
        return [{"id": "a", "text": "Ice", "metadata": given}]

    search("q")
    attributes = recording.attributes()
    assert documents(attributes)[0]["metadata"] == {"<EMAIL>": 1, "in": {"<EMAIL>": "<EMAIL>"}}
    assert attributes["ragvigil.content.truncated"] == ["gen_ai.retrieval.documents.metadata"]


def test_metadata_cut_before_the_policy_became_stricter_is_left_out(
    record: Callable[..., Recording],
) -> None:
    """Where a number began that was cut is not known any more."""
    recording = record()

    @trace_rag
    def ask(question: str) -> None:
        search(question)
        context(content="redacted")

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        return [{"id": "a", "text": "Ice", "metadata": {"by": "x " * 120 + CARD, "of": CARD}}]

    ask("q")
    assert documents(recording.spans()[0]["attributes"])[0]["metadata"] == {"by": "", "of": "<CARD>"}

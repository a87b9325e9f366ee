"""Fields whose names give them away, in texts that are JSON, were JSON, or only look like it."""

from __future__ import annotations

import json
import time

import pytest
from tests.scorer.redact.test_payload import PEOPLE, attributes, redaction, spans

from ragvigil.scorer.redact import persons_in
from ragvigil.scorer.redact.fields import fields_in
from ragvigil.scorer.redact.keys import Meaning, meaning_of

ANA = PEOPLE.of("ana-17")


def cut(text: str, mode: str = "redacted") -> str:
    """An attribute with that text, as it is stored."""
    return str(attributes(redaction(mode=mode).spans(spans(output__value=text)))["output.value"])


@pytest.mark.parametrize("mode", ["redacted", "full"])
@pytest.mark.parametrize(
    "text",
    [
        '{"user_id": "ana-17", "question": "how do I',
        '{"metadata": "{\\"user_id\\": \\"ana-17\\", \\"question\\": \\"how',
        '{"user_id": "ana-17"}\n{"user_id": "ana-17"}\n',
        'data: {"user": {"name": "ana-17"}}\n\ndata: [DONE]',
        "{'user': {'id': 'ana-17', 'tags': ['a']}, 'id': 'x'}",
        "{'user_ids': ['ana-17', 'ana-17'], 'q': \"what's that\"}",
        'We got {"session_id":"ana-17"}, and then nothing.',
        '\ufeff{"thread_id": "ana-17"}',
        "[" * 2_000 + '{"conversationId": "ana-17"}' + "]" * 2_000,
        '{"users": [{"id": "ana-17"}], "username": "ana-17"}',
    ],
)
def test_people_are_pseudonyms_in_a_text_that_is_no_json_as_a_whole(text: str, mode: str) -> None:
    """Cut off at a limit, one a line, as a server sends events, as Python prints it, amid prose."""
    found = cut(text, mode)
    assert "ana-17" not in found
    assert ANA in found
    assert cut(found, mode) == found


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"db": {"password": "hun2r", "text": "how do I', "hun2r"),
        ('{"headers": {"x-forwarded-user": "ana", "text": "how do I', "ana"),
        ("{'headers': {'cookie': 'sid=abc'}, 'q': 'how'}", "abc"),
        ('{"password": "hun2r", "password": null}', "hun2r"),
        ('{"text": "ana@example.org", "text": "fine"}', "ana@"),
        ('{"passwords": ["hun2r"], "credentials": {"value": "hun2r"}}', "hun2r"),
        ('{"PassWord": "hun2r", "db_password_prod": "hun2r", "passwordHash": "hun2r"}', "hun2r"),
        ('{"pass": "hun2r34567", "smtp_pass": "hun2r34567"}', "hun2r"),
        ('{"token": "hun2r34567", "aws_session_token": "hun2r"}', "hun2r"),
        ("{'token': 'hun2r34567', 'signing_key': 'hun2r'}", "hun2r"),
        ('{"card": 4111111111111111.0}', "4111111"),
        ('{"card": 4.111111111111111e15}', "4.111111"),
    ],
)
def test_what_its_name_or_its_digits_give_away_is_cut_in_any_text(text: str, secret: str) -> None:
    """Of keys that repeat the first value is there, too; a number may be written with a point."""
    assert secret in text
    assert secret not in cut(text)


def test_secrets_that_are_pairs_and_cards_that_are_figures_are_cut_in_attributes() -> None:
    """As they are in JSON."""
    given = spans(
        number=4111111111111111.0, small=0.25, token="a1b2c3d4e5", text="none", github__token="words"
    )
    assert b"a1b2c3d4e5" in given
    found = attributes(redaction().spans(given))
    assert found == {
        "number": "<CARD>",
        "small": 0.25,
        "token": "<SECRET>",
        "text": "none",
        "github.token": "words",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "Who is the user?", "score": 0.25, "n": 12345678901.5}',
        '{"pass": "2 of 3 runs", "password_policy": "at least 12 characters", "passed": "hun2r34567"}',
        '{"logprobs": [{"token": " Paris", "logprob": -0.1}, {"token": "boiling"}]}',
        "He said: 'no', and \"user\": she said.",
        'Press "key": it opens. The "session" is over.',
        '{"usage": {"prompt_tokens": 15, "tokens": "15 of 20"}}',
        "{'source': 'manual.pdf', 'page': 3}",
    ],
)
def test_what_only_looks_like_a_field_stays(text: str) -> None:
    """Words of a model, figures, prose."""
    assert cut(text) == text


@pytest.mark.parametrize(
    ("key", "meaning"),
    [
        ("session.previous_id", Meaning.PERSON),
        ("enduser.pseudo.id", Meaning.PERSON),
        ("llm.user", Meaning.PERSON),
        ("gen_ai.openai.request.user", Meaning.PERSON),
        ("aws_secret_access_key", Meaning.SECRET),
        ("x-amz-security-token", Meaning.SECRET),
        ("k8s.pod.uid", Meaning.TEXT),
        ("gen_ai.usage.input_tokens", Meaning.TEXT),
        ("langsmith.trace.session_name", Meaning.TEXT),
    ],
)
def test_names_of_the_conventions_are_known(key: str, meaning: Meaning) -> None:
    """And what is like them is not."""
    assert meaning_of(key) is meaning


@pytest.mark.parametrize(
    "text",
    [
        '{"user": {"id": "ana-17"}}',
        "{'user': {'id': 'ana-17'}}",
        'data: {"user_id": "ana-17"}',
        '{"users": [{"id": "ana-17"}], "q": "wh',
    ],
)
def test_who_is_to_be_forgotten_is_found_wherever_the_redaction_finds_them(text: str) -> None:
    """As they came, and as they are stored."""
    given = spans(metadata=text)
    assert "ana-17" in persons_in(given)
    assert ANA in persons_in(redaction().spans(given))


@pytest.mark.parametrize(
    "unit", ['"user": {', "'", '"', "\\", '\\"', '"user_id": "a', '"user_ids": [', "{'headers': {", '"k":']
)
def test_time_to_find_fields_is_linear_in_the_text(unit: str) -> None:
    """Whatever a hostile text repeats."""

    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        began = time.process_time()
        assert len(list(fields_in(text))) >= 0
        return time.process_time() - began

    assert any(seconds(200_000) < 30 * seconds(20_000) for _ in range(3))  # once, where nothing disturbs it


def test_json_with_an_escaped_name_is_read_as_it_is_meant() -> None:
    """The same person under both spellings."""
    assert [field.text for field in fields_in('x {"user_id": "jos\\u00e9"}')] == ["josé"]
    assert json.loads(cut('{"user_id": "jos\\u00e9"}'))["user_id"] == PEOPLE.of("josé")

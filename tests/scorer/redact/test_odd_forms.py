"""Odd forms of what identifies or opens, wherever a foreign tracer puts a text; what only looks alike stays."""

from __future__ import annotations

import pytest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.redact.test_payload import redaction, wire

ODD = {
    "json3": (
        "langfuse.observation.input",
        '{"a": "{\\"b\\": \\"{\\\\\\"c\\\\\\": \\\\\\"ana.souza@mail.example.org\\\\\\"}\\"}"}',
        "ana.souza",
    ),
    "json4 pw": (
        "traceloop.entity.input",
        '{"inputs": "{\\"kwargs\\": \\"{\\\\\\"password\\\\\\": \\\\\\"hunter2xY\\\\\\"}\\"}"}',
        "hunter2xY",
    ),
    "list of json": ("mlflow.spanInputs", '["{\\"apiKey\\": \\"hunter2xY\\"}"]', "hunter2xY"),
    "APIKEY": ("input.value", '{"APIKEY": "hunter2xY"}', "hunter2xY"),
    "X-Api-Key": ("input.value", '{"X-Api-Key": "hunter2xY"}', "hunter2xY"),
    "x_api_key attr": ("llm.x_api_key", "hunter2xY", "hunter2xY"),
    "apikey attr": ("apikey", "hunter2xY", "hunter2xY"),
    "openai.ApiKey": ("openai.ApiKey", "hunter2xY", "hunter2xY"),
    "PassWord": ("input.value", '{"PassWord": "hunter2xY"}', "hunter2xY"),
    "PASSWORD_HASH": ("input.value", '{"db_password_prod": "hunter2xY"}', "hunter2xY"),
    "pass": ("input.value", '{"pass": "hunter2xY"}', "hunter2xY"),
    "secretKey": ("input.value", '{"secretKey": "hunter2xY"}', "hunter2xY"),
    "SECRET_KEY": ("input.value", '{"SECRET_KEY": "hunter2xY"}', "hunter2xY"),
    "AWS_SECRET_ACCESS_KEY": ("input.value", '{"AWS_SECRET_ACCESS_KEY": "hunter2xY"}', "hunter2xY"),
    "aws attr": ("env.AWS_SECRET_ACCESS_KEY", "hunter2xY", "hunter2xY"),
    "accessToken": ("input.value", '{"accessToken": "hunter2xY"}', "hunter2xY"),
    "Authorization json": (
        "input.value",
        '{"Authorization": "Basic YW5hOmh1bnRlcjJ4WQ=="}',
        "YW5hOmh1bnRlcjJ4WQ==",
    ),
    "proxy-authorization": (
        "input.value",
        '{"Proxy-Authorization": "Basic YW5hOmh1bnRlcjJ4WQ=="}',
        "YW5hOmh1bnRlcjJ4WQ==",
    ),
    "basic in prose": (
        "exception.message",
        "401 for Authorization: Basic YW5hOmh1bnRlcjJ4WQ==",
        "YW5hOmh1bnRlcjJ4WQ==",
    ),
    "curl -u": ("input.value", "curl -u ana:hunter2xY https://api.example.org", "hunter2xY"),
    "bearer": (
        "exception.message",
        "curl -H 'Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJlMTIzNDU2'",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJlMTIzNDU2",
    ),
    "url query token": ("url.full", "https://x.example/a?access_token=hunter2xY&b=1", "hunter2xY"),
    "url query api_key": ("http.url", "https://x.example/a?api_key=hunter2xY", "hunter2xY"),
    "url query key": (
        "http.url",
        "https://x.example/v1beta/models?key=AIzaSyA1234567890abcdefghijklmnopqrstu",
        "AIzaSyA1234567890abcdefghijklmnopqrstu",
    ),
    "url sig": (
        "url.full",
        "https://b.blob.example/x?sv=2020&sig=aHVudGVyMnhZaHVudGVyMnhZaHVudGVyMnhZ",
        "aHVudGVyMnhZaHVudGVyMnhZaHVudGVyMnhZ",
    ),
    "aws presigned": (
        "url.full",
        "https://s3.example/x?X-Amz-Signature=ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12",
        "ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12",
    ),
    "urlencoded mail": ("url.query", "q=ana.souza%40mail.example.org", "ana.souza"),
    "double urlencoded": ("url.query", "q=ana.souza%2540mail.example.org", "ana.souza"),
    "form body": ("http.request.body", "user=ana&password=hunter2xY&x=1", "hunter2xY"),
    "dsn": ("db.connection_string", "Server=db;User Id=sa;Password=hunter2xY;", "hunter2xY"),
    "dsn pwd": ("db.connection_string", "Server=db;Uid=sa;Pwd=hunter2xY;", "hunter2xY"),
    "pg url": ("exception.message", "could not connect to postgresql://u:hunter2xY@h/db", "hunter2xY"),
    "redis url": ("exception.message", "redis://:hunter2xY@h:6379/0", "hunter2xY"),
    "libpq": ("exception.message", "host=db user=u password=hunter2xY dbname=x", "hunter2xY"),
    "env line": ("exception.stacktrace", "  OPENAI_API_KEY=hunter2xY\n", "hunter2xY"),
    "env export": ("exception.stacktrace", '  export OPENAI_API_KEY="hunter2xY"\n', "hunter2xY"),
    "py kwargs": ("exception.stacktrace", "  connect(host='h', password='hunter2xY')", "hunter2xY"),
    "py dict repr": ("exception.stacktrace", "{'password': 'hunter2xY', 'x': 1}", "hunter2xY"),
    "py dataclass": ("exception.message", "Settings(api_key='hunter2xY', url='x')", "hunter2xY"),
    "yaml": ("input.value", "db:\n  password: hunter2xY\n  host: h", "hunter2xY"),
    "yaml apikey": ("input.value", "openai:\n  apiKey: hunter2xY\n", "hunter2xY"),
    "toml": ("input.value", '[db]\npassword = "hunter2xY"', "hunter2xY"),
    "xml": ("input.value", "<login><password>hunter2xY</password></login>", "hunter2xY"),
    "xml attr": ("input.value", '<db user="sa" password="hunter2xY"/>', "hunter2xY"),
    "json in prose": ("input.value", 'I sent {"password": "hunter2xY"} to it', "hunter2xY"),
    "escaped json in prose": ("exception.message", 'body: {\\"password\\": \\"hunter2xY\\"}', "hunter2xY"),
    "cookie header line": ("exception.message", "Cookie: session=hunter2xY; a=b", "hunter2xY"),
    "set-cookie line": ("exception.message", "Set-Cookie: sid=hunter2xY; HttpOnly", "hunter2xY"),
    "x-api-key line": ("exception.message", "X-Api-Key: hunter2xY", "hunter2xY"),
    "headers repr": ("exception.message", "headers=[('x-api-key', 'hunter2xY')]", "hunter2xY"),
    "headers bytes": ("exception.message", "headers=[(b'authorization', b'Bearer hunter2xY')]", "hunter2xY"),
    "mail unicode esc": ("input.value", "ana.souza\\u0040mail.example.org", "ana.souza"),
    "mail html": ("input.value", "ana.souza&commat;mail.example.org", "ana.souza"),
    "mail mailto": ("output.value", "[x](mailto:ana.souza%40mail.example.org)", "ana.souza"),
    "card dashes": ("output.value", "4111-1111-1111-1111", "4111-1111"),
    "card json number": ("output.value", '{"n": 4111111111111111}', "4111111111111111"),
    "aws id": ("output.value", "key AKIAIOSFODNN7EXAMPLE here", "AKIAIOSFODNN7EXAMPLE"),
    "ghp": (
        "output.value",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    ),
    "pem": (
        "output.value",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    ),
    "pem escaped": (
        "output.value",
        '{"k": "-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\\n-----END RSA PRIVATE KEY-----"}',
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    ),
    "jwt": (
        "input.value",
        "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJlMTIzNDU2",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJlMTIzNDU2",
    ),
    "slack hook": (
        "input.value",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "XXXXXXXXXXXXXXXXXXXXXXXX",
    ),
    "userId camel": ("metadata", '{"userId": "ana77"}', "ana77"),
    "USER_ID": ("metadata", '{"USER_ID": "ana77"}', "ana77"),
    "user-id": ("metadata", '{"user-id": "ana77"}', "ana77"),
    "user_email": ("metadata", '{"user_email": "ana.souza@mail.example.org"}', "ana.souza"),
    "sessionID": ("metadata", '{"sessionID": "s77abc"}', "s77abc"),
    "SessionId attr": ("SessionId", "s77abc", "s77abc"),
    "customerID": ("metadata", '{"customerID": "c77abc"}', "c77abc"),
    "UserID": ("metadata", '{"UserID": "c77abc"}', "c77abc"),
}
"""Key of an attribute, its value, and what must not stay of that."""
ALIKE = {
    "max_tokens": ("input.value", '{"max_tokens": 500}', "500"),
    "prose pass": (
        "output.value",
        "Reset your password: open Settings and choose a new one.",
        "open Settings and choose",
    ),
    "token prose": ("output.value", "The token: a piece of a word that a model reads.", "a piece of a word"),
    "yaml prose": ("output.value", "Password: required. API key: optional.", "required"),
    "key=value": ("output.value", "Set key=value pairs in the file.", "key=value"),
    "session prose": ("output.value", "Session: Tuesday at nine. Cookie: a small file.", "Tuesday at nine"),
    "compass": ("input.value", '{"compass": "north", "bypass": "yes", "passage": "It opens"}', "north"),
    "password policy": (
        "output.value",
        'A password must have 12 characters; "password" is no password.',
        "12 characters",
    ),
    "curl doc": ("output.value", "curl -u USER:PASSWORD https://api.example.org", "USER:PASSWORD"),
    "pw placeholder": ("output.value", "password=<your password>", "<your password>"),
}
"""The same, and what must stay."""
PLACES = ("attribute", "event", "link", "resource", "log")


def left(key: str, value: str, place: str) -> bytes:
    """What is kept of a text in that place."""
    pair = KeyValue(key=key, value=wire(value))
    if place == "log":
        logs = LogsData()
        record = logs.resource_logs.add().scope_logs.add().log_records.add(trace_id=b"t" * 16)
        record.attributes.append(pair)
        if " " in value or value[0] in "{[":  # a word alone has no name there
            record.body.string_value = value
        return redaction().logs(logs.SerializeToString())
    data = TracesData()
    resource_spans = data.resource_spans.add()
    span = resource_spans.scope_spans.add().spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="step")
    places = {
        "attribute": span.attributes,
        "event": span.events.add(name="exception").attributes,
        "link": span.links.add().attributes,
        "resource": resource_spans.resource.attributes,
    }
    places[place].append(pair)
    return redaction().spans(data.SerializeToString())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("key", "value", "secret"), ODD.values(), ids=ODD)
def test_odd_forms_are_cut_in_every_place(key: str, value: str, secret: str, place: str) -> None:
    """JSON in JSON, forms and addresses, headers and settings as programs print them, keys in any case."""
    assert secret in value
    assert secret.encode() not in left(key, value, place)


@pytest.mark.parametrize(("key", "value", "words"), ALIKE.values(), ids=ALIKE)
def test_what_only_looks_like_one_stays_in_every_place(key: str, value: str, words: str) -> None:
    """Prose about passwords, figures beside them, and what a manual leaves to fill in."""
    assert [place for place in PLACES if words.encode() not in left(key, value, place)] == []

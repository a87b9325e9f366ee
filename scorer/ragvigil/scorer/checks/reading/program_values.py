"""What a program puts behind `password =`: a call, a variable, a type or a reference, instead of the password itself.

Redaction cuts such a value with the rest, for a text loses little by it. As a leak it would be a ticket about nothing.
"""

from __future__ import annotations

import re

_NAME = r"[$@]?(?:boto3|argon2|base64|oauth2|[a-z_]{1,40})"
"""Without digits, which a password has."""
_MEMBER = (
    r"(?:\.|->|::|\?\.)[a-z_]{0,40}"
    r"(?:(?:sha|base|b|md|pbkdf|aes|secp|utf|argon|v|s|oauth)\d{1,3}[a-z_]{0,20}\d?)?"
)
_GIVEN = r"\([\w.=:$]{0,60}(?:\([\w.]{0,40}\))?\)"
_CUT = r"(?:[(\[][\w.$:=]{0,60})?"
"""What is given, up to the quotation mark, blank or comma at which redaction ends a value."""
_END = r"[)\]}.]{0,5}"
_CALLED = (
    r"(?:get|read|load|fetch|find|decrypt|encrypt|encode|decode|prompt|input|env|generate|gen|create|make|new|random"
    r"|hash|password_hash|sign|require|parse|ask|mint|resolve|lookup|use)_?[a-z_]{0,30}"
    r"|str|string|bytes|buffer|len|int|column|mapped_column|[a-z]{0,12}field|ref|secret_?(?:str|string)|secure_?string|z|joi|yup"
)
_HOLDERS = (
    "params|session|config|settings|credentials|secrets|env|options|opts|data|row|args|kwargs|headers|body"
)
_TYPES = (
    "optional|option|promise|array|list|union|annotated|mapped|maybe|nullable|observable|result|literal|string"
    "|secret_?str|secret_?string|secure_?string|protected_?string|credential"
)
_ABOUT = (
    "user|client|hashed?|plain|raw|new|old|current|confirm|encrypted|encoded|auth|bearer|refresh|session|app|master"
    "|access|api|db|database|admin|root|encryption|signing|private|public|secret|service|account|jwt|csrf|id|bot|webhook"
    "|openai|anthropic|stripe|github|gitlab|aws|azure|google|slack|my|the|your"
)
_WHAT = "header|secret|token|key|password|passwd|pwd|hash"
_PLACES = "run|var|etc|mnt|opt|home|usr|path|app|tmp|secrets|vault|keys"
_STORES = (
    "vault|op|ssm|sops|doppler|keyvault|secretsmanager|aws-?sm|gcp-?sm|asm|secretref|arn:aws:secretsmanager"
)
_VALUE = re.compile(
    "(?:"
    rf"(?=[^\s(\[]{{1,120}}[(\[]){_NAME}(?:{_GIVEN})?(?:{_MEMBER}(?:{_GIVEN})?){{1,6}}{_CUT}"  # f.read(), os.getenv(
    rf"|(?:{_CALLED})(?:{_GIVEN}|\([\w.=:$]{{0,60}})(?:{_MEMBER}(?:{_GIVEN})?){{0,6}}{_CUT}"  # input(, get_token(user)
    rf"|{_NAME}\["  # config['api_key'], cut at the quotation mark
    rf"|(?:sys\.)?(?:argv|args|lines?|parts|row|groups|tokens)\[\d\](?:{_MEMBER}(?:{_GIVEN})?){{0,3}}"
    rf"|@?(?:{_HOLDERS})\[:?[a-z_]{{1,40}}\]"
    rf"|(?:{_TYPES})(?:\[[\w.\[\]|]{{0,60}})?"
    r"|(?:req|request|ctx|event|form|data|body|options|opts|props|params|session|response|res|result|var|local|module"
    r"|input|inputs|random_password|(?:data\.)?(?:aws|google|azurerm|kubernetes)_[a-z_]{1,40})"
    r"(?:\.[a-z_]{1,40}){1,5}"
    rf"|(?:(?:{_ABOUT})[_-]?){{1,4}}(?:{_WHAT})s?"  # client_secret, accessToken
    r"|(?-i:[A-Z]{2,20}(?:_[A-Z]{1,20}){0,4}_(?:SECRET|TOKEN|KEY|PASSWORD|PASSWD|PWD|PASS))"
    r"|\$(?:env:)?(?-i:[A-Z]{2,20}(?:_[A-Z]{1,20}){0,5})"
    rf"|[$:@][a-z_]{{0,20}}(?:{_WHAT})|\$[a-z_]{{1,20}}-"  # $this->password, cut at the second sign
    r"|%(?-i:[A-Z]{2,20}(?:_[A-Z]{1,20}){0,5})%"
    r"|\$\{\w{2,40}:?[-=](?:change_?me|password|secret|postgres|example|admin|root|test|dev)?\}"
    r"|\$\{\w{2,40}:?\?\w{0,40}\}?"
    r"|[{\[(]{1,2}[a-z_]{1,20}(?:[._][a-z]{1,20}){0,4}[)\]}]{1,2}"
    r"|!(?:vault|secret|env|ref|sub|getatt)"
    r"|(?-i:Get|Read|ConvertTo|New|Import)-(?-i:Credential|Host|SecureString|Secret|AzKeyVaultSecret|Content|Clixml)"
    rf"|[.~]{{0,2}}/(?:{_PLACES})(?:/[\w.-]{{1,60}}){{1,8}}"
    rf"|(?:{_STORES})(?:\+\w{{1,20}})?:(?://)?[a-z_][\w.-]{{0,40}}(?:[/:][\w.-]{{1,60}}){{1,8}}(?:#[\w.-]{{1,40}})?"
    rf"){_END}\Z",
    re.IGNORECASE,
)


def is_program_value(value: str) -> bool:
    """Whether a value stands for a secret that a program gets from elsewhere.

    >>> [is_program_value(one) for one in ("getpass.getpass()", "config[", "CLIENT_SECRET", "$DB_PASSWORD")]
    [True, True, True, True]
    >>> [is_program_value(one) for one in ("Sommer2024()", "Rex(Anna)77", "anna.huber", "Get-Rich-2024")]
    [False, False, False, False]
    """
    return _VALUE.match(value) is not None

"""What must not stay is cut here, between the inbox and everything else: store, judge, pages."""

from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.redact.persons import logs_without, persons_in
from ragvigil.scorer.redact.pseudonyms import Pseudonyms

__all__ = ["Pseudonyms", "Redaction", "logs_without", "persons_in"]

"""What must not stay is cut here, between the inbox and everything else: store, judge, pages.

`payload` is imported by name: the receiving process needs no more than what stands here.
"""

from ragvigil.scorer.redact.persons import logs_without, persons_in
from ragvigil.scorer.redact.pseudonyms import Pseudonyms

__all__ = ["Pseudonyms", "logs_without", "persons_in"]

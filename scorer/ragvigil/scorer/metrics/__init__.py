"""What Prometheus scrapes and OTLP carries: names, values with their intervals, bounds on labels.

The score process writes a snapshot to a file every few seconds; the receive process answers /metrics from it. So a
scrape reads one small file, whoever scrapes and however often, and a scraper that is dead or slow delays nobody.
"""

from ragvigil.scorer.metrics.measures import Exemplar, Histogram, Measures, Sample
from ragvigil.scorer.metrics.names import DEFINITIONS, Definition

__all__ = ["DEFINITIONS", "Definition", "Exemplar", "Histogram", "Measures", "Sample"]

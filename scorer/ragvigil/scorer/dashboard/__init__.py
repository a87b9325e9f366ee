"""Pages for people on call: incidents, series and answers, read from a store that the scorer writes.

They only read, and need no script. Each page is a value (``overview.py``, ``incident.py``, ``series.py``,
``answers.py``, ``answer.py``) that a template of the same name shows, and ``/api`` before its address gives it as JSON.
"""

"""Judges: a question in, an opinion or a typed failure out.

The heuristic bench scores check outcomes and needs no key or network (`heuristic.py`).

With models, all calls of an audit start at once, up to `concurrency`. Each waits for the rate limit
of its key, which all workers share, and reserves its highest cost from the audit's budget before it
is made. One layer retries (`provider_call.py`). One deadline covers an answer with all its calls,
but not the waiting. Answers are validated here; a truncated or malformed one is asked for once
more.

The rules come first in every call, then the material on the criterion, the same for its three
judges, then persona and form, so that a provider can cache the prefix (`prompts.py`, `material.py`).
Citations are resolved to evidence (`citations.py`). A judge that may ask reads more places, once. A
possible prompt injection is cut from prompts, and no judge is told of the flag.
"""

"""Root cause of checks that do not apply: what they are about is not there."""

from __future__ import annotations

from typing import Literal

from courtroom.models.frozen_record import Frozen

RootCauseCode = Literal[
    "no_report",
    "no_diagram",
    "no_graph",
    "no_clone",
    "no_judges",
    "no_model",
    "no_prompts",
    "no_synthesis",
    "no_cap",
    "no_dissent",
    "idle_judges",
    "idle_justice",
]


class RootCause(Frozen):
    """Subject that is established as absent; `sentence` says so, with its place where it has one.

    The same absence has the same code in every audit.
    """

    code: RootCauseCode
    sentence: str

    @property
    def without_place(self) -> RootCause:
        """The same without the path of a file, which is a word of the submission."""
        sentence = self.sentence.partition(" (")[0].rstrip(".")
        return RootCause(code=self.code, sentence=f"{sentence}.")

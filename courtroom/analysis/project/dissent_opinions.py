"""Opinions that an audit prints in a dissent alone, with their score: a judge is heard there too."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.report_import.imported_report import ImportedCriterion, ImportedOpinion

# "Defense scored 3/5 emphasizing: ", "The Prosecutor (score 2) argued: ".
_HEARD = re.compile(
    r"\b(Prosecutor|Defen[cs]e|Tech ?Lead)(?: \(score:? ?| scored | gave )\d{1,3}(?:\.\d)?(?:/\d{1,3})?"
    r"\)?(?: \w{1,20}){0,2}: "
)
# What joins a quoted argument to the next judge.
_ENDS = " \t\n.|;\u2026"


def opinions_of(criterion: ImportedCriterion) -> list[ImportedOpinion]:
    """Return the criterion's opinions, then those of judges that only its dissent quotes."""
    from courtroom.report_import.imported_report import ImportedOpinion
    from courtroom.report_import.vocabulary import JUDGE_NAMES

    opinions = list(criterion.opinions)
    heard = {str(opinion.judge) for opinion in opinions if opinion.argument.strip()}
    dissent = criterion.dissent or ""
    parts = list(_HEARD.finditer(dissent))
    for part, following in zip_longest(parts, parts[1:]):
        judge = JUDGE_NAMES[part[1].lower().replace(" ", "")]
        end = following.start() if following else len(dissent)
        argument = dissent[part.end() : end].removesuffix("The ").strip(_ENDS)
        if argument and judge not in heard:
            heard.add(judge)
            opinions.append(ImportedOpinion(judge=judge, argument=argument, line=criterion.line))
    return opinions

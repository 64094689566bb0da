"""The last step: the mean of the opinions, as Markdown."""

from pathlib import Path
from statistics import mean

from pipeline.models import PipelineState


def chief_justice(state: PipelineState) -> dict:
    lines = ["# Verdict", "", f"Overall: {mean(opinion.score for opinion in state.opinions):.1f}", ""]
    lines += [f"- **{opinion.judge}** {opinion.score}: {opinion.argument}" for opinion in state.opinions]
    verdict = "\n".join(lines)
    Path("verdict.md").write_text(verdict, encoding="utf-8")
    return {"verdict": verdict}

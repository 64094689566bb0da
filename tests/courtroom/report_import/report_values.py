"""Parts of an imported report as plain values, for assertions."""

from courtroom.report_import.imported_report import ImportedReport, ImportedScore


def pair(score: ImportedScore | None) -> tuple[float | None, float | None] | None:
    """Return (value, maximum)."""
    return (score.value, score.maximum) if score else None


def scores(report: ImportedReport) -> dict[str, tuple[float | None, float | None] | None]:
    return {criterion.name: pair(criterion.score) for criterion in report.criteria}


def bench(report: ImportedReport) -> dict[str, list[tuple[str, float | None]]]:
    """Return the judges with their scores by criterion, in the order of the report."""
    return {
        criterion.name: [
            (opinion.judge, opinion.score.value if opinion.score else None)
            for opinion in criterion.opinions
        ]
        for criterion in report.criteria
    }


def arguments(report: ImportedReport, index: int = 0) -> dict[str, str]:
    return {opinion.judge: opinion.argument for opinion in report.criteria[index].opinions}


def places(report: ImportedReport) -> list[tuple[str | None, str | None, int | None, str | None]]:
    """Return (criterion's name, path, line, priority) of each finding."""
    names = [criterion.name for criterion in report.criteria]
    return [
        (None if f.criterion is None else names[f.criterion], f.path, f.line, f.priority)
        for f in report.findings
    ]


def notes(report: ImportedReport) -> list[tuple[int | None, str]]:
    return [(note.line, note.message) for note in report.notes]

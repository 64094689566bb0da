"""What a test asks of an imported report, as plain values."""

from courtroom.report_import.imported_report import ImportedReport, ImportedScore


def pair(score: ImportedScore | None) -> tuple[float | None, float | None] | None:
    """(value, maximum)"""
    return (score.value, score.maximum) if score else None


def scores(report: ImportedReport) -> dict[str, tuple[float | None, float | None] | None]:
    return {criterion.name: pair(criterion.score) for criterion in report.criteria}


def bench(report: ImportedReport) -> dict[str, list[tuple[str, float | None]]]:
    """Per criterion the judges with their scores, in the order of the report."""
    return {
        criterion.name: [
            (opinion.judge, opinion.score.value if opinion.score else None)
            for opinion in criterion.opinions
        ]
        for criterion in report.criteria
    }


def arguments(report: ImportedReport, at: int = 0) -> dict[str, str]:
    return {opinion.judge: opinion.argument for opinion in report.criteria[at].opinions}


def places(report: ImportedReport) -> list[tuple[str | None, str | None, int | None, str | None]]:
    """Per finding (criterion's name, path, line, priority)."""
    names = [criterion.name for criterion in report.criteria]
    return [
        (None if f.criterion is None else names[f.criterion], f.path, f.line, f.priority)
        for f in report.findings
    ]


def notes(report: ImportedReport) -> list[tuple[int | None, str]]:
    return [(note.line, note.message) for note in report.notes]

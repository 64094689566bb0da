"""What a browser would send of the rubric editor's form."""

from typing import Any


def sent(sheet: dict[str, Any]) -> dict[str, Any]:
    """Every field by its name, in the order of the page; boxes that are not ticked are not sent."""
    fields = dict(_flat(sheet, ""))
    return {"constitution.was": sheet["constitution"]["preset"], **fields}


def _flat(node: Any, path: str) -> Any:
    if isinstance(node, dict):
        for step, value in node.items():
            below = path if step == "leftovers" else f"{path}.{step}" if path else step
            yield from _flat(value, below)
    elif isinstance(node, list) and any(isinstance(item, dict) for item in node):
        for step, value in enumerate(node):
            yield from _flat(value, f"{path}.{step}")
    elif node not in ("", []) or not _is_box(path):
        yield path, node


def _is_box(path: str) -> bool:
    boxes = {"essential", "effort", "architecture", "applies", "overrule_unsupported", "on_unanimity"}
    return path.rpartition(".")[2] in boxes

"""Folders that are deleted by the end of an address, and second clones by another function."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

CODE = """
import os, re, shutil
from git import Repo
class Tool:
    def clone(self, url):
        name = url.split("/")[-1].replace(".git", "")
        target = os.path.join(self.folder, name)
        if os.path.exists(target):
            shutil.rmtree(target)
        self.repo = Repo.clone_from(url, target)
    def analyze(self, url):
        self.clone(url)
        return {"history": self.log()}
    def log(self):
        return list(self.repo.iter_commits())
def detective(state):
    tool = Tool()
    try:
        if not tool.clone(state["repo_url"]):
            return {"evidences": {}}
        return {"evidences": tool.analyze(state["repo_url"])}
    except Exception:
        return {"evidences": {}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""


def test_deleted_folder_with_the_name_of_an_address_is_a_fault():
    assert sentences(flow_of(CODE), "named_folder") == [
        (
            "Tool.clone() deletes a folder whose name is the end of the address: for one that ends in"
            " “/..” it is the folder above"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('url.split("/")[-1].replace(".git", "")', 're.sub("[^a-z]", "", url.split("/")[-1])'),
        ("os.path.join(self.folder, name)", "os.path.join(self.folder, 'repo')"),
        ("shutil.rmtree(target)", "shutil.rmtree(self.folder)"),
        (
            "        name =",
            "        if not url.startswith('https:'):\n            raise ValueError\n        name =",
        ),
    ],
)
def test_folder_with_a_name_of_its_own_or_of_a_checked_address_is_none(old: str, new: str):
    assert sentences(flow_of(CODE.replace(old, new)), "named_folder") == []


def test_second_clone_by_another_function_is_a_fault():
    assert sentences(flow_of(CODE), "repeated_clone") == [
        "detective() clones by clone(), and analyze() clones once more: a run may clone the repository twice"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.clone(url)\n", ""),
        ("        self.clone(url)\n", "        later = self.clone\n"),
        ("        if not tool.clone(state", "        if not tool.log(state"),
        (
            '        return {"evidences": tool.analyze(state["repo_url"])}',
            "        return {} if state else tool.analyze(1)",
        ),
    ],
)
def test_one_clone_is_none(old: str, new: str):
    assert sentences(flow_of(CODE.replace(old, new)), "repeated_clone") == []

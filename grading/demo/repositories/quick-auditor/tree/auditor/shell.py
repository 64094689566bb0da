"""Quick ways to ask git."""

import os
import subprocess

WORKDIR = "checkout"


def clone(repo_url: str) -> str:
    os.system("rm -rf " + WORKDIR)
    os.system(f"git clone {repo_url} {WORKDIR}")
    return WORKDIR


def git(command: str) -> str:
    return subprocess.run(f"cd {WORKDIR} && git {command}", shell=True, capture_output=True, text=True).stdout


def grep(words: str) -> str:
    return subprocess.check_output(f"grep -rn '{words}' {WORKDIR} || true", shell=True, text=True)


def settings_of_project() -> dict:
    """Some projects keep their settings as a Python literal."""
    path = os.path.join(WORKDIR, "settings.txt")
    if not os.path.exists(path):
        return {}
    return eval(open(path).read())

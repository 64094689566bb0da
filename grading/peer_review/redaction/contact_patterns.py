"""Patterns for links, addresses, home folders, signatures and commits."""

from __future__ import annotations

import re

# A link ends at a space, a quote, a bracket or the bar of a Markdown table.
_STOP = r"[^\s<>\"'`)\]}|]"
# Addresses at these hosts often name an account: withheld even without a scheme or a path.
_HOSTS = (
    r"github|gitlab|bitbucket|codeberg|sourcehut|huggingface|linkedin|twitter|facebook|instagram|"
    r"medium|kaggle|notion|youtube|youtu|loom|figma|discord|telegram|substack|"
    r"hashnode|replit|gitee|orcid|behance|dribbble|stackoverflow"
)
# Here the account or the project is the subdomain.
_PAGES = (
    r"github\.io|gitlab\.io|pages\.dev|netlify\.app|vercel\.app|streamlit\.app|hf\.space|"
    r"herokuapp\.com|onrender\.com|web\.app"
)
_TOP_LEVEL = (
    r"com|org|net|io|dev|me|ai|app|co|edu|gov|info|xyz|site|tech|page|blog|be|so|gg|"
    r"[a-z]{2}\.[a-z]{2}"
)
# Repeats before a fixed part are bounded, so that hostile text cannot make the search slow. A domain
# of no known host needs a path: without one, `state.app` in code would be taken for a link.
LINK = re.compile(
    rf"""
      \b[a-z][a-z0-9+.-]{{1,20}}:(?:\\?/){{2}}{_STOP}+
    | \b(?:https?|ssh|git)%3a%2f%2f{_STOP}+
    | \b(?:mailto|tel|skype|xmpp|callto):{_STOP}+
    | \bwww\.{_STOP}+
    | (?<![\w.-])[\w.-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}}:{_STOP}+
    | (?<![\w.-])(?:[\w-]{{1,63}}\.){{0,8}}(?:{_HOSTS})\.(?:{_TOP_LEVEL})\b{_STOP}*
    | (?<![\w-])[\w-]{{1,63}}\.(?:{_PAGES})\b{_STOP}*
    | (?<![\w.-])(?:[\w-]{{1,63}}\.){{1,8}}(?:{_TOP_LEVEL})/{_STOP}+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FULLWIDTH_AT = "\uff20"
ADDRESS = re.compile(
    rf"(?<![\w.+-])[\w.+-]{{1,254}}(?:@|{_FULLWIDTH_AT}|%40)[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}}"
)
# Owners of home folders and merged branches, and signatures: names that no roster may hold.
HOME = re.compile(r"((?:/home|/Users|[A-Za-z]:\\{1,2}Users)[\\/]{1,2})([^\\/\s\"'`:<>|]+)")
MERGED = re.compile(r"(Merge pull request #\d+ from )(\S+)", re.IGNORECASE)
_SIGNS = (
    r"(?:@author|__authors?__|__maintainer__|authors?|author[ _](?:name|e-?mail)|co-authored-by|"
    r"signed-off-by|reviewed-by|"
    r"(?:written|created|submitted|prepared|audited|reviewed|presented|generated|made) by|"
    r"maintainers?|contributors?|auditors?|auditees?|peer (?:name|auditor|reviewer)|reviewers?|"
    r"student(?:[ _](?:name|id|number|e-?mail))?|full[ _]name|"
    r"team(?:[ _](?:name|members?))?|group[ _]members?|"
    r"github(?:[ _](?:user(?:name)?|handle|id))?|linkedin|slack|telegram|e-?mails?)"
)
SIGNATURE = re.compile(
    rf"^([^\w\n@]*{_SIGNS}[\s*_`|\"']{{0,6}}(?::|=|\||—|\u2013)[^\S\n]*+"
    r"[*_`\"'\[{(]{0,4}+[^\S\n]*+)([^\s|*`\"'][^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
CREDIT = re.compile(
    r"((?:copyright|\(c\)|©)[^\S\n]*(?:\(c\)|©)?[^\S\n]*(?:\d{4}[\d,\s-]*)?)([^\n]+)", re.IGNORECASE
)
# Ids of evidence begin with E- and are no commits.
# A digit and a letter are required: neither a number nor a word such as “defaced” is a commit.
COMMIT = re.compile(r"(?<!E-)\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")


def without_contacts(text: str, mark: str) -> str:
    """Return the text with contacts replaced by `mark`; the label of a signature stays."""
    # Links first: in `git@host:owner/name` the pattern of addresses would leave the owner behind.
    text = LINK.sub(mark, text)
    text = ADDRESS.sub(mark, text)
    for pattern in (HOME, MERGED, SIGNATURE, CREDIT):
        text = pattern.sub(lambda match: match[1] + mark, text)
    return text


def without_commits(text: str, mark: str) -> str:
    """Remove commit hashes and shorten times to the day: both can be found in public histories."""
    return MOMENT.sub(r"\1", COMMIT.sub(mark, text))

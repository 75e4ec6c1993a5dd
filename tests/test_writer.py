"""What is written through the one writer is whole, or the old file stays: whatever the name, the place and the user."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
from helpers.checkout import ROOT

from autolab.shared import files


def names_in(folder):
    return sorted(os.listdir(folder))


def test_a_symbolic_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to("far/real")
    files.write(link, "new")
    assert link.is_symlink() and real.read_text() == "new" and not real.is_symlink()
    dangling = tmp_path / "dangling"
    dangling.symlink_to("far/later")
    files.write(dangling, "first")
    assert dangling.is_symlink() and (tmp_path / "far" / "later").read_text() == "first"
    assert names_in(tmp_path / "far") == ["later", "real"] and names_in(tmp_path) == ["dangling", "far", "link"]


@pytest.mark.parametrize("name", ["n" * 255, "ü" * 127 + "n", "数" * 85, "a\nb\x1b[2J", " ", "-rf"])
def test_a_name_may_be_as_long_and_strange_as_the_file_system_allows(name, tmp_path):
    for text in ("first", "second"):
        files.write(tmp_path / name, text)
    assert (tmp_path / name).read_text() == "second" and names_in(tmp_path) == [name]


def loop(folder):
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    return folder / "a"


def pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda folder: folder / "missing" / "file", errno.ENOENT),
        (lambda folder: folder, errno.EISDIR),
        (lambda folder: f"{folder}/name/", errno.EISDIR),
        (lambda folder: folder / ("n" * 256), errno.ENAMETOOLONG),
        (lambda folder: Path(sys.executable) / "file", errno.ENOTDIR),
        (loop, errno.ELOOP),
        (pipe, errno.EINVAL),
        (lambda folder: "/dev/null", errno.EINVAL),
    ],
)
def test_what_cannot_be_written_is_an_error_by_its_name(make, code, tmp_path):
    path = make(tmp_path)
    before = names_in(tmp_path)
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        files.write(path, "text")
    assert caught.value.errno == code and caught.value.filename == str(path)
    assert names_in(tmp_path) == before and stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_numbers_reach_the_disk_before_the_name_and_the_folder_after_it(tmp_path, monkeypatch):
    seen, sync, path = [], os.fsync, tmp_path / "file"

    def watched(handle):
        found = os.fstat(handle)
        seen.append((stat.S_ISDIR(found.st_mode) or found.st_size, path.read_text()))
        sync(handle)

    path.write_text("old")
    monkeypatch.setattr(os, "fsync", watched)
    files.write(path, "newer")
    assert seen == [(5, "old"), (True, "newer")]


def test_who_reads_the_old_file_reads_it_to_its_end(tmp_path):
    files.write(tmp_path / "file", "old")
    with open(tmp_path / "file") as reader:
        files.write(tmp_path / "file", "new")
        assert reader.read() == "old" and (tmp_path / "file").read_text() == "new"


def test_permissions_follow_the_old_file_or_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        files.write(tmp_path / "new", "text")
        (tmp_path / "private").touch(0o600)
        files.write(tmp_path / "private", "text")
    finally:
        os.umask(old)
    modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in names_in(tmp_path)}
    assert modes == {"new": 0o640, "private": 0o600}


def test_permissions_that_give_away_the_owners_rights_are_not_taken_over(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0o4755)
    files.write(tmp_path / "file", "text")
    assert (tmp_path / "file").stat().st_mode & 0o7777 == 0o755


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_a_file_keeps_its_owner(tmp_path):
    (tmp_path / "file").touch()
    os.chown(tmp_path / "file", 65534, 65533)
    files.write(tmp_path / "file", "text")
    assert ((tmp_path / "file").stat().st_uid, (tmp_path / "file").stat().st_gid) == (65534, 65533)


def test_what_utf8_cannot_hold_is_written_as_a_question_mark(tmp_path):
    files.write(tmp_path / "file", "a\udcffb")
    assert (tmp_path / "file").read_bytes() == b"a?b"


@pytest.mark.parametrize(("code", "fails"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)])
def test_a_file_system_may_be_unable_to_sync_a_folder(code, fails, tmp_path, monkeypatch):
    sync, handles = os.fsync, []

    def refusing(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            handles.append(handle)
            raise OSError(code, os.strerror(code))
        sync(handle)

    monkeypatch.setattr(os, "fsync", refusing)
    with pytest.raises(OSError, match="file") if fails else nullcontext():
        files.write(tmp_path / "file", "text")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(*handles)


def test_nothing_is_written_through_a_name_that_is_taken(tmp_path, monkeypatch):
    (tmp_path / "victim").write_text("old")
    (tmp_path / "taken").symlink_to("victim")
    monkeypatch.setattr(files, "_temporary_name", lambda: "taken")
    with pytest.raises(FileExistsError):
        files.write(tmp_path / "file", "text")
    assert (tmp_path / "victim").read_text() == "old"


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, files.replacing(tmp_path / "file"):
        (tmp_path / "missing").read_text()
    assert caught.value.filename == str(tmp_path / "missing") and names_in(tmp_path) == []


AS_SOMEBODY = """
import os, sys
sys.path.insert(0, sys.argv[2])
from autolab.shared import files
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for name in ("closed/file", "open/protected", "open/mine", "sticky/file", "blind/file"):
    try:
        files.write(os.path.join(sys.argv[1], name), "new")
        print(name, "written")
    except OSError as error:
        print(name, type(error).__name__, error.filename.endswith(name))
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_what_a_user_may_not_write_stays():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part, mode in (("closed", 0o755), ("open", 0o777), ("sticky", 0o1777), ("blind", 0o333)):
            (folder / part).mkdir()
            (folder / part).chmod(mode)
        for file, mode in (("closed/file", 0o644), ("open/protected", 0o644), ("open/mine", 0o666)):
            (folder / file).write_text("old")
            (folder / file).chmod(mode)
        left = (
            folder / "sticky" / f".autolab-{files._process_space()}-999999999-1-{'0' * 8}"
        )  # root's, of a process long gone
        left.write_text("part")
        me = os.getpid()
        running = left_over(
            folder / "open", files._process_space(), me, files._started(me)
        )  # root's, which it still writes
        command = [sys.executable, "-c", AS_SOMEBODY, folder, ROOT]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout.splitlines()
        assert answer == [
            "closed/file PermissionError True",
            "open/protected PermissionError True",
            "open/mine written",
            "sticky/file written",
            "blind/file written",
        ]
        assert (folder / "closed" / "file").read_text() == (folder / "open" / "protected").read_text() == "old"
        assert names_in(folder / "open") == [running.name, "mine", "protected"] and left.exists()


# ---------------------------------------------------------------------------------------------------- what is left over
def left_over(folder, place, process, started, age=0.0):
    path = folder / f".autolab-{place}-{process}-{started}-{'0' * 8}"
    path.write_text("part")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


@pytest.mark.skipif(files._process_space() is None, reason="this system does not say where a process runs")
def test_a_process_may_have_any_name():
    name, started = Path("/proc/self/comm"), files._started(os.getpid())
    before = name.read_text()
    try:
        name.write_text("a) b (c")
        assert files._started(os.getpid()) == started
    finally:
        name.write_text(before)


@pytest.mark.skipif(files._process_space() is None, reason="this system does not say where a process runs")
def test_the_sweep_takes_what_a_dead_process_of_this_place_left_and_nothing_else(tmp_path):
    me, here = os.getpid(), files._process_space()
    assert files._LEFT.fullmatch(files._temporary_name())[1] == here
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    gone = [
        left_over(tmp_path, here, dead.pid, 1),
        left_over(tmp_path, here, me, files._started(me) + 1),  # the number was given out again
        left_over(tmp_path, "0" * 16, me, 1, age=90_000.0),
        left_over(tmp_path, "elsewhere", dead.pid, 0, age=90_000.0),
    ]
    stays = [
        left_over(tmp_path, here, me, files._started(me)),  # another thread writes it
        left_over(tmp_path, here, os.getppid(), files._started(os.getppid())),
        left_over(tmp_path, "0" * 16, dead.pid, 1),  # of another container
        left_over(tmp_path, "elsewhere", dead.pid, 1),
    ]
    others = [tmp_path / name for name in (".autolab-notes", ".autolab-model-1-aa", f".autolab-{here}-1-1-00000000x")]
    for path in others:
        path.write_text("somebody's")
    files.write(tmp_path / "file", "text")
    assert [p for p in gone if p.exists()] == [] and [p for p in stays + others if not p.exists()] == []


@pytest.mark.skipif(files._process_space() is None, reason="this system does not say where a process runs")
def test_what_cannot_be_removed_keeps_nothing_else_from_it(tmp_path):
    left = [tmp_path / f".autolab-{files._process_space()}-999999999-1-{i:08}" for i in range(10)]
    for i, path in enumerate(left):  # nobody can remove a folder as if it were a file
        path.write_text("part") if i in (4, 5) else path.mkdir()
    files.write(tmp_path / "file", "text")
    assert [path.exists() for path in left] == [i not in (4, 5) for i in range(10)]


CONTAINER = """
import os, sys
from autolab.shared import files
with files.replacing(sys.argv[1]) as file:
    file.write(b"from inside")
    print(os.getpid(), flush=True)
    sys.stdin.readline()
"""


def test_a_container_that_writes_into_the_same_folder_is_left_alone(tmp_path):
    command = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", CONTAINER, str(tmp_path / "shared")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    try:
        inside = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes)
    except OSError:
        pytest.skip("unshare is not installed")
    with inside:
        said = inside.stdout.readline()
        if not said:
            pytest.skip("no process numbers of one's own may be made here")
        assert int(said) < 10  # a number that means another process outside
        files.write(tmp_path / "other", "from outside")
        inside.stdin.write("\n")
        inside.stdin.close()
        assert inside.wait() == 0
    assert (tmp_path / "shared").read_text() == "from inside" and names_in(tmp_path) == ["other", "shared"]

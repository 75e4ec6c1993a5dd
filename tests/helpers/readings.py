"""Ways in which a function reads the world around it, as people write them: setup, expression, change of the world.

``$`` stands for a prefix that keeps several of them in one program apart. ``named`` is what a refusal has to name; it is
None where the reading can be followed. ``then`` are lines at the head of the function. ``folder`` is an empty folder
and ``i`` a number that grows.
"""

# ruff: noqa: E501 (a reading is a line)

from __future__ import annotations

import random
from typing import NamedTuple


class Reading(NamedTuple):
    label: str
    setup: str
    read: str
    change: str
    named: str | None = None
    then: str = ""


_HOLDER = "class $C:\n    scale = 1.5\n    other = [1.25, 2.0]\n    def __init__(self): self.own = 1.75\n"

FOLLOWED = [
    Reading("global", "$s = 1.5", "$s", "$s = 1.5 + i"),
    Reading("global of another kind", "$s = 1", "$s", "$s = [1, 1.0, True, np.float32(1)][i % 4]"),
    Reading("instance attribute", f"{_HOLDER}$c = $C()", "$c.own", "$c.own = 1.5 + i"),
    Reading("class attribute", _HOLDER, "$C.scale", "$C.scale = 1.5 + i"),
    Reading("class attribute by instance", f"{_HOLDER}$c = $C()", "$c.scale", "$C.scale = 1.5 + i"),
    Reading("instance that is replaced", f"{_HOLDER}$c = $C()", "$c.own", "$c = $C(); $c.own = 2.5 + i"),
    Reading("nested attribute", f"{_HOLDER}$c = $C(); $c.in_ = $C()", "$c.in_.own", "$c.in_.own = 1.5 + i"),
    Reading("attribute of a module", "import types; $m = types.ModuleType('m'); $m.s = 1.5", "$m.s", "$m.s = 2.5 + i"),
    Reading("number of a library", "import types; $m = types.ModuleType('numpy.m'); $m.s = 1.5", "$m.s", "$m.s = 2.5 + i"),
    Reading("function of a library", "import types; $m = types.ModuleType('numpy.m'); $m.f = abs", "$m.f(-1.5)", "$m.f = float"),
    Reading("constant of math", "import math", "math.pi", "pass"),
    Reading("math of an attribute", f"import math\n{_HOLDER}$c = $C()", "math.sqrt($c.own)", "$c.own = 1.5 + i"),
    Reading("numpy of a global", "$s = 1.5", "float(np.sqrt($s))", "$s = 1.5 + i"),
    Reading("property", "class $P:\n    s = 1.5\n    @property\n    def p(self): return self.s + 1\n$p = $P()", "$p.p", "$p.s = 1.5 + i"),
    Reading("__getattr__", "$d = {'k': 1.5}\nclass $G:\n    def __getattr__(self, n): return $d['k']\n$g = $G()", "$g.any", "$d['k'] = 2.5 + i"),
    Reading("slots", "class $S:\n    __slots__ = ('s',)\n$o = $S(); $o.s = 1.5", "$o.s", "$o.s = 2.5 + i"),
    Reading("namespace", "import types; $n = types.SimpleNamespace(s=1.5)", "$n.s", "$n.s = 2.5 + i"),
    Reading("dataclass", "import dataclasses\n$D = dataclasses.make_dataclass('D', ['s'])\n$d = $D(1.5)", "$d.s", "$d.s = 2.5 + i"),
    Reading("named tuple", "import collections\n$T = collections.namedtuple('T', 's')\n$t = $T(1.5)", "$t.s", "$t = $T(2.5 + i)"),
    Reading("enum", "import enum\n$E = enum.Enum('E', 'A B')\n$e = $E.A", "(1.5 if $e is $E.A else 2.5)", "$e = $E.B"),
    Reading("getattr by name", f"{_HOLDER}$c = $C()", "getattr($c, 'own', 9.0)", "$c.own = 1.5 + i"),
    Reading("an attribute that comes", f"{_HOLDER}$c = $C()", "getattr($c, 'later', 9.0)", "$c.later = 1.5 + i"),
    Reading("hasattr", f"{_HOLDER}$c = $C()", "(2.5 if hasattr($c, 'later') else 1.5)", "$c.later = 1"),
    Reading("an attribute that goes", f"{_HOLDER}$c = $C()", "getattr($c, 'own', 9.0)", "$c.__dict__.pop('own', None)"),
    Reading("entry of a dict", "$d = {'k': 1.5}", "$d['k']", "$d['k'] = 2.5 + i"),
    Reading("entry in an entry", "$d = {'k': {1: [1.5]}}", "$d['k'][1][0]", "$d['k'][1][0] = 2.5 + i"),
    Reading("element of a list", "$l = [1.5, 2.0]", "$l[0]", "$l[0] = 2.5 + i"),
    Reading("last element of a list", "$l = [1.5, 2.0]", "$l[-1]", "$l.append(2.5 + i)"),
    Reading("list in a tuple", "$t = ([1.5], 2)", "$t[0][0]", "$t[0][0] = 2.5 + i"),
    Reading("length of a list", "$l = [0]", "len($l)", "$l.append(0)"),
    Reading("sum of a list", "$l = [1.5, 2.0]", "sum($l)", "$l[1] += 1"),
    Reading("largest of a list", "$l = [1.5, 2.0]", "max($l)", "$l.append(2.5 + i)"),
    Reading("unpacked list", "$l = [1.5, 2.0]", "($a + $b)", "$l[0] += 1", None, "$a, $b = $l"),
    Reading("keys of a dict", "$d = {1: 0}", "sum(k for k in $d)", "$d[2 + i] = 0"),
    Reading("truth of a list", "$l = []", "(2.5 if $l else 1.5)", "$l.append(1)"),
    Reading("membership", "$s = {1}", "(2.5 if 7 in $s else 1.5)", "$s.add(7)"),
    Reading("a key that comes", "$d = {}", "$v", "$d['k'] = 2.5 + i", None, "try: $v = $d['k']\n    except KeyError: $v = 1.5"),
    Reading("text", "$s = 'up'", "(1.5 if $s == 'up' else 2.5)", "$s = 'down'"),
    Reading("None", "$s = None", "(1.5 if $s is None else $s)", "$s = 2.5 + i"),
    Reading("flag", "$s = False", "(1.5 if $s else 2.5)", "$s = not $s"),
    Reading("tuple of numbers", "$t = (1.5, 2.0)", "$t[0]", "$t = (2.5 + i, 0)"),
    Reading("global of a helper", "$s = 1.5\ndef $h(): return $s", "$h()", "$s = 2.5 + i"),
    Reading("global of a helper's helper", "$s = 1.5\ndef $g(): return $s\ndef $h(): return $g() + 1", "$h()", "$s = 2.5 + i"),
    Reading("helper that is replaced", "def $h(): return 1.5", "$h()", "def $h(k=2.5 + i): return k"),
    Reading("code that is replaced", "def $h(): return 1.5\ndef $o(): return 2.5", "$h()", "$h.__code__ = $o.__code__"),
    Reading("defaults that are replaced", "def $h(k=1.5): return k", "$h()", "$h.__defaults__ = (2.5 + i,)"),
    Reading("default list", "$l = [1.5]\ndef $h(k=$l): return k[0]", "$h()", "$l[0] = 2.5 + i"),
    Reading("default by keyword", "$d = {'k': 1.5}\ndef $h(*, k=$d): return k['k']", "$h()", "$d['k'] = 2.5 + i"),
    Reading("closure", "def $make():\n    s = 1.5\n    def get(): return s\n    def put(v):\n        nonlocal s\n        s = v\n    return get, put\n$get, $put = $make()", "$get()", "$put(2.5 + i)"),
    Reading("lambda", "$s = 1.5\n$h = lambda: $s", "$h()", "$s = 2.5 + i"),
    Reading("method", f"{_HOLDER}    def m(self): return self.own\n$c = $C()", "$c.m()", "$c.own = 2.5 + i"),
    Reading("class method", f"{_HOLDER}    @classmethod\n    def m(cls): return cls.scale\n", "$C.m()", "$C.scale = 2.5 + i"),
    Reading("static method", f"$s = 1.5\n{_HOLDER}    @staticmethod\n    def m(): return $s\n", "$C.m()", "$s = 2.5 + i"),
    Reading("method that is replaced", f"{_HOLDER}    def m(self): return 1.5\n$c = $C()", "$c.m()", "$C.m = lambda self: 2.5"),
    Reading("object that is called", f"{_HOLDER}    def __call__(self): return self.own\n$c = $C()", "$c()", "$c.own = 2.5 + i"),
    Reading("partial's argument", "import functools\n$l = [1.5]\ndef $h(k): return k[0]\n$p = functools.partial($h, $l)", "$p()", "$l[0] = 2.5 + i"),
    Reading("partial's keyword", "import functools\n$l = [1.5]\ndef $h(k): return k[0]\n$p = functools.partial($h, k=$l)", "$p()", "$l[0] = 2.5 + i"),
    Reading("decorated helper", "import functools\n$s = 1.5\ndef $deco(f):\n    @functools.wraps(f)\n    def g(): return f() * 2\n    return g\n@$deco\ndef $h(): return $s", "$h()", "$s = 2.5 + i"),
    Reading("mode", "", "(1.5 if autolab.config.train else 2.5)", "autolab.config.train = not autolab.config.train"),
    Reading("import in the function", "import types, sys; $m = types.ModuleType('$m'); $m.s = 1.5; sys.modules['$m'] = $m", "$n.s", "$m.s = 2.5 + i", None, "import $m as $n"),
    Reading("environment", "import os; os.environ['$E'] = '1.5'", "float(os.environ['$E'])", "os.environ['$E'] = str(i)"),
    Reading("raised in a step", "", "$v", "np.seterr(all=['ignore', 'raise'][i // 3 % 2])", None, "try: F.sqrt(x - 9.0); $v = 1.5\n    except FloatingPointError: $v = 2.5"),
    Reading("raised for a global", "$s = np.float64(0.0)", "$v", "np.seterr(divide=['ignore', 'raise'][i // 3 % 2])", None, "try: $v = min(1 / $s, 2.5)\n    except FloatingPointError: $v = 1.5"),
    Reading("told to a function", "def $t(kind, flag): raise KeyError(kind)", "$v", "np.seterr(all=['ignore', 'call'][i // 3 % 2]); np.seterrcall($t)", None, "try: x = F.log(x - 9.0) * 0.0 + x; $v = 1.5\n    except KeyError: $v = 2.5"),
    Reading("a warning that is an error", "import warnings", "$v", "warnings.simplefilter(['ignore', 'error'][i // 3 % 2])", None, "try: F.log(x - 9.0); $v = 1.5\n    except RuntimeWarning: $v = 2.5"),
    Reading("attribute of a function", "def $h(): return 1.5\n$h.k = 1.5", "$h.k", "$h.k = 2.5 + i"),
    Reading("class that is replaced", "class $A:\n    def m(self): return 1.5\nclass $B:\n    def m(self): return 2.5\n$a = $A()", "$a.m()", "$a.__class__ = $B"),
    Reading("method of one object", "class $A:\n    def m(self): return 1.5\n$a = $A()", "$a.m()", "$a.m = lambda: 2.5"),
    Reading("method of one link", "class $L(autolab.Link):\n    def m(self): return 1.5\n$l = $L()", "$l.m()", "$l.m = lambda: 2.5"),
    Reading("order of a dict", "$d = {'a': 1, 'b': 2}", "(1.5 if [*$d][0] == 'a' else 2.5)", "$d['a'] = $d.pop('a')"),
    Reading("chain of dicts", "import collections; $d = collections.ChainMap({'k': 1.5})", "$d['k']", "$d['k'] = 2.5 + i"),
    Reading("dict of the library", "import collections; $d = collections.UserDict(k=1.5)", "$d['k']", "$d['k'] = 2.5 + i"),
    Reading("view of a dict", "import types; $d = {'k': 1.5}; $v = types.MappingProxyType($d)", "$v['k']", "$d['k'] = 2.5 + i"),
    Reading("dict of attributes", "class $D(dict):\n    def __getattr__(self, n): return self[n]\n$d = $D(k=1.5)", "$d.k", "$d['k'] = 2.5 + i"),
    Reading("attributes of a table", "class $G:\n    t = {'k': 1.5}\n    def __getattr__(self, n): return $G.t[n]\n$g = $G()", "$g.k", "$G.t['k'] = 2.5 + i"),
    Reading("sign of a zero of NumPy's", "$s = np.float32(0.0)", "float(np.copysign(1.5, $s))", "$s = np.float32([-0.0, 0.0][i % 2])"),
    Reading("rate of an optimizer", "$o = autolab.optimizers.SGD(lr=1.5)", "$o.lr", "$o.lr = 2.5 + i"),
    Reading("momentum by name", "$o = autolab.optimizers.MomentumSGD(lr=1.0)", "getattr($o, 'lr')", "$o.lr = 2.5 + i"),
    Reading("getenv", "import os; os.environ['$E'] = '1.5'", "float(os.getenv('$E'))", "os.environ['$E'] = str(i)"),
    Reading("array", "$a = np.array([1.5])", "float($a[0])", "$a[0] = 2.5 + i"),
    Reading("number of an array", "$a = np.array(1.5)", "$a.item()", "$a[...] = 2.5 + i"),
    Reading("element of an array", "$a = np.array([1.5])", "$a[0]", "$a[0] = 2.5 + i"),
    Reading("sum of an array", "$a = np.array([1.5])", "float(np.sum($a))", "$a[0] = 2.5 + i"),
    Reading("array of an object", f"{_HOLDER}$c = $C(); $c.a = np.array(1.5)", "float($c.a)", "$c.a[...] = 2.5 + i"),
    Reading("get of a dict", "$d = {'k': 1.5}", "$d.get('k')", "$d['k'] = 2.5 + i"),
    Reading("values of a dict", "$d = {'k': 1.5}", "sum($d.values())", "$d['k'] = 2.5 + i"),
    Reading("kind of an object", f"{_HOLDER}$c = $C()", "(1.5 if type($c) is $C else 2.5)", "$c = 1"),
    Reading("parent's method", f"{_HOLDER}    def m(self): return self.own\nclass $K($C):\n    def m(self): return super().m()\n$c = $K()", "$c.m()", "$c.own = 2.5 + i"),
    Reading("object that is made", f"{_HOLDER}", "$C().own", "$C.__init__ = lambda self: setattr(self, 'own', 2.5 + i)"),
    Reading("errstate", "", "1.5", "pass", None, "with np.errstate(all='raise'): pass"),
    Reading("warnings", "import warnings", "1.5", "pass", None, "with warnings.catch_warnings(): pass"),
    Reading("foreign ufunc", "$s = 1.5\n$u = np.frompyfunc(lambda: $s, 0, 1)", "$u()", "$s = 2.5 + i"),
    Reading("vectorize", "$s = 1.5\n$u = np.vectorize(lambda k: $s)", "float($u(1))", "$s = 2.5 + i"),
    Reading("decimal", "import decimal; $s = decimal.Decimal('1.5')", "float($s)", "$s += 1"),
    Reading("thread's own", "import threading; $t = threading.local(); $t.d = {1: 2.0}", "sum($t.d.values())", "$t.d[2] = 2.5 + i"),
    Reading("text of an object", f"{_HOLDER}    def __str__(self): return str(self.own)\n$c = $C()", "float(f'{$c}')", "$c.own = 2.5 + i"),
    Reading("order of objects", f"{_HOLDER}    def __lt__(self, o): return self.own < 2\n$c = $C()", "(1.5 if $c < 3 else 2.5)", "$c.own = 2.5 + i"),
    Reading("own operator", f"{_HOLDER}    def __add__(self, o): return self.own + o\n$c = $C()", "($c + 1)", "$c.own = 2.5 + i"),
    Reading("block of an object", f"{_HOLDER}    def __enter__(self): return self.own\n    def __exit__(self, *a): pass\n$c = $C()", "$v", "$c.own = 2.5 + i", None, "with $c as $v: pass"),
    Reading("array of objects", "$a = np.array([[1.5], 2], dtype=object)", "$a[0][0]", "$a[0][0] = 2.5 + i"),
    Reading("polynomial", "$p = np.poly1d([1.5])", "float($p(0))", "$p[0] = 2.5 + i"),
]  # fmt: skip

REFUSED = [
    Reading("item of a parameter", "$p = autolab.Parameter(np.array(1.5))", "$p.item()", "$p.data[...] = 2.5 + i", "$p"),
    Reading("data of a parameter", "$p = autolab.Parameter(np.array(1.5))", "float($p.data)", "$p.data[...] = 2.5 + i", "$p"),
    Reading("Variable", "$p = autolab.Variable(np.array(1.5))", "float($p)", "$p.data[...] = 2.5 + i", "$p"),
    Reading("weight of a link", "$n = autolab.links.Linear(1, 1)", "float($n.W.data[0, 0])", "$n.W.data[...] = i", "$n.W"),
    Reading("random number", "import random", "random.random()", "pass", "random"),
    Reading("imported random", "from random import random as $r", "$r()", "pass", "$r"),
    Reading("generator of its own", "import random; $r = random.Random(1)", "$r.random()", "pass", "$r.random"),
    Reading("NumPy's random number", "", "float(np.random.rand())", "pass", "random"),
    Reading("NumPy's generator", "$r = np.random.default_rng(1)", "float($r.normal())", "pass", "$r"),
    Reading("AutoLab's generator", "", "float(autolab.config.rng.normal())", "pass", "rng"),
    Reading("time", "import time", "time.time()", "pass", "time"),
    Reading("clock", "from time import perf_counter as $t", "$t()", "pass", "$t"),
    Reading("date", "import datetime", "datetime.datetime.now().microsecond", "pass", "now"),
    Reading("file", "$f = folder / 'f'; $f.write_text('1.5')", "$v", "$f.write_text(str(i))", "open", "with open($f) as $h: $v = float($h.read())"),
    Reading("path", "$f = folder / 'f'; $f.write_text('1.5')", "float($f.read_text())", "$f.write_text(str(i))", ""),
    Reading("whether a file is there", "import os; $f = folder / 'g'; $f.unlink(missing_ok=True)", "(1.5 if os.path.exists($f) else 2.5)", "$f.touch()", ""),
    Reading("process", "import os", "os.getpid()", "pass", "os.getpid"),
    Reading("context variable", "import contextvars; $v = contextvars.ContextVar('v', default=1.5)", "$v.get()", "$v.set(2.5 + i)", "$v.get"),
    Reading("counter in a global", "$n = 0", "$n", "pass", "$n", "global $n\n    $n += 1"),
    Reading("counter in an object", f"{_HOLDER}$c = $C(); $c.n = 0", "$c.n", "pass", "$c", "$c.n += 1"),
    Reading("counter in a dict", "$d = {'n': 0}", "$d['n']", "pass", "$d", "$d['n'] += 1"),
    Reading("counter in a list", "$l = []", "len($l)", "pass", "$l", "$l.append(1)"),
    Reading("counter in a default", "def $h(l=[]):\n    l.append(1)\n    return len(l)", "$h()", "pass", "l"),
    Reading("counter in a closure", "def $make():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n    return count\n$count = $make()", "$count()", "pass", "n"),
    Reading("itertools' counter", "import itertools; $c = itertools.count()", "next($c)", "pass", "$c"),
    Reading("generator", "$g = (k for k in range(999))", "next($g)", "pass", "$g"),
    Reading("cache", "import functools\n$s = 1.5\n@functools.lru_cache\ndef $h(): return $s", "$h()", "$s = 2.5 + i; $h.cache_clear()", "$h"),
    Reading("queue", "import collections; $q = collections.deque([1.5] * 999)", "$q.popleft()", "$q.append(1)", "$q"),
    Reading("identity", "$o = object()", "(id($o) % 7)", "$o = object()", "id"),
    Reading("all globals", "$s = 1.5", "globals()['$s']", "$s = 2.5 + i", "globals"),
    Reading("eval", "$s = 1.5", "eval('$s')", "$s = 2.5 + i", "eval"),
    Reading("variables of an object", f"{_HOLDER}$c = $C()", "vars($c)['own']", "$c.own = 2.5 + i", "vars"),
    Reading("interpreter's setting", "import sys", "(sys.getrecursionlimit() % 9)", "pass", "sys.getrecursionlimit"),
    Reading("NumPy's setting", "", "(1.5 if np.geterr()['over'] == 'warn' else 2.5)", "np.seterr(over='ignore')", "np.geterr"),
    Reading("caught refusal", "import random", "$v", "pass", "random", "try: $v = random.random()\n    except Exception: $v = 1.5"),
    Reading("getter", "import operator, types; $n = types.SimpleNamespace(s=1.5); $g = operator.attrgetter('s')", "$g($n)", "$n.s = 2.5 + i", "$g"),
    Reading("weak reference", f"import weakref\n{_HOLDER}$c = $C(); $r = weakref.ref($c)", "$r().own", "$c.own = 2.5 + i", "$r"),
    Reading("map", "import itertools; $m = map(float, itertools.count(1))", "next($m)", "pass", "$m"),
    Reading("lines of a file", "import io; $f = io.StringIO('1\\n22\\n333\\n' * 99)", "$v", "pass", "$f", "for $v in $f: break\n    $v = float(len($v))"),
    Reading("declared function", "$s = 1.5\n@autolab.elementwise(x=lambda g: g * $s)\ndef $e(xp, x): return x * $s", "1.5", "$s = 2.5 + i", "$s", "x = $e(x)"),
]  # fmt: skip

COMPILED = [
    Reading("kind of a key", "$d = {1: 0}", "(1.5 if type([*$d][0]) is int else 2.5)", "$d.clear(); $d[[1, 1.0, True][i % 3]] = 0"),
    Reading("kind of an item", "$s = {1}", "(1.5 if type([*$s][0]) is int else 2.5)", "$s.clear(); $s.add([1, 1.0, True][i % 3])"),
    Reading("next rate of an optimizer", "$o = autolab.optimizers.SGD(lr=1.5)", "$o.rate", "$o.lr = 2.5 + i", "rate"),
    Reading("state of an optimizer", "$o = autolab.optimizers.SGD(lr=1.5).setup(autolab.links.Linear(1, 1))", "$o.state()['lr']", "$o.lr = 2.5 + i", "state"),
    Reading("group of an optimizer", "$o = autolab.optimizers.SGD(lr=1.5).setup(autolab.links.Linear(1, 1))", "$o.param_groups[0]['lr']", "$o.lr = 2.5 + i", "param_groups"),
    Reading("items of a set", "$s = {1.5}", "sum($s)", "$s.clear(); $s.add(2.5 + i)"),
    Reading("part of a library", "import types; $m = types.ModuleType('numpy.part'); $m.s = 1.5", "$m.s", "$m.s = 2.5 + i"),
    Reading("bytes that change", "$b = bytearray([1])", "($b[0] + 0.5)", "$b[0] = 2 + i", "$b"),
    Reading("array of the library", "import array; $a = array.array('d', [1.5])", "$a[0]", "$a[0] = 2.5 + i", "$a"),
    Reading("memory", "$a = np.array([1.5]); $m = memoryview($a)", "$m[0]", "$a[0] = 2.5 + i", "$m"),
]  # fmt: skip
"""What a compiled function follows or refuses, and a fused one does the other way round, or takes for what it is."""

FORMS = [
    "x * {}",
    "x + {}",
    "F.tanh(x) ** 2 * {}",
    "(x * 2.0 if {} > 2 else x * x)",
    "x * sum({} for _ in range(2))",
    "(lambda: x * {})()",
    "F.clip(x, -5.0, {})",
    "F.leaky_relu(x - 1.0, slope=0.1 * {})",
]


def program(parts: list[tuple[Reading, str]]) -> tuple[str, str, str]:
    """The setup, the function and the change of the world, as text."""
    setups, heads, changes, terms = [], [], [], []
    for i, (reading, form) in enumerate(parts):
        setup, head, change, read = [
            text.replace("$", f"p{i}_") for text in (*reading[1:2], reading.then, reading.change, reading.read)
        ]
        setups.append(setup)
        heads.append(head)
        changes.append(change)
        terms.append(form.format(read))
    body = "\n    ".join([*filter(None, heads), f"return {' + '.join(terms)}"])
    return "\n".join(setups), f"def f(x):\n    {body}\n", "\n".join(changes)


def random_parts(seed: int) -> list[tuple[Reading, str]]:
    """One to three readings, most of which can be followed, and how each is used."""
    rng = random.Random(seed)
    kinds = [rng.choice(REFUSED if rng.random() < 0.15 else FOLLOWED) for _ in range(rng.randint(1, 3))]
    return [(kind, rng.choice(FORMS)) for kind in kinds]

"""Ways in which a function reaches a value around it, as people write them, which can be put into one another.

A `Carrier` holds an object, for which ``~`` stands in its setup; ``%`` stands for the carrier where it is read, and ``$``
for a prefix that keeps the carriers of one program apart. A `Cell` is an object that holds a number; ``%`` stands for
the object.
"""

# ruff: noqa: E501 (a way is a line)

from __future__ import annotations

import random
from typing import NamedTuple


class Carrier(NamedTuple):
    label: str
    setup: str
    name: str
    read: str


class Cell(NamedTuple):
    label: str
    make: str
    read: str
    change: str
    write: str


_INIT = "    def __init__(self, v): self.v = v\n"

CARRIERS = [
    Carrier("global", "$g = ~", "$g", "%"),
    Carrier("closure", "def $make(v):\n    def get(): return v\n    return get\n$get = $make(~)", "$get", "%()"),
    Carrier("closure of a closure", "def $make(v):\n    def mid():\n        def get(): return v\n        return get\n    return mid\n$mid = $make(~)", "$mid", "%()()"),
    Carrier("default", "def $h(v=~): return v", "$h", "%()"),
    Carrier("default by keyword", "def $h(*, v=~): return v", "$h", "%()"),
    Carrier("default of a lambda", "$h = lambda v=~: v", "$h", "%()"),
    Carrier("helper of a helper", "$g = ~\ndef $a(): return $g\ndef $b(): return $a()", "$b", "%()"),
    Carrier("partial", "import functools\ndef $h(v): return v\n$p = functools.partial($h, ~)", "$p", "%()"),
    Carrier("partial by keyword", "import functools\ndef $h(v): return v\n$p = functools.partial($h, v=~)", "$p", "%()"),
    Carrier("partial of a builtin method", "import functools\n$p = functools.partial([~].__getitem__, 0)", "$p", "%()"),
    Carrier("attribute", f"class $C:\n{_INIT}$c = $C(~)", "$c", "%.v"),
    Carrier("attribute by name", f"class $C:\n{_INIT}$c = $C(~)", "$c", "getattr(%, 'v')"),
    Carrier("class attribute", "class $C:\n    v = ~", "$C", "%.v"),
    Carrier("class attribute by instance", "class $C:\n    v = [~]\n$c = $C()", "$c", "%.v[0]"),
    Carrier("inherited attribute", "class $A:\n    v = [~]\nclass $C($A): pass\n$c = $C()", "$c", "%.v[0]"),
    Carrier("attribute of a metaclass", "class $M(type):\n    v = [~]\nclass $C(metaclass=$M): pass", "$C", "%.v[0]"),
    Carrier("slot", f"class $C:\n    __slots__ = ('v',)\n{_INIT}$c = $C(~)", "$c", "%.v"),
    Carrier("bound method", f"class $C:\n{_INIT}    def get(self): return self.v\n$m = $C(~).get", "$m", "%()"),
    Carrier("method", f"class $C:\n{_INIT}    def get(self): return self.v\n$c = $C(~)", "$c", "%.get()"),
    Carrier("parent's method", f"class $A:\n{_INIT}    def get(self): return self.v\nclass $C($A):\n    def get(self): return super().get()\n$c = $C(~)", "$c", "%.get()"),
    Carrier("class method", "class $C:\n    v = [~]\n    @classmethod\n    def get(cls): return cls.v[0]", "$C", "%.get()"),
    Carrier("static method", "$g = ~\nclass $C:\n    @staticmethod\n    def get(): return $g", "$C", "%.get()"),
    Carrier("static builtin method", "class $C:\n    get = staticmethod([~].__getitem__)\n$c = $C()", "$c", "%.get(0)"),
    Carrier("object that is called", f"class $C:\n{_INIT}    def __call__(self): return self.v\n$c = $C(~)", "$c", "%()"),
    Carrier("property", f"class $C:\n{_INIT}    @property\n    def p(self): return self.v\n$c = $C(~)", "$c", "%.p"),
    Carrier("descriptor", f"class $D:\n{_INIT}    def __get__(self, o, kind): return self.v\nclass $C:\n    p = $D(~)\n$c = $C()", "$c", "%.p"),
    Carrier("partial method", "import functools\nclass $C:\n    def of(self, v): return v\n    get = functools.partialmethod(of, ~)\n$c = $C()", "$c", "%.get()"),
    Carrier("__getattr__", "$d = dict(k=~)\nclass $C:\n    def __getattr__(self, n): return $d[n]\n$c = $C()", "$c", "%.k"),
    Carrier("__getitem__", f"class $C:\n{_INIT}    def __getitem__(self, k): return self.v\n$c = $C(~)", "$c", "%[0]"),
    Carrier("namespace", "import types\n$n = types.SimpleNamespace(v=~)", "$n", "%.v"),
    Carrier("data class", "import dataclasses\n$D = dataclasses.make_dataclass('D', ['v'])\n$d = $D(~)", "$d", "%.v"),
    Carrier("frozen data class", "import dataclasses\n$D = dataclasses.make_dataclass('D', ['v'], frozen=True, slots=True)\n$d = $D(~)", "$d", "%.v"),
    Carrier("named tuple", "import collections\n$T = collections.namedtuple('T', 'v')\n$t = $T(~)", "$t", "%.v"),
    Carrier("list", "$l = [~]", "$l", "%[0]"),
    Carrier("last of a list", "$l = [0, ~]", "$l", "%[-1]"),
    Carrier("tuple", "$t = (~, 0)", "$t", "%[0]"),
    Carrier("dict", "$d = dict(k=~)", "$d", "%['k']"),
    Carrier("queue", "import collections\n$q = collections.deque([~])", "$q", "%[0]"),
    Carrier("bound get of a dict", "$get = dict(k=~).get", "$get", "%('k')"),
    Carrier("bound item of a list", "$get = [~].__getitem__", "$get", "%(0)"),
    Carrier("bound item of a tuple", "$get = (~, 0).__getitem__", "$get", "%(0)"),
    Carrier("bound item of a dict", "$get = dict(k=~).__getitem__", "$get", "%('k')"),
    Carrier("bound copy of a list", "$copy = [~].copy", "$copy", "%()[0]"),
    Carrier("values of a dict", "$v = dict(k=~).values()", "$v", "[*%][0]"),
    Carrier("items of a dict", "$v = dict(k=~).items()", "$v", "[*%][0][1]"),
    Carrier("view of a dict", "import types\n$v = types.MappingProxyType(dict(k=~))", "$v", "%['k']"),
    Carrier("chain of dicts", "import collections\n$d = collections.ChainMap(dict(k=~))", "$d", "%['k']"),
    Carrier("dict with an order", "import collections\n$d = collections.OrderedDict(k=~)", "$d", "%['k']"),
    Carrier("dict with a default", "import collections\n$d = collections.defaultdict(list, k=~)", "$d", "%['k']"),
    Carrier("dict of the library", "import collections\n$d = collections.UserDict(k=~)", "$d", "%['k']"),
    Carrier("list of the library", "import collections\n$d = collections.UserList([~])", "$d", "%[0]"),
    Carrier("list of its own kind", "class $L(list):\n    def first(self): return self[0]\n$l = $L([~])", "$l", "%.first()"),
    Carrier("attribute of a list", "class $L(list): pass\n$l = $L(); $l.v = ~", "$l", "%.v"),
    Carrier("getter of items", "import operator\n$get, $l = operator.itemgetter(0), [~]", "($get, $l)", "%[0](%[1])"),
    Carrier("module", "import types\n$m = types.ModuleType('$m'); $m.v = ~", "$m", "%.v"),
    Carrier("module by module", "import types\n$m = types.ModuleType('$m'); $m.n = types.ModuleType('$n'); $m.n.v = ~", "$m", "%.n.v"),
    Carrier("attribute of a function", "def $h(): pass\n$h.v = ~", "$h", "%.v"),
    Carrier("decorated function", "import functools\ndef $deco(f):\n    @functools.wraps(f)\n    def g(): return f()\n    return g\n$g = ~\n@$deco\ndef $h(): return $g", "$h", "%()"),
    Carrier("function in a class", "class $Deco:\n    def __init__(self, f): self.f = f\n    def __call__(self): return self.f()\n$g = ~\n@$Deco\ndef $h(): return $g", "$h", "%()"),
    Carrier("function in a dict", "$d = dict(k=lambda v=~: v)", "$d", "%['k']()"),
    Carrier("method in a list", f"class $C:\n{_INIT}    def get(self): return self.v\n$l = [$C(~).get]", "$l", "%[0]()"),
    Carrier("generic function", "import functools\n$g = ~\n@functools.singledispatch\ndef $h(k): return None\n@$h.register\ndef $i(k: int): return $g", "$h", "%(1)"),
    Carrier("member of an enum", "import enum\n$E = enum.Enum('E', {'A': ((0,), ~)})", "$E", "%.A.value[1]"),
    Carrier("link", "class $L(autolab.Link): pass\n$l = $L(); $l.v = ~", "$l", "%.v"),
    Carrier("part of a link", "class $L(autolab.Link): pass\n$l = $L(); $l.inner = $L(); $l.inner.v = ~", "$l", "%.inner.v"),
    Carrier("forward of a link", "class $L(autolab.Link):\n    def forward(self): return self.v\n$l = $L(); $l.v = ~", "$l", "%()"),
    Carrier("array of objects", "$a = np.empty(1, dtype=object); $a[0] = ~", "$a", "%[0]"),
    Carrier("context variable", "import contextvars\n$v = contextvars.ContextVar('$v'); $v.set(~)", "$v", "%.get()"),
    Carrier("bound get of a context variable", "import contextvars\n$v = contextvars.ContextVar('$v'); $v.set(~)\n$get = $v.get", "$get", "%()"),
    Carrier("thread's own", "import threading\n$t = threading.local(); $t.v = ~", "$t", "%.v"),
    Carrier("cache", "import functools\n$g = ~\n@functools.cache\ndef $h(): return $g", "$h", "%()"),
    Carrier("result in a cache", "import functools\n$h = functools.cache(iter([~]).__next__); $h()", "$h", "%()"),
    Carrier("result in a cache of two", "import functools\n$l = [~]\n@functools.lru_cache(2)\ndef $h(k, *, a): return $l.pop()\n$h(1, a=2)", "$h", "%(1, a=2)"),
    Carrier("weak reference", f"import weakref\nclass $C:\n{_INIT}$c = $C(~); $w = weakref.ref($c)", "$w", "%().v"),
    Carrier("object with a lock", "import threading\nclass $C:\n    def __init__(self, v): self.lock, self.v = threading.Lock(), v\n$c = $C(~)", "$c", "%.v"),
    Carrier("object that has no copies", f"class $C:\n{_INIT}    def __deepcopy__(self, memo): return self\n$c = $C(~)", "$c", "%.v"),
    Carrier("queue of threads", "import queue\n$q = queue.Queue(); $q.put(~)", "$q", "%.queue[0]"),
    Carrier("items of a dict with an order", "import collections\n$v = collections.OrderedDict(k=~).items()", "$v", "[*%][0][1]"),
]  # fmt: skip

CELLS = [
    Cell("list", "[1.5]", "%[0]", "%[0] = 2.5 + i", "%[0] += 1.0"),
    Cell("list that is appended to", "[1.5]", "%[-1]", "%.append(2.5 + i)", "%.append(2.0)"),
    Cell("dict", "dict(k=1.5)", "%['k']", "%['k'] = 2.5 + i", "%.update(k=%['k'] + 1.0)"),
    Cell("object", "Box(1.5)", "%.v", "%.v = 2.5 + i", "%.v += 1.0"),
    Cell("array", "np.array([1.5])", "float(%[0])", "%[0] = 2.5 + i", "%[0] += 1.0"),
    Cell("item of an array", "np.array(1.5)", "%.item()", "%[...] = 2.5 + i", "%.fill(4.0)"),
    Cell("queue", "collections.deque([1.5])", "%[0]", "%.appendleft(2.5 + i)", "%.appendleft(2.0)"),
    Cell("set", "{1.5}", "max(%)", "%.add(2.5 + i)", "%.add(max(%) + 1.0)"),
    Cell("bytes", "bytearray([1])", "(%[0] + 0.5)", "%[0] = 2 + i", "%[0] += 1"),
    Cell("array of the library", "array.array('d', [1.5])", "%[0]", "%[0] = 2.5 + i", "%[0] += 1.0"),
    Cell("parameter", "Variable(np.array(1.5))", "%", "%.data[...] = 2.5 + i", "%.data += 1.0"),
    Cell("list in a list", "[[1.5]]", "%[0][0]", "%[0][0] = 2.5 + i", "%[0].append(1.0)"),
]  # fmt: skip
"""The object, how its number is read, and what changes it from outside and from inside of the function."""

SETUP = "import array, collections\nclass Box:\n    def __init__(self, v): self.v = v\n    def __repr__(self): return repr(self.v)\n"


class World(NamedTuple):
    """A program that makes the world, with ``leaf`` as the object, and ``f``, which reads it or writes to it."""

    label: str
    setup: str
    reads: str
    writes: str
    change: str


def world(cell: Cell, *carriers: Carrier) -> World:
    """The cell in the carriers, the innermost first."""
    setup, held, read = [SETUP, f"leaf = {cell.make}"], "leaf", "root"
    for i, carrier in enumerate(carriers):
        setup.append(carrier.setup.replace("~", held).replace("$", f"p{i}_"))
        held = carrier.name.replace("$", f"p{i}_")
    for i, carrier in reversed([*enumerate(carriers)]):
        read = f"({carrier.read.replace('%', read).replace('$', f'p{i}_')})"
    reads = f"def f(x):\n    return x * {cell.read.replace('%', read)}\n"
    writes = f"def f(x):\n    held = {read}\n    {cell.write.replace('%', 'held')}\n    return x * 2.0\n"
    label = " in ".join([cell.label, *[carrier.label for carrier in carriers]])
    return World(label, "\n".join([*setup, f"root = {held}"]), reads, writes, cell.change.replace("%", "leaf"))


def worlds() -> list[World]:
    """Every cell in every carrier in every carrier, in an order in which neighbours differ."""
    found = [world(cell, a, b) for cell in CELLS for a in CARRIERS for b in CARRIERS]
    random.Random(5).shuffle(found)
    return found

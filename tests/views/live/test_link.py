"""The page's end of the conversation by itself: what is sent when, and what an acknowledgement means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from autolab.views.live.bundle import file_of

from ..bare_page import ADDRESS

pytestmark = pytest.mark.browser

SETUP = """async () => {
  const running = new Set(), { setTimeout: start, clearTimeout: end } = globalThis;
  globalThis.setTimeout = (...all) => { const timer = start(...all); running.add(timer); return timer; };
  globalThis.clearTimeout = (timer) => { running.delete(timer); end(timer); };
  const { makeLink } = await import('./link.js');
  globalThis.open = () => {
    const sent = [], told = [], listeners = {};
    let ack = 0;
    const model = {
      get: () => ack, on: (event, listener) => (listeners[event] = listener), off: (event) => delete listeners[event],
      send: (message) => sent.push(message),
    };
    const link = makeLink(model);
    const answer = (seq) => { ack = seq; listeners['change:ack'](); };
    const done = (name) => () => told.push(name);
    return { link, sent, told, listeners, running, answer, done, latest: () => sent.at(-1).seq };
  };
}"""
WAITING = """(kind) => {
  const { link, sent, told, answer, done, latest } = open();
  sent.length = 0; // the greeting
  for (const value of [1, 2, 3]) link.send({ do: kind, key: 'x', index: 0, value }, done(value));
  link.send({ do: kind, key: 'x', index: 1, value: 4 });
  link.send({ do: kind, key: 'y', index: 1, value: 5 });
  link.send({ do: 'other', key: 'y', index: 1, value: 6 });
  for (let k = 0; k < 9; k++) answer(latest());
  return [sent.map((message) => message.value), told, link.state];
}"""
STRANGE = """() => {
  const { link, sent, told, answer, done, latest, listeners } = open();
  sent.length = 0;
  link.send({ do: 'one' }, done('one'));
  link.send({ do: 'two' });
  answer(latest() - 1); // another page's
  const before = [sent.length, told.length];
  const mine = latest();
  listeners.comm_live_update(); // a greeting in between
  const greeting = latest();
  answer(greeting);
  const between = [sent.length, told.length, greeting === mine];
  answer(mine);
  return [before, between, sent.map((message) => message.do), told];
}"""
STOP = """() => {
  const { link, sent, answer, latest } = open();
  sent.length = 0;
  for (const value of [1, 2]) link.send({ do: 'move', key: 'x', value });
  link.send({ do: 'undo' });
  link.stop({ do: 'stop' });
  const before = sent.map((message) => message.do);
  answer(latest());
  answer(latest());
  const after = sent.map((message) => message.do);
  link.stop({ do: 'stop' });
  return [before, after, sent.length];
}"""
CLOSED = """() => {
  const { link, sent, running, listeners, answer, latest } = open();
  const greeting = [...running].length;
  link.send({ do: 'one' });
  const open_ = [...running].length;
  link.close();
  return [greeting, open_, running.size, Object.keys(listeners)];
}"""


@pytest.fixture
def linked(browser: Browser) -> Iterator[Page]:
    """A page in which ``open()`` makes a link and shows what it sends."""
    page = browser.new_page()
    text = file_of("link.js").read_text("utf-8")
    page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/javascript"))
    page.goto(ADDRESS)
    page.evaluate(SETUP)
    yield page
    page.close()


def test_what_is_sent_when(linked: Page) -> None:
    def evaluate(script: str, *given: Any) -> Any:
        return linked.evaluate(script, *given)

    assert evaluate(CLOSED) == [1, 2, 0, []]
    for kind in ("move", "look"):
        assert evaluate(WAITING, kind) == [[1, 3, 4, 5, 6], [1, 2, 3], "idle"], kind
    for kind in ("draw", "undo", "ask"):
        assert evaluate(WAITING, kind) == [[1, 2, 3, 4, 5, 6], [1, 2, 3], "idle"], kind
    assert evaluate(STRANGE) == [[1, 0], [2, 0, False], ["one", "hello", "two"], ["one"]]
    assert evaluate(STOP) == [["move"], ["move", "stop"], 3]

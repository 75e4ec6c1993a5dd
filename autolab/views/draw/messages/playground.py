"""Of the playground."""

SENTENCES: dict[str, str] = {
    "play_title": "AutoLab playground",
    "play_run": "Run",
    "play_stop": "Stop",
    "play_link": "Copy link",
    "play_copied": "Link copied: whoever opens it sees this program at this point.",
    "play_address": "The link is in the address bar.",
    "play_keys": "Shift+Enter runs the program. Tab indents; Escape, then Tab, leaves the editor.",
    "play_example": "Example",
    "play_editor": "Program",
    "play_output": "What the program shows",
    "play_loading": "Loading Python (only once: the browser keeps it for later visits) \N{HORIZONTAL ELLIPSIS}",
    "play_numpy": "Loading NumPy \N{HORIZONTAL ELLIPSIS}",
    "play_packages": "Loading AutoLab \N{HORIZONTAL ELLIPSIS}",
    "play_ready": "Ready",
    "play_running": "Running \N{HORIZONTAL ELLIPSIS}",
    "play_stopping": "Stopping \N{HORIZONTAL ELLIPSIS}",
    "play_again": "Stopped. Python is starting again \N{HORIZONTAL ELLIPSIS}",
    "play_failed": "Python could not be loaded: {reason}",
    "play_stopped": "Stopped",
    "play_raised": "The program raised an error; see below.",
}

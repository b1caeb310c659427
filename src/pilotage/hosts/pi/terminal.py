"""The terminal that the console would run in: colour, signs, the clipboard."""

import codecs
import locale
import os
import shutil
import subprocess

from pilotage.hosts.pi.finding import Finding, note, ok, wrong


def examine_terminal() -> list[Finding]:
    """Look at what the environment tells of the terminal."""
    return [_signs(), _colour(), _clipboard()]


def _signs() -> Finding:
    encoding = locale.getpreferredencoding(do_setlocale=False)
    if codecs.lookup(encoding).name == "utf-8":
        return ok("signs", "UTF-8")
    mend = "set LANG to a UTF-8 locale, as in LANG=C.UTF-8, or plain-signs = true in Pilotage's settings"
    return wrong("signs", f"the locale's encoding is {encoding}", mend)


def _colour() -> Finding:
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR"):
        return ok("colour", "none is wanted (NO_COLOR); bold, dim and reverse are used")
    if term in ("", "dumb"):
        return note("colour", f"TERM is {term or 'not set'}", "run the console in a terminal that has colours")
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ok("colour", f"{term}, true colour")
    if "256color" in term:
        return ok("colour", f"{term}, 256 colours; COLORTERM=truecolor says that it has all")
    return note("colour", f"{term}: 16 colours are sure", "the theme `terminal` uses the terminal's own colours")


def _clipboard() -> Finding:
    if not os.environ.get("TMUX"):
        return note("clipboard", "copying uses OSC 52, which the terminal has to allow")
    setting = _tmux_setting()
    if setting in ("on", "external"):
        mend = "" if setting == "on" else "`tmux set -s set-clipboard on` lets programs in it copy"
        return note("clipboard", f"tmux, set-clipboard {setting}; `tmux load-buffer` is used as well", mend)
    return note("clipboard", "tmux; `tmux load-buffer` is used as well", "`tmux set -s set-clipboard on`")


def _tmux_setting() -> str:
    tmux = shutil.which("tmux")
    if tmux is None:
        return ""
    try:
        words = [tmux, "show", "-sv", "set-clipboard"]
        return subprocess.run(words, capture_output=True, text=True, timeout=2, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""

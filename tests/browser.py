"""A real browser for tests: headless Chromium, without a network.  ``CHROMIUM`` is None if none is on the path."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from html import unescape
from pathlib import Path

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
PROBE = """<!DOCTYPE html><body><script>
const pages = %s, widths = %s, found = [];
(async () => {
  for (const page of pages) for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width: ${width}px; height: 800px; border: 0`;
    const loaded = new Promise((done) => { frame.onload = done; });
    frame.src = page;
    document.body.append(frame);
    await loaded;
    const inner = frame.contentDocument, root = inner.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push([page, width, "page", root.scrollWidth]);
    for (const code of inner.querySelectorAll("pre > code")) {
      const begins = code.textContent.slice(0, 60);
      if (code.scrollWidth > code.clientWidth + 1) found.push([page, width, begins, code.scrollWidth]);
    }
    frame.remove();
  }
  document.title = "done";
  document.body.textContent = JSON.stringify(found);
})();
</script>"""


def browse(address: str, folder: Path, *flags: str, seconds: int = 20) -> tuple[str, list[str], list[str]]:
    """Return what Chromium makes of a page: its document, lines of its console, and addresses that it asks for.

    address: as ``Path.as_uri`` gives it, perhaps with more behind it.  folder: for its files.  seconds: its own.
    """
    assert CHROMIUM is not None
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    offline = ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking"]
    logs = ["--enable-logging=stderr", "--v=0", f"--log-net-log={folder / 'net.json'}"]
    wait = [f"--virtual-time-budget={1000 * seconds}", "--window-size=1400,900", f"--user-data-dir={folder / 'user'}"]
    command = [CHROMIUM, *quiet, *offline, *logs, *wait, *flags, "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    events = [event.get("params", {}) for event in json.loads((folder / "net.json").read_text())["events"]]
    pages = [event for event in events if event.get("initiator", "not an origin") != "not an origin"]
    return done.stdout, console, [event["url"] for event in pages if "url" in event]  # others: the browser's own


def too_wide(pages: Iterable[Path], widths: Iterable[int], folder: Path) -> list[tuple[str, int, str, int]]:
    """Return what does not fit into windows of some widths: page, width, "page" or the beginning of code, its width."""
    probe = folder / "probe.html"
    probe.write_text(PROBE % (json.dumps([page.as_uri() for page in pages]), json.dumps(list(widths))))
    document, console, _ = browse(probe.as_uri(), folder, "--allow-file-access-from-files", seconds=600)
    assert "<title>done</title>" in document, console
    text = re.sub(r"<[^>]*>", "", document.partition("<body>")[2])
    return [(page, width, what, wide) for page, width, what, wide in json.loads(unescape(text))]

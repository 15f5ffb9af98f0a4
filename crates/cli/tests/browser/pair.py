#!/usr/bin/env python3
"""Opens a page of `drystone explain` in a headless browser and uses it like a person.

    pair.py DRYSTONE PAIR [FOLDER]

DRYSTONE is the command, PAIR a file about a pair, FOLDER a place for screenshots. Exits with 0
when everything that must be so is so.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

from devtools import Browser


def expect(truth, message):
    if not truth:
        raise SystemExit(f"failed: {message}")
    print(f"  ok: {message}")


def covered(browser, canvas):
    """The share of a canvas that something is drawn on."""
    return browser.evaluate(f"""(() => {{
        const canvas = document.getElementById('{canvas}');
        const {{ data }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
        return count / (canvas.width * canvas.height);
    }})()""")


def main():
    command, pair = sys.argv[1], sys.argv[2]
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="drystone-pair-"))
    folder.mkdir(parents=True, exist_ok=True)
    page = folder.resolve() / (pathlib.Path(pair).stem + ".html")
    subprocess.run([command, "explain", pair, "-o", str(page)], check=True)
    browser = Browser()
    try:
        browser.open(page.as_uri())
        browser.wait("!!window.drystone")
        steps = browser.evaluate("drystone.steps()")
        expect(steps > 3, f"there are {steps} steps")
        expect(browser.evaluate("document.getElementById('answer').textContent.includes('certified')"),
               "the answer and its certificate are told")
        seen = set()
        for step in range(steps):
            browser.evaluate(f"drystone.choose({step})")
            time.sleep(0.05)
            seen.add(browser.evaluate("document.getElementById('text').textContent"))
            for canvas in ("shapes", "difference"):
                share = covered(browser, canvas)
                expect(share > 0.001, f"step {step}: {canvas} is drawn ({share:.1%})")
        expect(len(seen) == steps, "every step has its sentence")
        before = covered(browser, "shapes")
        browser.drag([(200, 300), (260, 330), (320, 380)])
        time.sleep(0.2)
        expect(covered(browser, "shapes") != before, "dragging turns the shapes")
        browser.evaluate("document.activeElement.blur()")
        browser.evaluate("drystone.choose(2)")
        browser.press("ArrowLeft", "ArrowLeft")
        browser.wait("drystone.now.step === 1", 10)
        expect(True, "keys step")
        browser.screenshot(folder / f"{page.stem}.png")
        # Reading the pictures back is the test's own doing.
        complaints = [text for text in browser.complaints if "willReadFrequently" not in text]
        expect(not complaints, "the console is silent " + str(complaints)[:600])
    finally:
        browser.end()
    print(f"pictures in {folder}")


main()

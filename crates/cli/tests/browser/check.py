#!/usr/bin/env python3
"""Opens the replay and the live page in a headless browser and uses them like a person.

    check.py DRYSTONE SCENE [FOLDER]

DRYSTONE is the command, SCENE a scene file, FOLDER a place for screenshots. Exits with 0 when
everything that must be so is so.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

from devtools import Browser

READY = "!!window.drystone && drystone.state().ready"


def expect(truth, message):
    if not truth:
        raise SystemExit(f"failed: {message}")
    print(f"  ok: {message}")


def state(browser):
    return browser.evaluate("drystone.state()")


def seek(browser, frame):
    browser.evaluate(f"drystone.seek({frame})")
    browser.wait(f"document.getElementById('scrub').value == {frame}")


def check_replay(browser, page, folder):
    print(f"replay: {page.name}, {page.stat().st_size / 1024:.0f} KB")
    browser.open(page.as_uri())
    browser.wait(READY)
    first = state(browser)
    expect(first["frames"] > 60, f"{first['frames']} frames of {first['bodies']} bodies")
    expect(first["playing"], "it plays by itself")
    time.sleep(2.5)
    moved = state(browser)
    expect(moved["frame"] > first["frame"], f"time goes on ({moved['rate']:.0f} pictures/s in software)")
    browser.evaluate("drystone.play(false)")
    last = first["frames"] - 1
    seek(browser, 0)
    start = state(browser)
    seek(browser, last)
    end = state(browser)
    expect(start["time"] < end["time"], f"it scrubs from {start['time']:.2f} s to {end['time']:.2f} s")
    seek(browser, last // 2)
    middle = browser.evaluate("drystone.page.view.places.flat().join()")
    seek(browser, 3)
    seek(browser, last // 2)
    again = browser.evaluate("drystone.page.view.places.flat().join()")
    expect(middle == again, "a frame looks the same however it was reached")
    for part in (0, 0.5, 1):
        seek(browser, round(part * last))
        covered = browser.evaluate("drystone.coverage()")
        expect(covered > 0.03, f"at {part:.0%} the picture is not empty ({covered:.0%} covered)")
        browser.screenshot(folder / f"{page.stem}-{round(100 * part)}.png")
    check_hands(browser, page, folder)
    expect(not state(browser)["errors"], "the page reports no error")
    expect(not browser.complaints, "the console is silent " + str(browser.complaints)[:600])


def check_hands(browser, page, folder):
    """Mouse and keys."""
    browser.click_element("contacts")
    browser.wait("drystone.state().points > 0", 10)
    expect(True, f"contacts are drawn ({state(browser)['points']} points)")
    browser.click_element("boxes")
    # Somewhere in the middle column there is a body.
    for y in range(150, 600, 25):
        browser.click(640, y)
        if state(browser)["chosen"] >= 0:
            break
    browser.wait("drystone.state().chosen >= 0 && drystone.state().info.includes('position')", 10)
    expect(True, "a click tells about a body")
    time.sleep(0.3)
    browser.screenshot(folder / f"{page.stem}-selected.png")
    before = browser.evaluate("drystone.page.camera.yaw")
    browser.drag([(900, 300), (950, 310), (1020, 320)])
    expect(browser.evaluate("drystone.page.camera.yaw") != before, "dragging turns the camera")
    for colour in ("island", "solver", "speed"):
        browser.evaluate(f"document.getElementById('colour').value = '{colour}';"
                         "document.getElementById('options').dispatchEvent(new Event('change'))")
        time.sleep(0.3)
        browser.screenshot(folder / f"{page.stem}-{colour}.png")
    browser.click(1270, 500)
    browser.press("Home", "Home")
    browser.wait("drystone.state().frame === 0", 10)
    browser.press("ArrowRight", "ArrowRight")
    browser.wait("drystone.state().frame === 1", 10)
    browser.press(" ", "Space")
    browser.wait("drystone.state().playing", 10)
    browser.click_element("play")
    browser.wait("!drystone.state().playing", 10)
    expect(True, "keys and buttons step and play")


def check_live(browser, command, scene, folder):
    print("live page")
    server = subprocess.Popen([command, "view", scene, "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        address = ""
        while "http://127.0.0.1:" not in address:
            address = server.stdout.readline()
            expect(address, "the address is printed")
        address = address[address.index("http://"):].split()[0]
        browser.open(address)
        browser.wait(READY)
        browser.wait("drystone.state().frames > 10")
        bodies = state(browser)["bodies"]
        browser.click_element("play")
        browser.wait("!drystone.state().playing")
        time.sleep(0.5)
        held = state(browser)["frames"]
        time.sleep(0.5)
        expect(state(browser)["frames"] == held, "pause holds the scene")
        browser.click_element("next")
        browser.wait(f"drystone.state().frames === {held + 1}")
        expect(True, "one step at a time")
        browser.click_element("play")
        browser.click_element("throw")
        browser.wait(f"drystone.state().bodies === {bodies + 1}")
        expect(True, "a ball is thrown")
        check_dragging(browser, bodies)
        browser.screenshot(folder / "live.png")
        browser.click_element("reset")
        browser.wait(f"drystone.state().bodies === {bodies} && drystone.state().time < 1.5")
        expect(True, "reset builds the scene anew")
        expect(browser.evaluate("drystone.coverage()") > 0.03, "the picture is not empty")
        expect(not browser.complaints, "the console is silent " + str(browser.complaints)[:600])
        browser.close_page()
        expect(server.wait(20) == 0, "closing the page ends the command")
    finally:
        server.kill()


def check_dragging(browser, bodies):
    """A body of the scene, not the ball, follows the mouse: the highest one that a pixel shows,
    since least rests on it."""
    found = browser.evaluate("""(() => {
        const { page } = drystone;
        const canvas = document.getElementById('view').getBoundingClientRect();
        let best = null;
        for (let y = 10; y < canvas.height; y += 10) for (let x = 10; x < canvas.width; x += 10) {
            const hit = page.renderer.pick(page.camera, x, y);
            if (!hit || hit.body >= BODIES || page.tape.bodies[hit.body].k !== 2) continue;
            if (!best || hit.point[1] > best[3]) best = [canvas.x + x, canvas.y + y, hit.body, hit.point[1]];
        }
        return best;
    })()""".replace("BODIES", str(bodies)))
    expect(found, "there is a body to take hold of")
    x, y, body, _ = found
    place = f"drystone.page.view.places[{body}].slice()"
    start = browser.evaluate(place)
    browser.drag([(x, y), (x + 20, y - 20), (x + 60, y - 60), (x + 100, y - 100), (x + 140, y - 120)], pause=0.4)
    end = browser.evaluate(place)
    moved = sum((a - b) ** 2 for a, b in zip(start, end)) ** 0.5
    size = browser.evaluate("drystone.page.camera.size")
    expect(0.02 * size < moved < 2 * size, f"the body follows the mouse ({moved:.2f} m of a scene of {size:.1f} m)")


def main():
    command, scene = sys.argv[1], sys.argv[2]
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="drystone-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    page = folder.resolve() / (pathlib.Path(scene).stem + ".html")
    subprocess.run([command, "view", scene, "-o", str(page), "--seconds", "4"], check=True)
    browser = Browser()
    try:
        check_replay(browser, page, folder)
        check_live(browser, command, scene, folder)
    finally:
        browser.end()
    print(f"pictures in {folder}")


main()

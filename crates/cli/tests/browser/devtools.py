"""Drives a headless Chromium over a pipe: the DevTools protocol without any package."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
]


def find_browser():
    """The path of Chromium, installed from Debian's packages when it is missing."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=True,
                       stdout=subprocess.DEVNULL)
        return shutil.which("chromium")
    raise SystemExit("no Chromium: install it, or run as root where apt-get can")


class Browser:
    """One browser with one page."""

    def __init__(self, width=1280, height=800):
        self.profile = tempfile.mkdtemp(prefix="drystone-browser-")
        to_browser, self.send_end = os.pipe()
        self.receive_end, from_browser = os.pipe()
        # The browser expects its pipe at 3 and 4; the shell puts it there.
        command = [find_browser(), *FLAGS, f"--user-data-dir={self.profile}",
                   f"--window-size={width},{height}", "about:blank"]
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser} 2>/dev/null'
        self.process = subprocess.Popen(["bash", "-c", script, "browser", *command],
                                        pass_fds=[to_browser, from_browser],
                                        stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.pending = b""
        self.number = 0
        self.session = None
        self.complaints = []
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 120
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def receive(self, deadline):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.receive_end], [], [], deadline - time.monotonic())
            if not ready:
                raise RuntimeError("the browser does not answer")
            got = os.read(self.receive_end, 1 << 16)
            if not got:
                raise RuntimeError("the browser has ended")
            self.pending += got
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        """Keeps what the page complains about."""
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        elif event.get("method") == "Runtime.consoleAPICalled":
            if parameters["type"] in ("error", "warning", "assert"):
                self.complaints.append(str([a.get("value") for a in parameters["args"]]))
        elif event.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            # The software renderer says that reading pixels back is slow; here it is meant to.
            if entry["level"] in ("error", "warning") and "ReadPixels" not in entry["text"]:
                self.complaints.append(entry["text"])

    def open(self, address):
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        """Waits until a JavaScript expression is true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.evaluate(condition):
                return
            time.sleep(0.1)
        raise RuntimeError(f"in {seconds} s not true: {condition}; {str(self.complaints)[:600]}")

    def mouse(self, kind, x, y, button="left", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                  clickCount=1, **more)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, points, button="left", pause=0.0):
        self.mouse("mousePressed", *points[0], button=button)
        for point in points[1:]:
            self.mouse("mouseMoved", *point, button=button, buttons=1)
            time.sleep(pause)
        self.mouse("mouseReleased", *points[-1], button=button)

    def click_element(self, name):
        box = self.evaluate(f"(() => {{ const r = document.getElementById('{name}')"
                            ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        self.click(*box)

    def press(self, key, code):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code,
                      **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close_page(self):
        session, self.session = self.session, None
        self.call("Target.closeTarget", targetId=self.target)
        self.session = session

    def end(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

# SPDX-License-Identifier: Apache-2.0
"""The parts of a scripted day: the report, commands, the outside world, and the two programs under observation,
`transferctl conditions --watch` and `transferctl get`.
"""
import datetime
import json
import os
import subprocess
import threading
import time


class StepError(Exception):
    """The failure of a step."""


class Report:
    """The serial line to the host that booted the laptop."""

    def __init__(self, path="/dev/ttyS1"):
        subprocess.check_call(["stty", "-F", path, "raw", "-echo"])
        self.line = open(path, "r+b", buffering=0)

    def say(self, text):
        self.line.write((text + "\n").encode())

    def request(self, text):
        """Sends the host a request that the laptop cannot fulfill itself."""
        self.say("HOST " + text)
        reply = b""
        while not reply.endswith(b"\n"):
            reply += self.line.read(1)
        if reply != b"ok\n":
            raise StepError(f"the host rejected {text}: {reply.decode()}")


def run(command, **options):
    """Runs a command and returns its output. A string is split at spaces."""
    words = command.split() if isinstance(command, str) else command
    begin = time.monotonic()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    # The console log shows where the time was spent.
    print(f"[{begin:.1f}] {' '.join(words)}: {time.monotonic() - begin:.1f} s", flush=True)
    if done.returncode != 0:
        raise StepError(f"{' '.join(words)} failed ({done.returncode}): {done.stdout.strip()}")
    return done.stdout


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def await_truth(what, truth, seconds=60):
    """Waits until `truth()` returns a true value, and returns this value."""
    end = time.monotonic() + seconds
    while True:
        found = truth()
        if found:
            return found
        if time.monotonic() > end:
            raise StepError(f"timed out after {seconds} s, waiting until: {what}")
        time.sleep(0.05)


def seconds_of(text):
    """Returns the seconds since 1970 of an RFC 3339 time."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Followed:
    """A program that writes one JSON object per line."""

    def __init__(self, command):
        self.lines = []
        self.errors = open("/tmp/errors-of-" + command[1], "w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd="/tmp")
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def error_text(self):
        self.errors.seek(0)
        return self.errors.read()[-2000:]


class Facts(Followed):
    """The output of `transferctl conditions --watch --json`."""

    KEYS = {"power": "power", "network": "network", "kind": "linkKind", "metered": "metered", "sleep": "sleep",
            "connection": "connection", "interface": "interface", "underlay": "underlay"}

    def __init__(self, transferctl):
        super().__init__([transferctl, "conditions", "--watch", "--json"])

    def now(self):
        """Returns the newest snapshot, with the keys of `KEYS` and the battery level."""
        if self.process.poll() is not None:
            raise StepError(f"transferctl conditions ended with {self.process.returncode}: {self.error_text()}")
        return self.of(self.lines[-1]) if self.lines else {}

    def of(self, line):
        facts = {name: line[key]["value"] for name, key in self.KEYS.items()}
        facts["level"] = line["battery"]["level"]
        return facts

    def since(self, name):
        """Returns the time since which the condition has its current value."""
        return seconds_of(self.lines[-1][self.KEYS[name]]["since"])

    def source(self, name):
        return self.lines[-1][self.KEYS[name]]["source"]


class Transfer(Followed):
    """The output of `transferctl get --json`."""

    def __init__(self, transferctl, *arguments):
        super().__init__([transferctl, "get", "--json", *arguments])

    def turns(self):
        """Returns the starts and stops so far."""
        return [line for line in self.lines if line["event"] in ("waiting", "started", "paused", "retrying")]

    def runs(self):
        turns = self.turns()
        return bool(turns) and turns[-1]["event"] == "started"

    def reasons(self):
        turns = self.turns()
        return [] if self.runs() or not turns else sorted({reason["code"] for reason in turns[-1]["reasons"]})

    def bytes(self):
        return max([line["bytes"] for line in self.lines if line.get("bytes") is not None], default=0)

    def alive(self):
        if self.process.poll() is not None:
            last = self.lines[-1] if self.lines else "nothing"
            raise StepError(f"transferctl get ended early with {self.process.returncode}: {last} {self.error_text()}")
        return True


class World:
    """The world outside the laptop: a network namespace with the far ends of the links and a server."""

    SERVER = "198.51.100.1"

    def __init__(self, file, rate):
        """Creates the namespace and starts a server for `file`."""
        self.file = file
        run("ip netns add world")
        self.batch("link set lo up", f"addr add {self.SERVER}/32 dev lo")
        os.makedirs("/tmp/world")
        self.start_server(rate)
        self.access_point = None

    def run(self, command):
        return run("ip netns exec world " + command)

    def batch(self, *commands):
        """Runs several `ip` commands at once, because starting a program is slow here."""
        run("ip -netns world -batch -", input="\n".join(commands))

    def start_server(self, rate):
        """Starts the server. `rate` is in bytes per second for each connection, or 0 for no limit."""
        write("/tmp/world/nginx.conf", f"""
            daemon off; master_process off; pid /tmp/world/pid; error_log /tmp/world/nginx.log;
            events {{}}
            http {{
                access_log /tmp/world/access.log; default_type application/octet-stream;
                client_body_temp_path /tmp/world/body; proxy_temp_path /tmp/world/proxy;
                fastcgi_temp_path /tmp/world/fastcgi; uwsgi_temp_path /tmp/world/uwsgi;
                scgi_temp_path /tmp/world/scgi;
                server {{ listen 80; root {os.path.dirname(self.file)}; limit_rate {rate}; }}
            }}""")
        self.server = subprocess.Popen(
            ["ip", "netns", "exec", "world", "nginx", "-p", "/tmp/world", "-c", "/tmp/world/nginx.conf",
             "-e", "/tmp/world/nginx.log"])

    def restart_server(self, rate):
        self.server.kill()
        self.server.wait()
        self.start_server(rate)

    def adopt(self, device, name, address):
        """Moves a device of the laptop into the namespace, as the far end of a link."""
        run("ip -batch -", input=f"link set {device} down\nlink set {device} name {name}\nlink set {name} netns world")
        self.batch(f"addr add {address}/24 dev {name}", f"link set {name} up")

    def serve_addresses(self):
        """Starts a DHCP server for all present and future links. The phone's link is marked metered, as on Android."""
        self.addresses = subprocess.Popen(
            ["ip", "netns", "exec", "world", "dnsmasq", "--no-daemon", "--port=0", "--bind-dynamic", "--leasefile-ro",
             "--pid-file=", "--conf-file=/dev/null", "--dhcp-authoritative", "--no-ping", "--interface=cable",
             "--interface=air", "--interface=phone", "--dhcp-range=10.1.0.10,10.1.0.20,1h",
             "--dhcp-range=10.7.0.10,10.7.0.20,1h", "--dhcp-range=set:phone,192.168.42.10,192.168.42.20,1h",
             "--dhcp-option-force=tag:phone,43,ANDROID_METERED"])

    def start_access_point(self):
        write("/tmp/world/hostapd.conf", """
            interface=air
            driver=nl80211
            ssid=Home
            hw_mode=g
            channel=1
            wpa=2
            wpa_key_mgmt=WPA-PSK
            wpa_passphrase=long enough
            rsn_pairwise=CCMP
            """.replace("            ", ""))
        self.run("ip link set air up")
        with open("/tmp/world/hostapd.log", "w") as log:
            self.access_point = subprocess.Popen(
                ["ip", "netns", "exec", "world", "hostapd", "/tmp/world/hostapd.conf"], stdout=log)
        await_truth("the access point is on", lambda: "AP-ENABLED" in open("/tmp/world/hostapd.log").read())

    def kill_access_point(self):
        """Ends the access point without any notice to clients, as a power cut does."""
        self.access_point.kill()
        self.access_point.wait()
        self.run("ip link set air down")

    def sent(self):
        """Returns the bytes sent to the laptop over each link, as counted by the kernel."""
        with open(f"/proc/{self.server.pid}/net/dev") as table:
            rows = [line.replace(":", " ").split() for line in table.readlines()[2:]]
        return {row[0]: int(row[9]) for row in rows if row[0] in ("cable", "air", "phone")}

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A laptop's day: day.py TRANSFERCTL BUILD. Runs as root under systemd in the virtual laptop. BUILD is the folder with
the kernel modules, the file to download, and its checksum.

`transferctl get --discretionary` downloads a file from a slow server during the whole day. At each step,
`transferctl conditions` must publish the expected conditions, and bytes must move over the expected link or over no
link. The kernel counts the bytes at the server's end.
"""
import os
import sys
import time
import traceback

from laptop import Facts, Report, Transfer, StepError, World, await_truth, run, seconds_of, write

TRANSFERCTL, BUILD = sys.argv[1:]
FILE = f"{BUILD}/file.bin"
# Bytes per second. The file lasts the whole day, and one second shows whether bytes move.
RATE = 100_000
MOVED = 50_000
# The bytes allowed on links that carry no transfer: beacons, DHCP, ARP, handshakes.
IDLE = 10_000
# The total bytes allowed over the phone: DHCP, and the response head that shows that the VPN works.
PHONE = 30_000
PROFILES = "/etc/NetworkManager/system-connections"
WIRED = """[connection]
id=wired
type=ethernet
interface-name=eth0
[ipv6]
method=disabled
"""
AIR = """[connection]
id=air
type=wifi
interface-name=wlan0
autoconnect=false
[wifi]
ssid=Home
[wifi-security]
key-mgmt=wpa-psk
psk=long enough
[ipv6]
method=disabled
"""
PHONE_PROFILE = """[connection]
id=phone
type=ethernet
[match]
driver=rndis_host
[ipv6]
method=disabled
"""
STEP_SECONDS = 120
# The maximum seconds between a cause and its effect. This limit attributes effects; speed is measured elsewhere.
LATEST = 30


class Day:
    def __init__(self):
        self.report = Report()
        self.number = 0
        self.title = "start"

    def row(self, number, step, facts, moved, after, seconds):
        self.report.say(f"{number:>2}  {step:<34}  {facts:<62}  {moved:<18}  {after:<22}  {seconds:>5}")

    def prepare(self):
        """Prepares the hardware, the outside world, and the services that systemd starts on a laptop."""
        with open(f"{FILE}.sha256") as file:
            self.sum = file.read().split()[0]
        for command in (f"insmod {BUILD}/modules/fake_power.ko", "modprobe mac80211_hwsim radios=2",
                        "ip link set lo up"):
            run(command)
        self.world = World(FILE, RATE)
        # The laptop owns the first of two cable ends and the first of two radios, eth0 and wlan0.
        self.world.adopt("eth1", "cable", "10.1.0.1")
        radio = os.path.basename(os.path.realpath("/sys/class/net/wlan1/phy80211"))
        run(f"iw phy {radio} set netns name world")
        self.world.batch("link set wlan1 name air", "addr add 10.7.0.1/24 dev air")
        self.world.start_access_point()
        self.world.serve_addresses()
        # NetworkManager requires a profile folder that no other user may read.
        os.makedirs(PROFILES, mode=0o700)
        os.umask(0o077)
        write(f"{PROFILES}/wired.nmconnection", WIRED)
        write(f"{PROFILES}/air.nmconnection", AIR)
        write(f"{PROFILES}/phone.nmconnection", PHONE_PROFILE)
        os.umask(0o022)
        # udevd must learn of the devices that existed before it, or NetworkManager waits for udevd forever.
        run("udevadm trigger --action=add --subsystem-match=net --subsystem-match=power_supply")
        run("udevadm settle")
        run("systemctl start upower wpa_supplicant NetworkManager")
        run("nm-online --quiet --timeout=60")

    def watch(self):
        self.facts = Facts(TRANSFERCTL)
        self.transfer = Transfer(
            TRANSFERCTL, "--discretionary", "-d", "/tmp/arrived", "--state-dir", "/tmp/state", "--checksum",
            f"sha256:{self.sum}", f"http://{self.world.SERVER}/file.bin")

    def expect(self, facts):
        """Waits until the named conditions have the expected values. A tuple allows several values."""
        def fit():
            now = self.facts.now()
            return now and all(now[name] in (value if isinstance(value, tuple) else (value,))
                               for name, value in facts.items())
        try:
            await_truth("the expected conditions", fit, STEP_SECONDS)
        except StepError as error:
            raise StepError(f"{error}\n  expected {facts}\n  published {self.facts.now()}")

    def await_bytes(self, link):
        """Waits until bytes move over `link`, and verifies that no other link carries them."""
        before, had = self.world.sent(), self.transfer.bytes()

        def moved():
            return self.transfer.alive() and self.world.sent()[link] - before[link] > MOVED \
                and self.transfer.bytes() > had
        await_truth(f"bytes move over {link}; the transfer waits for {self.transfer.reasons()}", moved, STEP_SECONDS)
        now = self.world.sent()
        for other in now:
            if other != link and now[other] - before.get(other, 0) > IDLE:
                raise StepError(f"bytes also move over {other}: {before} {now}")
        return f"yes, over {link}"

    def await_silence(self):
        """Waits until the transfer has stopped, and verifies for a while that no link carries bytes."""
        await_truth("the transfer waits", lambda: self.transfer.alive() and not self.transfer.runs(), STEP_SECONDS)
        before, had = self.world.sent(), self.transfer.bytes()
        # The server keeps sending into an unplugged cable for a moment, including retransmissions.
        end, quiet = time.monotonic() + 15, 0
        while quiet < 20:
            time.sleep(0.1)
            quiet += 1
            now = self.world.sent()
            moved = {link: now[link] - before.get(link, 0) for link in now}
            if self.transfer.bytes() > had:
                raise StepError(f"the file grows although the transfer waits for {self.transfer.reasons()}: {moved}")
            if any(count > IDLE for count in moved.values()):
                if time.monotonic() > end:
                    raise StepError(f"bytes move although the transfer waits for {self.transfer.reasons()}: {moved}")
                before, quiet = now, 0
            if self.transfer.runs():
                raise StepError("the transfer restarted too early")
            if now.get("phone", 0) > PHONE:
                raise StepError(f"{now['phone']} bytes were sent over the phone, which is metered")
        return "no"

    def delay(self, turn, shortest, longest):
        """Verifies the time between a change of a condition and the transfer's start or pause.

        Only the transfer's own output counts, because another program may learn of a change sooner or later.
        """
        turns = self.transfer.turns()
        index = max(index for index, line in enumerate(turns) if line["event"] == turn)
        event = turns[index] if turn == "paused" else turns[index - 1]
        reasons = [reason for reason in event["reasons"] if turn == "paused" or reason["code"] == "settling"]
        if not reasons:
            raise StepError(f"{turn} without a debounce reason: {event}")
        changed = max(seconds_of(reason["since"]) for reason in reasons)
        seconds = seconds_of(turns[index]["time"]) - changed
        # Times are printed with millisecond precision.
        if not shortest - 0.002 <= seconds <= longest:
            raise StepError(f"{turn} {seconds:.3f} s after the change, expected {shortest} to {longest} s: {event}")
        return f"{turn} after {seconds:.1f} s"

    def step(self, title, change, facts, link=None, reasons=None, turn=None):
        """Makes a change, and checks the conditions and the bytes. `turn` is (event, shortest, longest)."""
        self.number += 1
        self.title = title
        begin = time.monotonic()
        change()
        self.expect(facts)
        moved = self.await_bytes(link) if link else self.await_silence()
        if reasons and not set(reasons) <= set(self.transfer.reasons()):
            raise StepError(f"the transfer waits for {self.transfer.reasons()}, expected {reasons}")
        after = self.delay(*turn) if turn else ""
        self.expect(facts)
        now = self.facts.now()
        level = "" if now["power"] == "ac" else f" {now['level']} %"
        text = f"{now['power']}{level}, {now['network']}"
        if now["network"] != "none":
            over = f" over {now['underlay']}" if now["underlay"] else ""
            text += f", {now['kind']} {now['interface']}{over}, metered {now['metered']} ({self.facts.source('metered')})"
        self.row(self.number, title, text, moved if link else f"no: {', '.join(self.transfer.reasons())}", after,
                 f"{time.monotonic() - begin:.1f}")

    # The changes that can happen to a laptop.

    def plug_cable(self, word):
        self.report.request(f"link cable {word}")

    def set_power(self, name, value):
        write(f"/sys/module/fake_power/parameters/{name}", str(value))

    def set_metered(self, word):
        run(f"nmcli connection modify air connection.metered {word}")

    def join_wifi(self):
        # Enables autoconnect, for example after sleep. This comes before joining: NetworkManager applies a change of
        # metered only if the profile is otherwise unchanged since its activation.
        run("nmcli connection modify air connection.autoconnect yes")

        def joined():
            try:
                return run("nmcli --wait 30 connection up air")
            except StepError:
                # An access point that has just come back is listed only after the next scan.
                return None
        await_truth("the laptop joins the Wi-Fi", joined, STEP_SECONDS)

    def plug_phone(self):
        """Plugs in a phone that shares its connection over USB: an RNDIS gadget on a loopback port."""
        run("modprobe libcomposite")
        if not os.path.ismount("/sys/kernel/config"):
            run("mount -t configfs none /sys/kernel/config")
        for module in ("dummy_hcd", "usb_f_rndis", "rndis_host"):
            run(f"modprobe {module}")
        self.gadget = "/sys/kernel/config/usb_gadget/phone"
        for folder in ("strings/0x409", "configs/c.1", "functions/rndis.usb0"):
            os.makedirs(f"{self.gadget}/{folder}")
        write(f"{self.gadget}/idVendor", "0x18d1")
        write(f"{self.gadget}/idProduct", "0x4ee3")
        write(f"{self.gadget}/strings/0x409/product", "Phone")
        os.symlink(f"{self.gadget}/functions/rndis.usb0", f"{self.gadget}/configs/c.1/rndis.usb0")
        write(f"{self.gadget}/UDC", sorted(os.listdir("/sys/class/udc"))[0])
        with open(f"{self.gadget}/functions/rndis.usb0/ifname") as file:
            inside = file.read().strip()
        self.world.adopt(inside, "phone", "192.168.42.129")

        def drivers():
            for name in os.listdir("/sys/class/net"):
                if os.path.basename(os.path.realpath(f"/sys/class/net/{name}/device/driver")) == "rndis_host":
                    return name
        self.tether = await_truth("the phone is a network interface", drivers)

    def unplug_phone(self):
        write(f"{self.gadget}/UDC", "\n")

    def start_vpn(self):
        """Starts a VPN as wg-quick does: all packets except the tunnel's own go into the tunnel."""
        run("modprobe wireguard")
        os.umask(0o077)
        for side in ("near", "far"):
            write(f"/tmp/{side}.key", run("wg genkey"))
        near, far = (run("wg pubkey", stdin=open(f"/tmp/{side}.key")).strip() for side in ("near", "far"))
        self.world.batch("link add vpn type wireguard")
        self.world.run(f"wg set vpn private-key /tmp/far.key listen-port 51820 peer {near} allowed-ips 10.66.0.2/32")
        self.world.batch("addr add 10.66.0.1/24 dev vpn", "link set vpn up")
        run("ip link add wg0 type wireguard")
        run(f"wg set wg0 private-key /tmp/near.key fwmark 51820 peer {far} allowed-ips 0.0.0.0/0 "
            "endpoint 192.168.42.129:51820")
        run("ip -batch -", input="addr add 10.66.0.2/24 dev wg0\nlink set wg0 up\n"
            "route add default dev wg0 table 51820\nrule add not fwmark 51820 table 51820\n"
            "rule add table main suppress_prefixlength 0")
        # The VPN works if the server answers through it.
        run(["curl", "--silent", "--show-error", "--max-time", "60", "--head", "--retry", "5", "--retry-connrefused",
             f"http://{self.world.SERVER}/file.bin"])
        if run("wg show wg0 latest-handshakes").split()[1] == "0":
            raise StepError("the server responded, but not through the VPN")

    def stop_vpn(self):
        run("ip -batch -", input="rule del table main suppress_prefixlength 0\n"
            "rule del not fwmark 51820 table 51820\nlink del wg0")

    def plug_modem(self):
        run(f"insmod {BUILD}/modules/fake_wwan.ko")
        run("ip -batch -", input="addr add 100.64.0.2/30 dev wwan0\nlink set wwan0 up\n"
            "route add default via 100.64.0.1 dev wwan0")

    def sleep(self):
        """Suspends with the real systemd. The kernel freezes all processes, waits 2 s, and resumes them."""
        write("/sys/power/pm_test", "freezer")
        write("/sys/module/suspend/parameters/pm_test_delay", "2")
        seen = len(self.facts.lines)
        with open("/sys/power/suspend_stats/success") as file:
            slept = file.read()
        run("systemctl suspend")

        def states():
            values = [self.facts.of(line)["sleep"] for line in self.facts.lines[seen:]]
            return "about-to-sleep" in values and values[-1] == "awake"
        await_truth("sleep is announced and ends", states, STEP_SECONDS)
        with open("/sys/power/suspend_stats/success") as file:
            if file.read() == slept:
                raise StepError("the kernel did not sleep")
        stop = [line for line in self.transfer.turns() if line["event"] == "paused"][-1]
        if [reason["code"] for reason in stop["reasons"]] != ["aboutToSleep"]:
            raise StepError(f"the last pause was not for the announced sleep: {stop}")

    def finish(self):
        """Restores the Wi-Fi and removes the rate limit, so that the rest of the file arrives quickly."""
        self.world.restart_server(0)
        run("rmmod fake_wwan")
        self.world.start_access_point()
        self.join_wifi()

    def check_file(self):
        self.title = "the file"
        status = await_truth("transferctl get ends", lambda: self.transfer.process.poll() is not None, STEP_SECONDS)
        if self.transfer.process.returncode != 0 or not status:
            raise StepError(f"transferctl get ended with {self.transfer.process.returncode}: {self.transfer.error_text()}")
        found = run("sha256sum /tmp/arrived/file.bin").split()[0]
        if found != self.sum:
            raise StepError(f"the file's sha256 is {found}, expected {self.sum}")
        self.report.say(f"The file is correct: {os.path.getsize('/tmp/arrived/file.bin')} bytes, sha256 {found}")

    def go(self):
        nothing = {"network": "none"}
        wired = {"power": "ac", "network": "full", "kind": "ethernet", "interface": "eth0", "metered": "guessNo",
                 "connection": "wired"}
        wifi = {"power": "ac", "network": "full", "kind": "wifi", "interface": "wlan0", "metered": "guessNo"}
        tether = {"network": "full", "kind": "usb-tether", "metered": "guessYes"}
        step = self.step
        self.prepare()
        self.report.say(f"Ready {time.clock_gettime(time.CLOCK_BOOTTIME):.0f} s after the kernel started\n")
        self.row(" #", "step", "published conditions", "bytes moved", "", "s")
        step("on AC and cable", self.watch, wired, "cable")
        step("cable out", lambda: self.plug_cable("off"), nothing, reasons=["noNetwork"],
             turn=("paused", 0, LATEST))
        step("cable in", lambda: self.plug_cable("on"), wired, "cable", turn=("started", 5, LATEST))
        step("Wi-Fi joined, the cable preferred", self.join_wifi, wired, "cable")
        step("cable out, Wi-Fi remains", lambda: self.plug_cable("off"), wifi, "air")
        step("metered by its profile", lambda: self.set_metered("yes"), {**wifi, "metered": "yes"},
             reasons=["metered"], turn=("paused", 0, LATEST))
        step("not metered", lambda: self.set_metered("no"), {**wifi, "metered": "no"}, "air",
             turn=("started", 5, LATEST))
        step("AC unplugged", lambda: self.set_power("ac_online", 0), {"power": "battery"}, reasons=["onBattery"],
             turn=("paused", 5, LATEST))
        step("battery at 9 %", lambda: self.set_power("capacity", 9), {"power": "battery", "level": 9},
             reasons=["onBattery"])
        step("AC plugged in", lambda: self.set_power("ac_online", 1), {**wifi, "metered": "no"}, "air",
             turn=("started", 10, LATEST))
        step("phone shares its connection (USB)", self.plug_phone, tether, reasons=["metered"],
             turn=("paused", 0, LATEST))
        step("VPN over the phone (WireGuard)", self.start_vpn,
             {**tether, "interface": "wg0", "underlay": self.tether}, reasons=["metered"])
        step("VPN ends", self.stop_vpn, tether, reasons=["metered"])
        step("phone unplugged", self.unplug_phone, {**wifi, "metered": "no"}, "air")
        step("sleeps and wakes", self.sleep, {**wifi, "metered": "no", "sleep": "awake"}, "air")
        step("access point fails", self.world.kill_access_point, nothing, reasons=["noNetwork"])
        step("modem", self.plug_modem, {"network": "full", "kind": "cellular", "metered": ("unknown", "guessYes")},
             reasons=["metered"])
        step("access point back, no modem", self.finish, {**wifi, "metered": "no"}, "air")
        self.check_file()


day = Day()
try:
    day.go()
    result = 0
except Exception as error:
    result = 1
    day.report.say(f"FAILED at \"{day.title}\": {error}")
    if not isinstance(error, StepError):
        day.report.say(traceback.format_exc())
    for name in ("facts", "transfer"):
        lines = getattr(day, name).lines if hasattr(day, name) else []
        for line in lines[-12:]:
            day.report.say(f"{name}: {line}")
    day.report.say(run("journalctl --no-pager -o short-monotonic -n 60"))
    day.report.say(run("ip addr") + run("ip route") + run("ip netns exec world ip addr") + run("nmcli device"))
day.report.say(f"RESULT {result}")

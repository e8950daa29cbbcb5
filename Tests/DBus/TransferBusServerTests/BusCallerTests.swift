// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol

@testable import TransferBusServer

/// Tests with the control groups of running desktops and of systemd's documentation for desktop environments.
@Suite("C1, C4: classification of callers")
struct BusCallerTests {
    private static let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/"

    /// The facts about a program outside any sandbox.
    static func facts(_ executable: String = "/usr/bin/x", cgroup: String = "") -> ProcessFacts {
        var facts = ProcessFacts()
        (facts.executable, facts.cgroup) = (executable, cgroup)
        (facts.hasSameRoot, facts.mountNamespace, facts.ownMountNamespace) = (true, 1, 1)
        return facts
    }

    private func caller(
        _ facts: ProcessFacts, names: Set<String> = [], trusted: Set<String> = [], launched: String? = nil
    ) -> BusCaller {
        CallerClassifier(daemonFolder: "/opt/transfer/bin", trusted: trusted)
            .caller(":1.7", process: 42, facts, ownedNames: names, launched: launched)
    }

    @Test(
        "An app is identified by its unit, regardless of the launcher",
        arguments: [
            ("app-gnome-org.gnome.Evolution-12345.scope", "org.gnome.Evolution"),
            ("app-org.kde.amarok-9f3c.scope", "org.kde.amarok"),
            ("app-KDE-org.kde.okular@1234.service", "org.kde.okular"),
            ("app-com.example.my\\x2dapp@autostart.service", "com.example.my-app"), ("syncthing.service", "syncthing"),
            ("person.service", "app:person"), ("rpc.service", "app:rpc"), ("sandbox:x#1.service", "app:sandbox:x#1"),
        ])
    func units(unit: String, app: String) {
        let caller = caller(Self.facts("/usr/bin/python3.11", cgroup: Self.user + unit + "\n"))
        #expect(caller.app == app)
        #expect(caller.kind == .app)
        #expect(!caller.reaches(BusCaller.person))
    }

    @Test(
        "A program in a terminal, in a login session, or in the daemon's unit is identified by its executable",
        arguments: [
            user + "app-org.gnome.Terminal.slice/vte-spawn-7f.scope", user + "transferd.service",
            "0::/user.slice/user-1000.slice/session-3.scope", "", "0::/",
        ])
    func terminals(cgroup: String) {
        #expect(caller(Self.facts("/opt/u/bin/tool", cgroup: cgroup)).app == "/opt/u/bin/tool")
    }

    @Test("Only the transfer-rpc of this installation acts for RPC callers, and no other program can take their name")
    func rpc() {
        for path in ["/opt/transfer/bin/transfer-rpc", "/opt/transfer/libexec/background-transfer/transfer-rpc"] {
            let found = caller(Self.facts(path), names: ["org.a.B"])
            #expect(found.app == BusCaller.rpc && found.kind == .app, "\(path)")
        }
        for path in [
            "/tmp/transfer-rpc", "/libexec/background-transfer/transfer-rpc", "/opt/transfer/bin/transfer-rpc2",
        ] {
            #expect(caller(Self.facts(path)).app == path)
        }
    }

    @Test("Only the transferctl beside the daemon acts as the user")
    func persons() {
        let unit = Self.user + "app-gnome-org.x-1.scope"
        let person = caller(Self.facts("/opt/transfer/bin/transferctl", cgroup: unit), names: ["org.a.B"])
        #expect(person.isPerson && person.app == BusCaller.person)
        for other in ["/tmp/transferctl", "/opt/transfer/bin/sub/transferctl", "/usr/bin/busctl", "/usr/bin/gdbus"] {
            #expect(caller(Self.facts(other)).kind == .app)
        }
        // The daemon's folder is `nil` if others may write to the folder. No program in the folder is then trusted.
        let open = CallerClassifier(daemonFolder: nil)
        #expect(!open.caller(":1", process: 1, Self.facts("/opt/transfer/bin/transferctl")).isPerson)
    }

    @Test("Replacing a running executable does not change the app or the user")
    func replaced() {
        #expect(caller(Self.facts("/opt/app (deleted)")).app == "/opt/app")
        #expect(caller(Self.facts("/opt/transfer/bin/transferctl (deleted)")).isPerson)
    }

    @Test(
        "An app is identified by its shortest bus name that is not a shared interface",
        arguments: [
            (["org.gnome.Maps.SearchProvider", "org.gnome.Maps"], "org.gnome.Maps"),
            (["org.mpris.MediaPlayer2.vlc", "org.videolan.vlc.Player"], "org.videolan.vlc.Player"),
            ([":1.5", "org.freedesktop.Notifications", "org.transferd"], "syncthing"), ([], "syncthing"),
        ])
    func names(owned: [String], app: String) {
        #expect(caller(Self.facts(cgroup: Self.user + "syncthing.service\n"), names: Set(owned)).app == app)
    }

    @Test("A program started for its app's sessions counts as that app, unless it is in a sandbox")
    func launched() {
        #expect(caller(Self.facts(), names: ["org.a.B"], launched: "org.example.App").app == "org.example.App")
        var inside = Self.facts()
        inside.hasSameRoot = false
        #expect(caller(inside, launched: "org.example.App").isSandboxed)
    }

    // MARK: Sandboxes

    @Test("A Flatpak is identified by its id, regardless of bus names and program names")
    func flatpaks() {
        var facts = Self.facts("/opt/transfer/bin/transferctl")
        facts.flatpakInfo = "[Application]\nname=org.example.App\nruntime=x\n[Instance]\nname=wrong\n"
        let flatpak = caller(facts, names: ["org.example.Other"])
        #expect(flatpak.kind == .sandboxed(.flatpak) && flatpak.app == "org.example.App")
        facts.cgroup = Self.user + "app-flatpak-org.example.App-77.scope"
        #expect(caller(facts).app == "org.example.App")
        // Flatpak's own scope names another app, so the file is forged.
        facts.cgroup = Self.user + "app-flatpak-org.evil.App-77.scope"
        #expect(caller(facts).kind == .sandboxed(.opaque))
    }

    @Test(
        "A .flatpak-info without a valid app id means an opaque sandbox",
        arguments: [
            "", "[Instance]\nname=org.a.B\n", "[Application]\nname=\n", "[Application]\nname=--command=sh\n",
            "[Application]\nname=../x.y\n", "[Application]\nname=one\n", "[Application]\nname=a..b\n",
        ])
    func oddFlatpaks(info: String) {
        var facts = Self.facts()
        facts.flatpakInfo = info
        #expect(caller(facts).kind == .sandboxed(.opaque))
    }

    @Test(
        "A snap is identified by its security label or its control group",
        arguments: [
            ("snap.firefox.firefox (enforce)", "", "snap.firefox"), ("snap.code.url-handler", "", "snap.code"),
            ("unconfined", "0::/user.slice/snap.foo-bar.daemon-1f.scope\n", "snap.foo-bar"),
        ])
    func snaps(label: String, cgroup: String, app: String) {
        var facts = Self.facts(cgroup: cgroup)
        facts.securityLabel = label
        #expect(caller(facts).kind == .sandboxed(.snap))
        #expect(caller(facts).app == app)
    }

    @Test("A process with other files than the daemon, or without readable facts, counts as sandboxed")
    func opaque() {
        var odd: [ProcessFacts] = []
        for change: (inout ProcessFacts) -> Void in [
            { $0.hasSameRoot = false }, { $0.hasSameRoot = nil }, { $0.mountNamespace = 2 },
            { $0.mountNamespace = nil }, { $0.ownMountNamespace = nil }, { $0.executable = nil },
            { $0.isSameUser = false }, { $0.executable = "/usr/bin/xdg-dbus-proxy" },
            { $0.executable = "/usr/bin/xdg-dbus-proxy (deleted)" },
        ] {
            var facts = Self.facts("/opt/transfer/bin/transferctl")
            change(&facts)
            odd.append(facts)
        }
        for facts in odd {
            let caller = caller(facts, names: ["org.a.B"])
            #expect(caller.kind == .sandboxed(.opaque), "\(facts)")
            #expect(caller.app.hasPrefix("sandbox:"))
        }
    }

    @Test(
        "A Flatpak has the network that its context shares",
        arguments: [
            ("[Context]\nshared=network;ipc;\n", true), ("[Context]\nshared=ipc;\n", false), ("", false),
            ("[Context]\nshared=!network;\n", false), ("[Instance]\nshared=network;\n", false),
        ])
    func flatpakNetwork(context: String, hasNetwork: Bool) {
        var facts = Self.facts()
        // The bus proxy of the Flatpak has the network in any case.
        (facts.flatpakInfo, facts.hasSameNetwork) = ("[Application]\nname=org.example.App\n" + context, true)
        #expect(caller(facts).hasNetwork == hasNetwork)
    }

    @Test("Another sandbox has the network if it has the daemon's network namespace", arguments: [true, false, nil])
    func opaqueNetwork(hasSameNetwork: Bool?) {
        var facts = Self.facts()
        (facts.mountNamespace, facts.hasSameNetwork) = (2, hasSameNetwork)
        #expect(caller(facts).hasNetwork == (hasSameNetwork == true))
        facts.mountNamespace = 1
        #expect(caller(facts).hasNetwork)
    }

    @Test("Programs in the same mount namespace are one app")
    func opaqueNames() {
        var facts = Self.facts(cgroup: Self.user + "work.service\n")
        facts.mountNamespace = 2
        let first = caller(facts).app
        #expect(first == "sandbox:work.service#2")
        facts.executable = "/other"
        #expect(caller(facts).app == first)
        facts.mountNamespace = 3
        #expect(caller(facts).app != first)
        // A sandbox without a known mount namespace is identified by its connection alone.
        facts.mountNamespace = nil
        #expect(caller(facts).app == "sandbox:work.service#:1.7")
    }

    @Test("The user can admit the sandboxes of a unit, but no Flatpak and no snap")
    func trusted() {
        var facts = Self.facts(cgroup: Self.user + "work.service\n")
        facts.mountNamespace = 2
        #expect(caller(facts, trusted: ["other.service"]).isSandboxed)
        let admitted = caller(facts, trusted: ["work.service"])
        #expect(admitted.kind == .app && admitted.app == "work")
        facts.flatpakInfo = "[Application]\nname=org.example.App\n"
        #expect(caller(facts, trusted: ["work.service"]).kind == .sandboxed(.flatpak))
    }
}

// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferBus

/// The control groups are those of systemd's documentation for desktop environments and of running desktops.
@Suite struct BusCallerTests {
    private static let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/"

    @Test(
        "An app is known by its unit, whatever started it",
        arguments: [
            ("app-gnome-org.gnome.Evolution-12345.scope", "org.gnome.Evolution"),
            ("app-org.kde.amarok-9f3c.scope", "org.kde.amarok"),
            ("app-KDE-org.kde.okular@1234.service", "org.kde.okular"),
            ("app-com.example.my\\x2dapp@autostart.service", "com.example.my-app"), ("syncthing.service", "syncthing"),
        ])
    func units(unit: String, app: String) {
        let caller = BusCaller.identify(
            name: ":1.7", cgroup: Self.user + unit + "\n", executable: "/usr/bin/python3.11", flatpakInfo: nil)
        #expect(caller == BusCaller(name: ":1.7", app: app, isPerson: false))
    }

    @Test("A program in a terminal or a login is known by its executable")
    func terminals() {
        for cgroup in [
            Self.user + "app-org.gnome.Terminal.slice/vte-spawn-7f.scope",
            "0::/user.slice/user-1000.slice/session-3.scope", "", "0::/",
        ] {
            let caller = BusCaller.identify(
                name: ":1.1", cgroup: cgroup, executable: "/opt/u/bin/tool", flatpakInfo: nil)
            #expect(caller.app == "/opt/u/bin/tool", "\(cgroup)")
        }
    }

    @Test("What a person steers with acts as the person, and a Flatpak never does")
    func persons() {
        let unit = Self.user + "app-gnome-org.x-1.scope"
        let person = BusCaller.identify(name: ":1", cgroup: unit, executable: "/opt/transferctl", flatpakInfo: nil)
        #expect(person.isPerson && person.app == BusCaller.person)
        let flatpak = BusCaller.identify(
            name: ":1", cgroup: unit, executable: "/app/bin/transferctl",
            flatpakInfo: "[Application]\nname=org.example.App\nruntime=x\n[Instance]\nname=wrong\n")
        #expect(flatpak == BusCaller(name: ":1", app: "org.example.App", isPerson: false))
        let odd = BusCaller.identify(
            name: ":1", cgroup: "", executable: "/x", flatpakInfo: "[Instance]\nname=wrong\n")
        #expect(odd.app == "/x")
    }
}

extension BusCallerTests {
    @Test(
        "An app that owns a name on the bus is known by it: the shortest that is its own and no interface of many",
        arguments: [
            (["org.gnome.Maps.SearchProvider", "org.gnome.Maps"], "org.gnome.Maps"),
            (["org.mpris.MediaPlayer2.vlc", "org.videolan.vlc.Player"], "org.videolan.vlc.Player"),
            ([":1.5", "org.freedesktop.Notifications", "org.transferd"], "syncthing"), ([], "syncthing"),
        ])
    func names(owned: [String], app: String) {
        let caller = BusCaller.identify(
            name: ":1.5", cgroup: "0::/user.slice/user-1000.slice/user@1000.service/app.slice/syncthing.service\n",
            executable: "/usr/bin/x", flatpakInfo: nil, ownedNames: Set(owned))
        #expect(caller == BusCaller(name: ":1.5", app: app, isPerson: false))
    }

    @Test("A name makes no Flatpak another app, and no command line anything but the person")
    func namesAndOthers() {
        let flatpak = BusCaller.identify(
            name: ":1", cgroup: "", executable: "/x", flatpakInfo: "[Application]\nname=org.example.App\n",
            ownedNames: ["org.example.App.Helper"])
        #expect(flatpak.app == "org.example.App")
        let person = BusCaller.identify(
            name: ":1", cgroup: "", executable: "/usr/bin/transferctl", flatpakInfo: nil, ownedNames: ["org.a.B"])
        #expect(person.isPerson)
    }
}

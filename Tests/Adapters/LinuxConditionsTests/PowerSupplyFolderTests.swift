// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxConditions

@Suite("Reading the power_supply class")
struct PowerSupplyFolderTests {
    /// Calls `body` with a fake sysfs that contains these files below `class/power_supply`.
    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sysfs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let base = root.appendingPathComponent("class/power_supply")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        for (path, text) in files {
            let url = base.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        try body(root.path)
    }

    @Test("All supplies are read in order of name, without line feeds")
    func reads() throws {
        try withFolder([
            "BAT0/type": "Battery\n", "BAT0/status": "Not charging\n", "BAT0/capacity": "79\n", "BAT0/present": "1\n",
            "AC/type": "Mains\n", "AC/online": "1\n", "hid-mouse/type": "Battery\n", "hid-mouse/scope": "Device\n",
        ]) { root in
            #expect(
                PowerSupplyFolder(sysfsRoot: root).read()?.compactMap { PowerSupply(of: $0) } == [
                    PowerSupply(name: "AC", type: "Mains", online: "1"),
                    PowerSupply(name: "BAT0", type: "Battery", status: "Not charging", capacity: "79", present: "1"),
                    PowerSupply(name: "hid-mouse", type: "Battery", scope: "Device"),
                ])
        }
    }

    @Test("Energy, charge, and the roles of USB-C ports are read; an unreadable file counts as missing")
    func odd() throws {
        try withFolder([
            "BAT0/type": "Battery\n", "BAT0/energy_now": "1\n", "BAT0/energy_full": "2\n", "BAT0/charge_now": "3\n",
            "BAT0/charge_full": "4\n", "BAT0/voltage_now": "5\n", "UCSI/type": "USB\n", "UCSI/online": "1\n",
            "UCSI/device/typec/port0/power_role": "source [sink]\n", "UCSI/device/typec/port1/power_role": "[source]\n",
        ]) { root in
            // Reading the first page of a process's own memory fails with EIO.
            try FileManager.default.createSymbolicLink(
                atPath: root + "/class/power_supply/BAT0/status", withDestinationPath: "/proc/self/mem")
            #expect(SmallFile.content(root + "/class/power_supply/BAT0/status") == .failed(EIO))
            #expect(
                PowerSupplyFolder(sysfsRoot: root).read()?.compactMap { PowerSupply(of: $0) } == [
                    PowerSupply(
                        name: "BAT0", type: "Battery",
                        content: .init(energyNow: "1", energyFull: "2", chargeNow: "3", chargeFull: "4", voltage: "5")),
                    PowerSupply(name: "UCSI", type: "USB", online: "1", portRoles: ["source [sink]", "[source]"]),
                ])
        }
    }

    @Test("A class without supplies is empty, and a missing class is nil")
    func empty() throws {
        try withFolder([:]) { root in
            #expect(PowerSupplyFolder(sysfsRoot: root).read()?.compactMap { PowerSupply(of: $0) } == [])
            #expect(PowerSupplyFolder(sysfsRoot: root + "/elsewhere").read() == nil)
        }
    }

    @Test("A device's files count only if the index matches")
    func deviceFiles() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sysfs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appendingPathComponent("class/net/wlp2s0")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("phy80211"), withIntermediateDirectories: true)
        try "7\n".write(to: folder.appendingPathComponent("ifindex"), atomically: true, encoding: .utf8)
        try "DEVTYPE=wlan\nINTERFACE=wlp2s0\nIFINDEX=7\n".write(
            to: folder.appendingPathComponent("uevent"), atomically: true, encoding: .utf8)
        let driver = root.appendingPathComponent("drivers/iwlwifi")
        try FileManager.default.createDirectory(at: driver, withIntermediateDirectories: true)
        let device = folder.appendingPathComponent("device")
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: device.appendingPathComponent("driver"), withDestinationURL: driver)
        let reader = DeviceFilesReader(sysfsRoot: root.path)
        #expect(
            reader.read(name: "wlp2s0", index: 7)
                == LinkDescription.DeviceFiles(deviceType: "wlan", isWireless: true, driver: "iwlwifi"))
        #expect(reader.read(name: "wlp2s0", index: 8) == nil)
        #expect(reader.read(name: "eth0", index: 7) == nil)
    }
}

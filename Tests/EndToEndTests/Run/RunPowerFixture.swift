// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A machine whose plug the test controls, and a command on it that counts.
struct RunPowerFixture {
    let bus: PrivateBus
    let power: PowerFixture
    var program: Transferctl

    /// Starts a machine with or without AC power.
    init(pluggedIn: Bool) async throws {
        bus = try await PrivateBus()
        power = try await PowerFixture(bus: bus)
        try await power.spawn()
        if !pluggedIn { try await power.setAC(false) }
        program = try Transferctl(environment: bus.environment)
    }

    /// Starts `transferctl run --when ac` with a command that appends a letter to a file ten times a second. Its child
    /// does the work, so that more than one process must be frozen. The command ends with status 5 when the file `stop`
    /// appears.
    func start(_ options: String...) throws -> Transferctl.Run {
        let script = """
            trap 'echo ended >> signals; exit 6' TERM
            echo start >> starts
            while ! [ -e stop ]; do printf x >> count; sleep 0.1; done &
            wait
            exit 5
            """
        return try program.start(
            ["run", "--when", "ac", "--sysfs-root", power.sysfsRoot] + options + ["--", "sh", "-c", script])
    }

    /// The number of letters.
    var count: Int {
        let path = program.downloads + "/count"
        return ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }

    /// The lines of a file that the command has written.
    func lines(_ name: String) -> [String] {
        let text = (try? String(contentsOfFile: program.downloads + "/" + name, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits until the command counts, and returns the seconds until then.
    @discardableResult
    func awaitCounting(within seconds: Double) async throws -> Double {
        let (before, began) = (count, Date())
        try await waitUntil("the command counts", within: seconds, watching: .files(in: program.downloads)) {
            count > before
        }
        return Date().timeIntervalSince(began)
    }

    /// Waits until the command has not counted for a second, and returns the seconds until the last letter.
    func awaitSilence(within seconds: Double) async throws -> Double {
        try await Counting.awaitSilence(in: program.downloads, within: seconds) { count }
    }

    /// Waits until a file that the command writes has these lines.
    func awaitLines(_ lines: [String], in name: String, within seconds: Double) async throws {
        try await waitUntil("\(name) has \(lines)", within: seconds, watching: .files(in: program.downloads)) {
            self.lines(name) == lines
        }
    }

    /// Lets the command end by itself.
    func letEnd() throws { try Data().write(to: URL(fileURLWithPath: program.downloads + "/stop")) }

    func end() async {
        try? letEnd()
        await power.end()
        await bus.end()
    }
}

/// A command or a unit that appends a letter to a file ten times a second.
enum Counting {
    /// Waits until nothing has been counted for a second, and returns the seconds until the last letter.
    static func awaitSilence(in folder: String, within seconds: Double, count: () -> Int) async throws -> Double {
        let (watch, began) = (try Watch.files(in: folder), Date())
        var (last, since) = (count(), began)
        // Other files of the folder may change.
        while try await watch.change(within: 1 - Date().timeIntervalSince(since)) {
            if count() != last { (last, since) = (count(), Date()) }
            guard Date().timeIntervalSince(began) < seconds else {
                throw FixtureError("\(folder) does not stand still")
            }
        }
        return since.timeIntervalSince(began)
    }
}

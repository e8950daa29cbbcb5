// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import TransferModel

/// The file in which the daemon keeps the user's hold on everything, `hold.json` in the state folder.
package struct HoldFile: Sendable {
    /// The stored form of a hold.
    private struct Record: Codable {
        var holder: String
        var why: String
        var since: WallTime
        var until: WallTime?
    }

    /// The path of the file.
    package let path: String

    /// Creates a reference to a file.
    package init(path: String) { self.path = path }

    /// Creates a reference to the file of a state folder.
    package init(in folder: String) { path = folder + "/hold.json" }

    /// Returns the hold. A missing file, one that cannot be read, and one whose time has passed mean that there is none.
    package func hold(at now: ClockReading) -> Fact<MachineHold?> {
        guard let data = FileManager.default.contents(atPath: path),
            let record = try? JSONDecoder().decode(Record.self, from: data), record.until.map({ $0 > now.wall }) ?? true
        else { return Fact<MachineHold?>(nil, source: .user, since: now) }
        // Earlier versions stored this text if no reason was given.
        let why = record.why == "no reason was given" ? "" : record.why
        return Fact(
            MachineHold(by: record.holder, why: why, until: record.until), source: .user,
            since: ClockReading(instant: now.instant(of: record.since), wall: record.since))
    }

    /// Returns the contents of the file for a hold.
    package static func contents(_ hold: MachineHold, since: WallTime) throws -> Data {
        try JSONEncoder().encode(Record(holder: hold.holder, why: hold.why, since: since, until: hold.until))
    }
}

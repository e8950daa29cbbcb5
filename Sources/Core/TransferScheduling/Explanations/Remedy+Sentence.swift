// SPDX-License-Identifier: Apache-2.0
public import TransferModel
import TransferPolicy

extension Remedy {
    /// Returns the remedy as a short phrase, such as `starts 10 s after you plug in`.
    public func phrase(localTime: LocalTimeRules) -> String {
        switch self {
        case .plugIn(let after), .joinUnmetered(let after), .joinNetwork(let after), .joinKind(_, let after),
            .joinAllowed(let after):
            "starts \(after.phrase) \(clause)"
        case .chargeAbove, .slot, .become: "starts when \(clause)"
        case .logIn, .freeSpace(_?), .resume, .openApp: "starts after \(clause)"
        case .freeSpace(nil): "starts when disk space becomes available"
        case .wait(let until): "starts \(localTime.dateAndTime(of: until))"
        case .release(by: MachineHold.user): "starts after 'transferctl release'"
        case .release: "starts after \(clause)"
        }
    }

    /// The change as a clause without a conjunction, such as `you plug in`.
    var clause: String {
        switch self {
        case .plugIn: "you plug in"
        case .chargeAbove(let level): "the battery charge is above \(level) %"
        case .joinUnmetered: "you join an unmetered network"
        case .joinNetwork: "a network becomes available"
        case .logIn: "you log in to the network"
        case .joinKind(let kinds, _): "the machine joins \(kinds.phrase)"
        case .wait: "the time comes"
        case .slot: "another transfer ends"
        case .freeSpace(let bytes?): "\(bytes.inUnits) are freed"
        case .freeSpace(nil): "disk space becomes available"
        case .resume: "you resume it"
        case .joinAllowed: "the machine joins an allowed connection"
        case .openApp: "you open the app"
        case .become(let constraint):
            "\(constraint.name) is \(constraint.values.joined(separator: " or "))"
        case .release(by: MachineHold.user): "you run 'transferctl release'"
        case .release(let holder): "\(holder) releases it"
        }
    }
}

extension JointRemedy {
    /// Returns the remedy as a short phrase, such as `starts 10 s after you plug in and join an unmetered network`, or
    /// `starts Thu 18:00 if you plug in before`.
    public func phrase(localTime: LocalTimeRules) -> String {
        let clauses = Self.joined(changes.map(\.clause))
        guard let date else { return "starts \(after.phrase) \(clauses)" }
        return "starts \(localTime.dateAndTime(of: date)) if \(clauses) before"
    }

    /// Returns clauses joined by "and". A repeated subject is left out: `you plug in and open the app`.
    private static func joined(_ clauses: [String]) -> String {
        let subject = "you "
        var text = clauses.first ?? ""
        for (before, clause) in zip(clauses, clauses.dropFirst()) {
            let isRepeated = before.hasPrefix(subject) && clause.hasPrefix(subject)
            text += " and " + (isRepeated ? String(clause.dropFirst(subject.count)) : clause)
        }
        return text
    }
}

extension Int64 {
    /// A number of bytes such as `1.5 GB`, rounded up, with at most one decimal. One kB is 1000 bytes.
    var inUnits: String {
        var (unit, name): (Int64, String) = (1, "B")
        for next in ["kB", "MB", "GB", "TB"] where self >= unit * 1000 { (unit, name) = (unit * 1000, next) }
        guard unit > 1 else { return "\(Swift.max(0, self)) B" }
        let tenth = unit / 10
        let tenths = self / tenth + (self % tenth > 0 ? 1 : 0)
        return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
}

extension Duration {
    /// `45 s`, `12 min`, `6 h`: whole units, rounded to the nearest.
    package var inWords: String {
        let seconds = Swift.max(0, wholeNanoseconds / 1_000_000_000)
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\((seconds + 30) / 60) min" : "\((seconds / 60 + 30) / 60) h"
    }

    /// `10 s after`, or `as soon as` if the duration is zero.
    var phrase: String {
        self == .zero ? "as soon as" : "\(wholeNanoseconds / 1_000_000_000) s after"
    }
}

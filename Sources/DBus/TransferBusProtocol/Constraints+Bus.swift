// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
internal import TransferModel

extension Constraints {
    /// The keys of the bus's interface; what asks for nothing is left out.
    package var busFields: [String: VariantValue] {
        var fields: [String: VariantValue] = [:]
        switch power {
        case .any: break
        case .ac: fields["power"] = .string("ac")
        case .acOrBattery(let above):
            fields["power"] = .string("ac")
            fields["battery-above"] = .integer(Int64(above))
        }
        if case .only(let kinds) = linkKinds { fields["link-kinds"] = .list(kinds.kinds.map { .string($0.rawValue) }) }
        if metered != .unstated { fields["metered"] = .string(metered.rawValue) }
        if let notBefore { fields["not-before"] = .string(BusDate(notBefore.date).description) }
        if let deadline { fields["deadline"] = .string(BusDate(deadline.date).description) }
        if let window {
            fields["windows"] = .list(window.windows.map { .list([.integer($0.start), .integer($0.end)]) })
        }
        if let allowed = connection.allowed { fields["connections-allowed"] = .list(allowed.map(VariantValue.string)) }
        if !connection.denied.isEmpty {
            fields["connections-denied"] = .list(connection.denied.map(VariantValue.string))
        }
        if !connection.allowsRoaming { fields["roaming"] = .bool(false) }
        return fields
    }

    /// Takes the keys of the interface out of `fields`; what is not named stays as it is.
    ///
    /// - Returns: whether any was named.
    package mutating func take(_ fields: inout BusFields) throws -> Bool {
        let before = self
        var isNamed = try takePower(&fields)
        if let names = try fields.strings("link-kinds") {
            var kinds: LinkKinds = []
            for name in names {
                guard let kind = LinkKind(rawValue: name) else {
                    let known = LinkKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw BusFault(.invalidArgument, "'link-kinds': '\(name.prefix(40))' is none of \(known)")
                }
                kinds.insert(LinkKinds(kind))
            }
            linkKinds = kinds.isEmpty ? .any : .only(kinds)
            isNamed = true
        }
        if let choice = try fields.choice("metered", of: MeteredChoice.self) {
            metered = MeteredConstraint(rawValue: choice.rawValue) ?? .unstated
            isNamed = true
        }
        if let date = try fields.date("not-before") { (notBefore, isNamed) = (NotBeforeConstraint(date.wall), true) }
        if let date = try fields.date("deadline") { (deadline, isNamed) = (DeadlineConstraint(date.wall), true) }
        if let windows = try fields.list("windows", of: "pairs of seconds of the week (a(xx))", Self.window) {
            (window, isNamed) = (windows.isEmpty ? nil : WindowConstraint(windows: windows), true)
        }
        let allowed = try fields.strings("connections-allowed")
        let denied = try fields.strings("connections-denied")
        let roaming = try fields.flag("roaming")
        if allowed != nil || denied != nil || roaming != nil {
            connection = ConnectionConstraint(
                allowed: (allowed ?? before.connection.allowed).map(Set.init),
                denied: Set(denied ?? before.connection.denied),
                allowsRoaming: roaming ?? before.connection.allowsRoaming)
            isNamed = true
        }
        return isNamed
    }

    private mutating func takePower(_ fields: inout BusFields) throws -> Bool {
        let choice = try fields.choice("power", of: PowerChoice.self)
        let level = try fields.integer("battery-above", in: 0...100)
        switch (choice, level) {
        case (nil, nil): return false
        case (.any?, nil): power = .any
        case (.any?, _?):
            throw BusFault(.invalidArgument, "'battery-above' goes with 'power' = ac: on power, or above that level")
        case (_, let level?): power = .acOrBattery(above: Int(level))
        case (.ac?, nil): power = .ac
        }
        return true
    }

    private static func window(_ value: VariantValue) -> WindowConstraint.Window? {
        let ends = value.items.compactMap(\.integer)
        guard ends.count == 2, (0..<604_800).contains(ends[0]), ends[1] > ends[0], ends[1] - ends[0] <= 604_800 else {
            return nil
        }
        return WindowConstraint.Window(start: ends[0], end: ends[1])
    }

    private enum PowerChoice: String, CaseIterable {
        case any
        case ac
    }

    private enum MeteredChoice: String, CaseIterable {
        case unstated
        case allowed
        case unmetered
    }
}

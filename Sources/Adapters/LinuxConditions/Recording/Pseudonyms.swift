// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Pseudonyms for the names that would identify the owner of a recording: connections, conditions of the user with their
/// values, and hardware addresses. The
/// same name always gets the same pseudonym, so that the recording decodes the same way.
///
/// The names of devices are kept, except for hardware addresses in them.
struct Pseudonyms {
    private static let sentence = "left out of this recording"

    private var connections: [String: String] = [:]
    private var conditions: [String: String] = [:]
    private var values: [String: String] = [:]
    /// The names of devices, by which overrides may refer to a device instead of a connection.
    private var devices: Set<String> = []
    private var addresses: [String: String] = [:]

    /// Replaces names of connections, paths, and all of a lease except the part that tells the metered state.
    mutating func replace(in observation: inout Observation) {
        switch observation {
        case .networkManager(.value(var raw)):
            raw.connectionID = raw.connectionID.map { connection($0) }
            observation = .networkManager(.value(raw))
        case .overrides(let content): observation = .overrides(replacing(content))
        case .leases(let files):
            observation = .leases(
                files.map { file in
                    var file = file
                    file.text = file.vendorLine.map(String.init)
                    return file
                })
        // Prices differ by region, so they tell where a machine is.
        case .prices: observation = .prices(nil)
        case .custom(let reading): observation = .custom(replacing(reading))
        case .path(.value(let snapshot), _): devices.formUnion(snapshot.links.values.map(\.name))
        case .power, .kernelEvent, .path, .networkManager, .meteredDebounceEnded, .modemManager, .networkPortal,
            .powerProfile,
            .login, .localTime, .firstSnapshotIsDue:
            break  // these contain no names
        }
    }

    /// Replaces the name of the connection, and notes that could quote a name.
    mutating func replace(in conditions: inout Conditions) {
        conditions.connection.value = conditions.connection.value.map { connection($0) }
        if conditions.priceCurve.source != .none {
            conditions.priceCurve = Conditions(unknownSince: conditions.priceCurve.since).priceCurve
        }
        conditions.custom = conditions.custom.map { condition in
            var fact = condition.fact
            fact.value = fact.value.map { Self.pseudonym($0, in: &values, "value") }
            let name = Self.pseudonym(condition.name, in: &self.conditions, "condition")
            return CustomCondition(name, fact, origin: Self.sentence)
        }
        conditions.custom.sort { $0.name < $1.name }
        conditions.notes = conditions.notes.filter {
            !$0.hasPrefix(SourceContent.noteStart) && !$0.hasPrefix(CustomReading.noteStart)
        }
        conditions.notes = conditions.notes.map { _ in OverridesFileError(path: "", problem: Self.sentence).description
        }
    }

    /// Replaces hardware addresses, including those in names of devices.
    mutating func replacingAddresses(in line: String) -> String {
        var text = ""
        var rest = line[...]
        // A separate address, or one in a name that udev derived from the address.
        while let match = rest.firstMatch(of: #/(?:[0-9a-fA-F]{2}[:_]){5}[0-9a-fA-F]{2}|(?:enx|wlx|wwx)[0-9a-f]{12}/#) {
            let prefix = match.output.prefix(match.output.contains("x") ? 3 : 0)
            text += rest[..<match.range.lowerBound] + prefix + address(String(match.output.dropFirst(prefix.count)))
            rest = rest[match.range.upperBound...]
        }
        return text + rest
    }

    private mutating func connection(_ name: String) -> String {
        Self.pseudonym(name, in: &connections, "connection")
    }

    private static func pseudonym(_ name: String, in known: inout [String: String], _ kind: String) -> String {
        if let known = known[name] { return known }
        let other = "\(kind)-\(known.count + 1)"
        known[name] = other
        return other
    }

    private mutating func replacing(_ reading: CustomReading) -> CustomReading {
        var other = reading
        other.name = Self.pseudonym(reading.name, in: &conditions, "condition")
        other.value = reading.value.map { Self.pseudonym($0, in: &values, "value") }
        (other.sentence, other.origin, other.problem) = (nil, Self.sentence, nil)
        return other
    }

    /// Creates a pseudonym, a locally administered address in the same notation.
    private mutating func address(_ text: String) -> String {
        let digits = text.filter(\.isHexDigit).lowercased()
        let number = String(addresses.count + 1, radix: 16)
        let padded = "02" + String(repeating: "0", count: max(10 - number.count, 0)) + number
        let other = addresses[digits] ?? padded
        addresses[digits] = other
        guard let separator = text.first(where: { !$0.isHexDigit }) else { return other }
        let characters = Array(other)
        return stride(from: 0, to: characters.count, by: 2).map { String(characters[$0...($0 + 1)]) }
            .joined(separator: String(separator))
    }

    private mutating func replacing(_ content: OverridesContent) -> OverridesContent {
        guard let overrides = try? content.overrides() else {
            return OverridesContent(path: "", problem: Self.sentence)
        }
        var settings: [String: ConnectionOverrides.Setting] = [:]
        for (name, setting) in overrides.settings.sorted(by: { $0.key < $1.key }) {
            settings[devices.contains(name) ? name : connection(name)] = setting
        }
        var other = ConnectionOverrides()
        other.settings = settings
        return OverridesContent(path: "overrides.toml", text: other.text)
    }
}

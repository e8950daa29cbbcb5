// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

extension SessionSettings {
    /// More seconds than a century has are as good as none, and a length of time must not overflow.
    private static let mostSeconds = 4e9
    private static let mostConnections: Int64 = 1_000_000

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        func seconds(_ value: Double) -> VariantValue { .double(min(max(value, 0.001), Self.mostSeconds)) }
        var fields: [String: VariantValue] = [
            "identifier": .string(identifier), "discretionary": .bool(isDiscretionary),
            "sends-launch-events": .bool(sendsLaunchEvents), "request-timeout": seconds(requestTimeout),
            "resource-timeout": seconds(resourceTimeout), "cellular": .bool(allowsCellularAccess),
            "expensive": .bool(allowsExpensiveNetworkAccess), "constrained": .bool(allowsConstrainedNetworkAccess),
            "connections-per-host": .integer(min(max(Int64(maximumConnectionsPerHost), 1), Self.mostConnections)),
            "insecure-redirect": .bool(allowsInsecureRedirect),
        ]
        if answersBearerChallenges { fields["answers-bearer"] = .bool(true) }
        if !additionalHeaders.isEmpty { fields["headers"] = .texts(additionalHeaders) }
        fields["shared-container"] = .optional(sharedContainerIdentifier)
        return fields
    }

    /// Reads what came over the bus. That the identifier is one is the host's to say.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        let seconds = 0.001...Self.mostSeconds
        self.init(
            identifier: try BusFields.needed(
                fields.string("identifier", most: 4096), "identifier", "what the app calls the session"))
        isDiscretionary = try fields.flag("discretionary") ?? isDiscretionary
        sendsLaunchEvents = try fields.flag("sends-launch-events") ?? sendsLaunchEvents
        requestTimeout = try fields.number("request-timeout", in: seconds) ?? requestTimeout
        resourceTimeout = try fields.number("resource-timeout", in: seconds) ?? resourceTimeout
        allowsCellularAccess = try fields.flag("cellular") ?? allowsCellularAccess
        allowsExpensiveNetworkAccess = try fields.flag("expensive") ?? allowsExpensiveNetworkAccess
        allowsConstrainedNetworkAccess = try fields.flag("constrained") ?? allowsConstrainedNetworkAccess
        maximumConnectionsPerHost =
            try fields.integer("connections-per-host", in: 1...Self.mostConnections).map(Int.init)
            ?? maximumConnectionsPerHost
        allowsInsecureRedirect = try fields.flag("insecure-redirect") ?? allowsInsecureRedirect
        answersBearerChallenges = try fields.flag("answers-bearer") ?? answersBearerChallenges
        additionalHeaders = try fields.headers("headers")
        sharedContainerIdentifier = try fields.string("shared-container", most: 255)
        try fields.end(in: "a session's settings")
    }
}

/// What a process says beside its session's settings: how its program is started, and how it stands itself.
package struct OpeningOptions: Hashable, Sendable {
    /// How the app is started for the session; nil where it does not say.
    package var registration: AppRegistration?

    /// Whether a person works with the program; nil where it does not say.
    package var isInFront: Bool?
    /// Whether it had the session before, and lost sight of the daemon only.
    package var isBack = false
    /// The shared containers whose sessions the app is started for; nil where it does not say.
    package var containers: Set<String>?

    /// Options.
    package init(registration: AppRegistration? = nil) { self.registration = registration }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] =
            switch registration {
            case .busName(let name): ["bus-name": .string(name)]
            case .command(let words): ["command": .list(words.map(VariantValue.string))]
            case nil: [:]
            }
        fields["front"] = isInFront.map(VariantValue.bool)
        if isBack { fields["back"] = .bool(true) }
        fields["containers"] = containers.map { .list($0.sorted().map(VariantValue.string)) }
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        let name = try fields.string("bus-name", most: 255)
        let command = try fields.strings("command")
        isInFront = try fields.flag("front")
        isBack = try fields.flag("back") ?? false
        containers = try fields.strings("containers").map(Set.init)
        let (mostContainers, longestName) = (100, 255)
        if let containers {
            guard containers.count <= mostContainers, containers.allSatisfy({ 1...longestName ~= $0.utf8.count })
            else {
                throw BusFault(
                    .invalidArgument,
                    "'containers' has \(containers.count) names; at most \(mostContainers) of 1 to \(longestName) bytes are taken"
                )
            }
        }
        try fields.end(in: "a session's options")
        if let name {
            guard command == nil else {
                throw BusFault(.invalidArgument, "'bus-name' and 'command' are two ways to start the app; give one")
            }
            guard BusConnection.isWellKnownName(name) else {
                throw BusFault(
                    .invalidArgument,
                    "'bus-name' must be a well-known name such as org.example.App, not '\(name.prefix(40))'")
            }
            registration = .busName(name)
        } else if let command {
            try Self.check(command)
            registration = .command(command)
        }
    }

    private static func check(_ command: [String]) throws {
        guard let program = command.first, program.hasPrefix("/") else {
            throw BusFault(
                .invalidArgument,
                "'command' must begin with a program's absolute path, not '\(command.first?.prefix(40) ?? "")'")
        }
        let (mostWords, mostBytes) = (256, 32 << 10)
        let bytes = command.reduce(0) { $0 + $1.utf8.count }
        guard command.count <= mostWords, bytes <= mostBytes else {
            throw BusFault(
                .invalidArgument,
                "'command' has \(command.count) words of \(bytes) bytes; at most \(mostWords) of \(mostBytes) are taken"
            )
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// What a process says beside its session's settings: how its program is started, and how it stands itself.
package struct OpeningOptions: Hashable, Sendable, Codable {
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
}

extension OpeningOptions: VariantCoded {
    package static let busLayout = VariantLayout(
        "a session's options",
        keys: [
            "registration": .inline(ifAny: "bus-name", "command"), "isInFront": "front",
            "isBack": .init("back", omitsEmpty: true),
        ])
    package static var busDefaults: [String: VariantValue] { ["back": .bool(false)] }

    package func checkReceived() throws {
        let (mostContainers, longestName) = (100, 255)
        guard let containers else { return }
        guard containers.count <= mostContainers, containers.allSatisfy({ 1...longestName ~= $0.utf8.count }) else {
            throw BusFault(
                .invalidArgument,
                "'containers' has \(containers.count) names; at most \(mostContainers) of 1 to \(longestName) bytes are taken"
            )
        }
    }
}

extension AppRegistration: VariantCoded {
    package static let busLayout = VariantLayout(
        tag: .presence(["bus-name": "busName", "command": "command"]),
        keys: ["busName._0": .init("bus-name", most: 255), "command._0": "command"])

    package func checkReceived() throws {
        switch self {
        case .busName(let name):
            guard !BusConnection.isWellKnownName(name) else { return }
            throw BusFault(
                .invalidArgument,
                "'bus-name' must be a well-known name such as org.example.App, not '\(name.prefix(40))'")
        case .command(let words): try Self.check(words)
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

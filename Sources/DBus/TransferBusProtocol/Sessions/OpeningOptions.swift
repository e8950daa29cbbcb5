// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// The options for opening a session, beside its settings: the launch command of the program, and the state of the
/// process.
package struct OpeningOptions: Hashable, Sendable, Codable {
    /// The registration by which the app is started for the session. `nil` if the process does not specify one.
    ///
    /// If the caller owns an activatable bus name, the daemon uses that name instead of a command.
    package var registration: AppRegistration?

    /// Whether the user is working with the program. `nil` if unknown.
    package var isInFront: Bool?
    /// Whether the process already had the session open and only lost the connection to the daemon.
    package var isReconnecting = false
    /// The shared containers for whose sessions the app is started. `nil` leaves the stored containers unchanged.
    package var containers: Set<String>?

    /// Creates options with a registration.
    package init(registration: AppRegistration? = nil) { self.registration = registration }
}

extension OpeningOptions: VariantCoded {
    package static let busLayout = VariantLayout(
        "a session's options",
        keys: [
            "registration": .inline(ifAny: "bus-name", "command"), "isInFront": "front",
            "isReconnecting": .init("back", omitsEmpty: true),
        ])
    package static var busDefaults: [String: VariantValue] { ["back": .bool(false)] }

    package func checkReceived() throws {
        let (mostContainers, longestName) = (100, 255)
        guard let containers else { return }
        guard containers.count <= mostContainers, containers.allSatisfy({ 1...longestName ~= $0.utf8.count }) else {
            throw BusFault(
                .invalidArgument,
                "'containers' has \(containers.count) names; the maximum is \(mostContainers) names of 1 to \(longestName) bytes"
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
                "'command' must begin with the absolute path of a program, not '\(command.first?.prefix(40) ?? "")'")
        }
        let (mostWords, mostBytes) = (256, 32 << 10)
        let bytes = command.reduce(0) { $0 + $1.utf8.count }
        guard command.count <= mostWords, bytes <= mostBytes else {
            throw BusFault(
                .invalidArgument,
                "'command' has \(command.count) words and \(bytes) bytes; the maximum is \(mostWords) words and \(mostBytes) bytes"
            )
        }
    }
}

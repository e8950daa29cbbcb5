// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// The session host, not this layout, validates the identifier.
extension SessionSettings: VariantCoded {
    /// The range of times in seconds. More than a century is equivalent to no limit, and larger values could
    /// overflow.
    private static let seconds = 0.001...4e9

    package static let busLayout = VariantLayout(
        "a session's settings",
        keys: [
            "identifier": .init("identifier", most: 4096, need: "the session's identifier"),
            "isDiscretionary": "discretionary", "sendsLaunchEvents": "sends-launch-events",
            "requestTimeout": .init("request-timeout", number: seconds, isClamped: true),
            "resourceTimeout": .init("resource-timeout", number: seconds, isClamped: true),
            "allowsCellularAccess": "cellular", "allowsExpensiveNetworkAccess": "expensive",
            "allowsConstrainedNetworkAccess": "constrained",
            "additionalHeaders": .init("headers", .headers, omitsEmpty: true),
            "maximumConnectionsPerHost": .init("connections-per-host", whole: 1...1_000_000, isClamped: true),
            "sharedContainerIdentifier": .init("shared-container", most: 255),
            "allowsInsecureRedirect": "insecure-redirect", "answersBearer": "answers-bearer",
        ])
    package static let busDefaults = SessionSettings(identifier: "").fields.merging(["headers": .dictionary([:])]) {
        $1
    }
}

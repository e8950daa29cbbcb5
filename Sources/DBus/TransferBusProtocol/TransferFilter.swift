// SPDX-License-Identifier: Apache-2.0
package import GLibBridge

/// Which transfers are listed.
package struct TransferFilter: Hashable, Sendable {
    /// The session whose transfers are listed; nil lists those of all sessions.
    package var session: String?
    /// The app whose transfers are listed; nil lists those of all apps that the caller may reach.
    package var app: String?
    /// The number of ended transfers to list at most, newest first.
    package var ended = 0
    /// Each that waits says why, where no more than so many fit.
    package var mostExplained = 0

    /// All that are not over.
    package init() {}

    /// The dictionary that the bus carries.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "ended": .integer(Int64(ended)), "most-explained": .integer(Int64(mostExplained)),
        ]
        fields["session"] = .optional(session)
        fields["app"] = .optional(app)
        return fields
    }

    /// Reads what came over the bus.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        session = try fields.string("session")
        app = try fields.string("app")
        ended = Int(try fields.integer("ended", in: 0...1_000_000) ?? 0)
        let most = Int(try fields.integer("most-explained", in: 0...1_000_000) ?? 0)
        mostExplained = try fields.flag("explained") ?? false ? 1_000_000 : most
        try fields.end(in: "a filter")
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A method or a property of an interface, with the arguments that it takes.
struct FuzzMember: Sendable {
    /// The kinds of objects that a call can address.
    enum Target: Sendable {
        case manager
        case session
        case conditions
    }

    /// The kind of an argument.
    enum Argument: Sendable {
        case dictionary([FuzzKey])
        /// `aa{sv}`.
        case dictionaries([FuzzKey])
        /// The dictionary of an order. Its keys depend on one another.
        case order
        case id
        case ids
        case flag
        case seconds
        case text([String])
    }

    var name: String
    var target: Target
    var arguments: [Argument]
    /// The weight in the random choice, relative to the other members.
    var weight: Int

    init(_ name: String, _ target: Target, _ arguments: [Argument] = [], weight: Int = 4) {
        self.name = name
        self.target = target
        self.arguments = arguments
        self.weight = weight
    }

    static let all: [FuzzMember] = [
        FuzzMember("Submit", .manager, [.dictionaries(FuzzKey.transfer)], weight: 24),
        FuzzMember("List", .manager, [.dictionary(FuzzKey.filter)]),
        FuzzMember("ListJSON", .manager, [.dictionary(FuzzKey.filter)]), FuzzMember("Show", .manager, [.id]),
        FuzzMember("Explain", .manager, [.id]), FuzzMember("Pause", .manager, [.ids]),
        FuzzMember("Resume", .manager, [.ids]), FuzzMember("Cancel", .manager, [.ids], weight: 8),
        FuzzMember("StartNow", .manager, [.ids], weight: 2),
        FuzzMember("Change", .manager, [.id, .dictionary(FuzzKey.change)], weight: 10),
        FuzzMember("Hold", .manager, [.seconds, .text(["fuzz", "\u{202E}x"])]), FuzzMember("Release", .manager),
        FuzzMember("Limiters", .manager), FuzzMember("Budgets", .manager),
        FuzzMember(
            "OpenSession", .manager, [.dictionary(FuzzKey.settings), .dictionary(FuzzKey.options)], weight: 24),
        FuzzMember("SetInFront", .manager, [.flag]), FuzzMember("Sessions", .manager), FuzzMember("Apps", .manager),
        FuzzMember("QuitApp", .manager, [.text(["org.example.Fuzz.Other", "person", ""])]),
        FuzzMember("History", .manager, [.text(FuzzKey.dates)], weight: 2), FuzzMember("Log", .manager, [.id]),
        FuzzMember("HistoryFrom", .manager, [.text(FuzzKey.dates), .text(FuzzKey.pagePositions)], weight: 2),
        FuzzMember("Open", .manager, [.id]), FuzzMember("Open", .session, [.id]),
        FuzzMember("Discard", .manager, [.id]), FuzzMember("Retry", .manager, [.ids]),
        FuzzMember("RetryFrom", .manager, [.id, .text(["http://h/", "x", "\u{202E}"])]),
        FuzzMember("Remove", .manager, [.ids]), FuzzMember("Body", .session, [.id]),
        FuzzMember("Explain", .session, [.id]),
        FuzzMember("TrustSandbox", .manager, [.text(["app.service", "", "\u{202E}"]), .flag]),
        FuzzMember("Metrics", .manager, weight: 1), FuzzMember("Watch", .manager, weight: 2),
        FuzzMember("Unwatch", .manager, weight: 2),
        FuzzMember("List", .session, [.dictionary(FuzzKey.filter)]), FuzzMember("PauseAll", .session),
        FuzzMember("ResumeAll", .session), FuzzMember("CancelAll", .session),
        FuzzMember("Post", .session, [.order], weight: 80), FuzzMember("Tasks", .session),
        FuzzMember("Acknowledge", .session, [.id], weight: 4), FuzzMember("Close", .session, weight: 2),
        FuzzMember("Get", .manager, [.text(["org.transferd.Manager1"]), .text(properties)]),
        FuzzMember("GetAll", .manager, [.text(["org.transferd.Manager1", "org.transferd.Transfer1", "x", ""])]),
        FuzzMember("Get", .session, [.text(["org.transferd.Session1"]), .text(properties)]),
        FuzzMember("GetAll", .session, [.text(["org.transferd.Session1", "x.y"])]),
        FuzzMember("Introspect", .session),
        FuzzMember("RegisterCommand", .manager, [.dictionary(FuzzKey.command)], weight: 6),
        FuzzMember("Commands", .manager, weight: 2), FuzzMember("StartCommand", .manager, [.id, .flag]),
        FuzzMember("Get", .conditions, [.text(["org.transferd.Conditions1", ""]), .text(verdict)]),
        FuzzMember("GetAll", .conditions, [.text(["org.transferd.Conditions1", "org.transferd.Manager1", "x"])]),
        FuzzMember("Introspect", .conditions, weight: 1),
        FuzzMember("NoSuchMethod", .manager, [.text(["x"])]),
    ]

    private static let verdict = ["Discretionary", "Reasons", "OnAC", "Metered", "Since", "NoSuchProperty", ""]
    private static let properties = [
        "Version", "Commit", "ProcessID", "Policy", "Held", "Conditions", "StateDirectory", "StateLost", "Id", "Url",
        "State",
        "Identifier", "Transfers", "App", "NoSuchProperty", "",
    ]

    /// The interface that the call names.
    var interface: String {
        switch (name, target) {
        case ("Get", _), ("GetAll", _): "org.freedesktop.DBus.Properties"
        case ("Introspect", _): "org.freedesktop.DBus.Introspectable"
        case (_, .manager): "org.transferd.Manager1"
        case (_, .session): "org.transferd.Session1"
        case (_, .conditions): "org.transferd.Conditions1"
        }
    }
}

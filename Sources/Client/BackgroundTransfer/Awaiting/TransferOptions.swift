// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The options of a transfer that the program awaits by name.
///
/// ```swift
/// var options = TransferOptions(patience: .relaxed)
/// options.deadline = .now + 24 * 3600
/// let file = try await session.file(for: request, id: "episode-7", options: options)
/// ```
///
/// The options of the call that starts the transfer apply. A later call with the same name joins the transfer as it
/// is, except for ``cancelsWithTask``, which concerns the call itself.
///
/// ## Topics
///
/// ### Choosing the Conditions
/// - ``isDiscretionary``
/// - ``whenUnmetered``
/// - ``patience-swift.property``
/// - ``Patience-swift.enum``
/// - ``constraints``
/// - ``earliestBeginDate``
/// - ``deadline``
///
/// ### Helping the Scheduler
/// - ``expectedBytes``
/// - ``priority``
///
/// ### Canceling
/// - ``cancelsWithTask``
public struct TransferOptions: Hashable, Sendable {
    /// The answers of a user to the question of how much worse it is to be late than to use the battery.
    ///
    /// The default policy of the service decides by the answer. No answer permits a metered network.
    public enum Patience: String, Hashable, Sendable, CaseIterable {
        /// Late is little worse than using the battery. The transfer saves the battery where it can.
        case relaxed
        /// Late is much worse than using the battery. The transfer uses the battery if a longer wait is a risk.
        case balanced
        /// Late is far worse than using the battery. The transfer runs at the first opportunity that costs no money.
        case prompt
    }

    /// A Boolean value that indicates whether the policy of the service chooses the time. The default is `true`.
    ///
    /// If the value is `false`, the transfer runs as soon as a network satisfies the ``constraints``. That includes
    /// metered networks, unless ``TransferConstraints/allowsMeteredNetworks`` is `false`.
    public var isDiscretionary = true
    /// The patience that the default policy follows. `nil` (the default) means the patience that the user has
    /// configured. The value has no effect if ``isDiscretionary`` is `false`.
    public var patience: Patience?
    /// The conditions that the transfer requires in addition. The default adds none.
    public var constraints = TransferConstraints()
    /// The earliest date at which the transfer may begin. `nil` (the default) means immediately.
    public var earliestBeginDate: Date?
    /// The date by which the transfer should have ended. `nil` (the default) means no date.
    ///
    /// As the date approaches, the policy requires less. Constraints are not weakened. After the date, the transfer
    /// continues.
    public var deadline: Date?
    /// The number of bytes that the program expects to receive at most, headers included. `nil` (the default) means
    /// unknown.
    public var expectedBytes: Int64?
    /// The priority, from 0 (lowest) to 1 (highest). The default is 0.5.
    public var priority: Float = 0.5
    /// A Boolean value that indicates whether cancellation of the awaiting task cancels the transfer. The default is
    /// `false`: only the call ends, and the transfer continues.
    public var cancelsWithTask = false

    /// Creates options.
    ///
    /// - Parameter patience: The patience that the default policy follows, or `nil` for the user's configured patience.
    public init(patience: Patience? = nil) { self.patience = patience }

    /// The options of a transfer that runs as soon as there is an unmetered network. No policy delays the transfer.
    ///
    /// ```swift
    /// let file = try await session.file(for: request, id: "episode-7", options: .whenUnmetered)
    /// ```
    public static var whenUnmetered: TransferOptions {
        var options = TransferOptions()
        options.isDiscretionary = false
        options.constraints.allowsMeteredNetworks = false
        return options
    }
}

/// The conditions that a transfer requires. The defaults require only a network.
///
/// ```swift
/// options.constraints.power = .acOrBattery(above: 50)
/// options.constraints.networkKinds = [.ethernet, .wifi]
/// options.constraints.windows = [TransferWindow(fromHour: 1, toHour: 6)]
/// ```
public struct TransferConstraints: Hashable, Sendable {
    /// The power supplies that a transfer may require.
    public enum Power: Hashable, Sendable {
        /// Any power supply.
        case any
        /// AC power.
        case ac
        /// AC power, or a battery with a charge above this level, in percent, 0…100. Values out of range are clamped.
        case acOrBattery(above: Int)
    }

    /// The kinds of networks.
    public enum NetworkKind: String, Hashable, Sendable, CaseIterable {
        /// A cable.
        case ethernet
        /// A wireless LAN.
        case wifi
        /// The modem of a mobile network.
        case cellular
        /// A Bluetooth personal area network.
        case bluetooth
        /// A phone's connection over USB.
        case usbTether
        /// Another kind of device.
        case other
    }

    /// The required power supply. The default is `any`.
    public var power = Power.any
    /// A Boolean value that indicates whether the transfer may use networks that charge by the byte. `nil` (the
    /// default) leaves the decision to the session and, for discretionary transfers, to the policy.
    ///
    /// `true` does not permit what the session or the request refuses.
    public var allowsMeteredNetworks: Bool?
    /// The allowed kinds of networks. `nil` (the default) means all kinds.
    public var networkKinds: Set<NetworkKind>?
    /// The windows of the local week in which the transfer may run. Empty (the default) means any time.
    public var windows: [TransferWindow] = []
    /// A Boolean value that indicates whether the transfer may run on a foreign mobile network. The default is `true`.
    public var allowsRoaming = true

    /// Creates constraints that require only a network.
    public init() {}
}

/// A window of the local day in which a transfer may run.
///
/// ```swift
/// let night = TransferWindow(fromHour: 23, toHour: 6)
/// let weekend = TransferWindow(fromHour: 0, toHour: 24, on: [.saturday, .sunday])
/// ```
public struct TransferWindow: Hashable, Sendable {
    /// The days of the week.
    public enum Weekday: Int, Hashable, Sendable, CaseIterable {
        /// The day on which the week begins.
        case monday
        /// The day after Monday.
        case tuesday
        /// The day after Tuesday.
        case wednesday
        /// The day after Wednesday.
        case thursday
        /// The day after Thursday.
        case friday
        /// The day after Friday.
        case saturday
        /// The day on which the week ends.
        case sunday
    }

    /// The hour at which the window opens, 0…23.
    public let startHour: Int
    /// The hour at which the window closes, 1…24. If this hour is not after ``startHour``, the window closes on the
    /// next day.
    public let endHour: Int
    /// The days on which the window opens.
    public let weekdays: Set<Weekday>

    /// Creates a window. Hours out of range are clamped.
    ///
    /// - Parameters:
    ///   - startHour: The hour at which the window opens, 0…23.
    ///   - endHour: The hour at which the window closes, 0…24. A window from 23 to 6 closes on the next day.
    ///   - weekdays: The days on which the window opens. The default is every day.
    public init(fromHour startHour: Int, toHour endHour: Int, on weekdays: Set<Weekday> = Set(Weekday.allCases)) {
        self.startHour = min(max(startHour, 0), 23)
        self.endHour = min(max(endHour, 0), 24)
        self.weekdays = weekdays
    }
}

// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import TransferModel

extension TransferOptions {
    /// The conditions for the service that runs the transfer.
    var conditions: TaskConditions {
        var conditions = TaskConditions()
        conditions.isDiscretionary = isDiscretionary
        conditions.constraints = constraints.change
        conditions.constraints.patience = patience?.choice
        if let isAllowed = constraints.allowsMeteredNetworks {
            conditions.constraints.metered = isAllowed ? .allowed : .unmetered
        }
        // Not the task's own date: nobody has to be asked before this transfer begins.
        conditions.constraints.notBefore = earliestBeginDate.map { WallTime($0) }
        conditions.constraints.deadline = deadline.map { WallTime($0) }
        return conditions
    }
}

extension TransferOptions.Patience {
    fileprivate var choice: TransferModel.Patience {
        switch self {
        case .relaxed: .relaxed
        case .balanced: .balanced
        case .prompt: .prompt
        }
    }
}

extension TransferConstraints {
    fileprivate var change: ConstraintChange {
        var change = ConstraintChange()
        switch power {
        case .any: break
        case .ac: change.power = .ac
        case .acOrBattery(let level): (change.power, change.batteryAbove) = (.ac, min(max(level, 0), 100))
        }
        if let networkKinds {
            // An empty list would allow all kinds.
            change.linkKinds =
                networkKinds.isEmpty ? [.unknown] : networkKinds.map(\.linkKind).sorted { $0.rawValue < $1.rawValue }
        }
        if !windows.isEmpty { change.windows = windows.flatMap(\.windows) }
        if !allowsRoaming { change.roaming = false }
        return change
    }
}

extension TransferConstraints.NetworkKind {
    fileprivate var linkKind: LinkKind {
        switch self {
        case .ethernet: .ethernet
        case .wifi: .wifi
        case .cellular: .cellular
        case .bluetooth: .bluetooth
        case .usbTether: .usbTether
        case .other: .other
        }
    }
}

extension TransferWindow {
    fileprivate var windows: [WindowConstraint.Window] {
        let hours = endHour > startHour ? endHour - startHour : endHour + 24 - startHour
        return weekdays.map(\.rawValue).sorted().map { day in
            let start = Int64(day * 24 + startHour) * 3600
            return WindowConstraint.Window(start: start, end: start + Int64(hours) * 3600)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@testable import BackgroundTransfer

@Suite("Options of named transfers")
struct TransferOptionsTests {
    @Test("A8: each patience is the policy's patience of the same name, and requires nothing")
    func patience() {
        for (patience, choice) in zip(TransferOptions.Patience.allCases, TransferModel.Patience.allCases) {
            #expect(patience.rawValue == choice.rawValue)
            let conditions = TransferOptions(patience: patience).conditions
            #expect(conditions.isDiscretionary == true)
            #expect(conditions.constraints.constraints == Constraints(patience: choice))
        }
        #expect(TransferOptions.Patience.allCases.count == TransferModel.Patience.allCases.count)
        let unstated = TransferOptions().conditions
        #expect(unstated.isDiscretionary == true && unstated.constraints.isEmpty)
    }

    @Test("A8: a transfer for the first unmetered network is not discretionary")
    func whenUnmetered() {
        let conditions = TransferOptions.whenUnmetered.conditions
        #expect(conditions.isDiscretionary == false)
        #expect(conditions.constraints.constraints == Constraints(metered: .unmetered))
    }

    @Test("A8: constraints and dates become those of the task")
    func constraints() {
        var options = TransferOptions.whenUnmetered
        options.constraints.power = .acOrBattery(above: 130)
        options.constraints.allowsMeteredNetworks = true
        options.constraints.networkKinds = [.wifi, .ethernet]
        options.constraints.windows = [
            TransferWindow(fromHour: 23, toHour: 6, on: [.sunday, .monday]),
            TransferWindow(fromHour: 8, toHour: 8, on: [.tuesday]),
        ]
        options.constraints.allowsRoaming = false
        options.earliestBeginDate = Date(timeIntervalSince1970: 1e9)
        options.deadline = Date(timeIntervalSince1970: 2e9)
        var expected = Constraints(
            power: .acOrBattery(above: 100), linkKinds: .only([LinkKinds(.ethernet), LinkKinds(.wifi)]),
            metered: .allowed, notBefore: NotBeforeConstraint(WallTime(secondsSinceEpoch: 1_000_000_000)),
            deadline: DeadlineConstraint(WallTime(secondsSinceEpoch: 2_000_000_000)),
            connection: ConnectionConstraint(allowsRoaming: false))
        expected.window = WindowConstraint(windows: [
            .init(start: 23 * 3600, end: 30 * 3600), .init(start: 167 * 3600, end: 174 * 3600),
            .init(start: 32 * 3600, end: 56 * 3600),
        ])
        #expect(options.conditions.constraints.constraints == expected)
        options.constraints.networkKinds = []
        #expect(options.conditions.constraints.constraints.linkKinds == .only(LinkKinds(.unknown)))
    }

    @Test("errors say whether the same call may succeed later")
    func retryable() {
        func isRetryable(_ code: TransferError.Code) -> Bool { TransferError(code: code, message: "").isRetryable }
        #expect([408, 429, 500, 503].allSatisfy { isRetryable(.httpStatus($0)) })
        #expect(![400, 401, 404, 410].contains { isRetryable(.httpStatus($0)) })
        #expect(isRetryable(.canceled) && isRetryable(.disk) && isRetryable(.network(URLError(.timedOut))))
        #expect(!isRetryable(.network(URLError(.unsupportedURL))) && !isRetryable(.idInUse) && !isRetryable(.badID))
        #expect(isRetryable(.session(SessionError(code: .unavailable, message: ""))))
        #expect(!isRetryable(.session(SessionError(code: .invalidated, message: ""))))
    }
}

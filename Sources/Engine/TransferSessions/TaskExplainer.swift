// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic
internal import TransferEngine
package import TransferModel
internal import TransferScheduling

/// Explains why the tasks of sessions wait.
package struct TaskExplainer: Sendable {
    private let host: SessionHost
    private let localTime: @Sendable () -> LocalTimeRules

    /// - Parameter localTime: Returns the rules for the dates in sentences. Called for each explanation.
    package init(host: SessionHost, localTime: @escaping @Sendable () -> LocalTimeRules) {
        self.host = host
        self.localTime = localTime
    }

    /// Returns the reasons why a task waits. `nil` if the task runs, is about to run, has ended, or has not begun.
    package func explanation(ofTask number: Int, in key: SessionKey) async -> WaitExplanation? {
        let task = SessionMachine.TaskKey(session: key, number: number)
        guard let id = await host.read({ task.transfer(in: $0) }),
            let explanation = await host.engine.explanationInTurn(of: id), !explanation.reasons.isEmpty
        else { return nil }
        return WaitExplanation(explanation, localTime: localTime())
    }
}

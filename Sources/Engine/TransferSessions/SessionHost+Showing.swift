// SPDX-License-Identifier: Apache-2.0
package import SessionLogic

/// What is asked about sessions.
extension SessionHost {
    /// Answers a question about the sessions, as they are between two events.
    ///
    /// ```swift
    /// let tasks = await host.read { $0.tasks(of: key) }
    /// ```
    package func read<Value: Sendable>(_ question: @Sendable (SessionMachine) -> Value) -> Value { question(machine) }
}

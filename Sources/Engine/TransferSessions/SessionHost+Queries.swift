// SPDX-License-Identifier: Apache-2.0
package import SessionLogic

/// Queries about sessions.
extension SessionHost {
    /// Returns the result of a query on the sessions, in a consistent state between two events.
    ///
    /// ```swift
    /// let tasks = await host.read { $0.tasks(of: key) }
    /// ```
    package func read<Value: Sendable>(_ query: @Sendable (SessionMachine) -> Value) -> Value { query(machine) }
}

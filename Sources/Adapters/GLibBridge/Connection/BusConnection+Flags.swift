// SPDX-License-Identifier: Apache-2.0

extension BusConnection {
    /// Calls `body` with the first argument of each signal that matches, where that is a truth value, until the handle
    /// goes away.
    package func subscribe(
        toFlag member: String, of interface: String, at path: String, sender: String,
        _ body: @escaping (Bool) -> Void
    ) -> BusRegistration {
        subscribe(to: member, of: interface, at: path, sender: sender) { values in
            if case .bool(let flag)? = values.first { body(flag) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension BusConnection {
    /// Calls `body` with the first argument of each matching signal, until the returned handle is released. Signals
    /// whose first argument is not a Boolean value are ignored.
    package func subscribe(
        toFlag member: String, of interface: String, at path: String, sender: String,
        _ body: @escaping (Bool) -> Void
    ) -> BusRegistration {
        subscribe(to: member, of: interface, at: path, sender: sender) { values in
            if case .bool(let flag)? = values.first { body(flag) }
        }
    }
}

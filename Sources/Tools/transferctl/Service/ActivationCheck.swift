// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusClient

/// A check after an installation: has the session bus read the daemon's service file?
struct ActivationCheck {
    /// The address of the bus; `nil` for the session bus.
    let bus: String?

    /// Returns what to do if the session bus cannot start the daemon. Returns `nil` if the bus can, or if no bus runs: a bus
    /// reads the file when it starts.
    func advice(file: String, program: String) async -> String? {
        guard let address = bus ?? BusConnection.sessionBusAddress() else { return nil }
        let client = BusClient()
        var canStart = true
        if (try? await client.connect(address: address)) != nil {
            // The bus reloads its files in the background.
            for attempt in 0..<10 {
                canStart = (try? await client.isActivatable()) ?? true
                if canStart { break }
                if attempt < 9 { try? await Task.sleep(for: .milliseconds(100)) }
            }
        }
        await client.close()
        guard !canStart else { return nil }
        return """
            the session bus does not read \(file), so it cannot start the daemon. Either log out and log in again, or, if \
            XDG_DATA_HOME was set for this command only, set it for the whole session. Until then, start the daemon with \
            '\(program) &'.
            """
    }
}

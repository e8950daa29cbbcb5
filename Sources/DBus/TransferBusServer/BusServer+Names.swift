// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// Knowing who has which names on the bus, and who has gone.
extension BusServer {
    /// Asks whose the names are that were taken before we came; changes are told by the bus.
    func learnNames() {
        ask("ListNames", []) { server, names in
            for name in names.first?.items.compactMap(\.string) ?? [] where !name.hasPrefix(":") {
                server.ask("GetNameOwner", [.string(name)]) { server, owner in
                    if let owner = owner.first?.string { server.learn(name, of: owner) }
                }
            }
        }
    }

    /// The same where somebody wants an answer at once and not all of those have come yet: some hundred questions, each
    /// waited for.
    func learnNamesAtOnce() {
        guard questions > 0, let bus else { return }
        func ask(_ method: String, _ argument: String? = nil) -> VariantValue? {
            bus.askBus(method, argument, milliseconds: 2000)?.first
        }
        for name in ask("ListNames")?.items.compactMap(\.string) ?? [] where !name.hasPrefix(":") {
            guard let owner = ask("GetNameOwner", name)?.string, names.add(name, to: owner) else { continue }
            let process = ask("GetConnectionUnixProcessID", owner)?.integer
            names.setProcess(process.flatMap(Int32.init(exactly:)), of: owner)
        }
    }

    /// Somebody owns a name: the app of its process is known by it, whichever of its connections calls.
    private func learn(_ name: String, of owner: String) {
        noteDesktop(name, of: owner)
        guard names.add(name, to: owner) else { return }
        ask("GetConnectionUnixProcessID", [.string(owner)]) { server, process in
            server.names.setProcess(process.first?.integer.flatMap(Int32.init(exactly:)), of: owner)
        }
    }

    /// Asks the bus; calls wait until all is answered.
    private func ask(
        _ method: String, _ arguments: [VariantValue],
        _ body: @escaping @Sendable (isolated BusServer, [VariantValue]) -> Void
    ) {
        guard let bus else { return }
        let service = "org.freedesktop.DBus"
        questions += 1
        do {
            try bus.call(
                method, of: service, at: "/org/freedesktop/DBus", service: service, arguments,
                type: arguments.isEmpty ? "()" : "(s)", milliseconds: 10_000
            ) { result in
                self.assumeIsolated { server in
                    // What is not answered has gone meanwhile.
                    body(server, (try? result.get()) ?? [])
                    server.answered()
                }
            }
        } catch {
            answered()
        }
    }

    private func answered() {
        questions -= 1
        guard questions == 0 else { return }
        let waiting = unmet
        unmet = []
        for body in waiting { body() }
    }

    /// A name came, went or changed hands. A caller that goes away watches nothing any more, and its unique name is never
    /// another's.
    func note(name: String, from old: String, to new: String) {
        if name.hasPrefix(":") {
            guard new.isEmpty else { return }
            callers[name] = nil
            for body in unidentified.removeValue(forKey: name) ?? [] { body(self, nil) }
            watchers[name] = nil
            missed[name] = nil
            stalledCalls[name] = nil
            flow?.forget(name)
            names.remove(owner: name)
            forgetReader(name)
            forgetSessionUser(name)
        } else {
            names.remove(name, from: old)
            forgetDesktop(name)
            if !new.isEmpty { learn(name, of: new) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A tracker of the owners of well-known names, fed by the bus.
///
/// Used only on the server's thread.
final class NameOwners {
    private(set) var registry = NameRegistry()
    /// Called with each name that has an owner, and with the owner's unique name. The name is in ``registry`` by then.
    var onOwner: (_ name: String, _ owner: String) -> Void = { _, _ in }
    private let connection: ServerConnection
    /// The number of unanswered requests about names.
    private var pendingRequests = 0
    private var waiting: [() -> Void] = []

    /// Creates a tracker without names.
    init(over connection: ServerConnection) { self.connection = connection }

    /// Whether requests about names are still unanswered.
    var isLoading: Bool { pendingRequests > 0 }

    /// Calls `body` after all requests about names are answered. Call this method only while ``isLoading`` is true.
    func whenLoaded(_ body: @escaping () -> Void) { waiting.append(body) }

    /// Requests the owners of all names that were acquired before the server connected. The bus reports later changes
    /// on its own.
    func loadAll() {
        ask("ListNames", []) { names in
            for name in Self.wellKnown(names.first) {
                self.ask("GetNameOwner", [.string(name)]) { owner in
                    if let owner = owner.first?.string { self.record(name, of: owner) }
                }
            }
        }
    }

    /// Learns the missing owners synchronously, for a caller that requires an immediate result. Blocks for each of a
    /// hundred or so replies, up to 2 s for each. Does nothing unless ``isLoading``.
    func loadSynchronously() {
        guard isLoading, let bus = connection.bus else { return }
        func ask(_ method: String, _ argument: String? = nil) -> VariantValue? {
            bus.callBusSynchronously(method, argument, milliseconds: 2000)?.first
        }
        for name in Self.wellKnown(ask("ListNames")) {
            guard let owner = ask("GetNameOwner", name)?.string, registry.add(name, to: owner) else { continue }
            setProcess(ask("GetConnectionUnixProcessID", owner), of: owner)
        }
    }

    /// Updates the owner of a well-known name. `new` is empty if the name no longer has an owner.
    func change(_ name: String, from old: String, to new: String) {
        registry.remove(name, from: old)
        if !new.isEmpty { record(name, of: new) }
    }

    /// Removes a closed connection.
    func forget(owner: String) { registry.remove(owner: owner) }

    /// Records the owner of a name. The name then identifies the owner's process, whichever of the process's
    /// connections calls.
    private func record(_ name: String, of owner: String) {
        let needsProcess = registry.add(name, to: owner)
        onOwner(name, owner)
        guard needsProcess else { return }
        ask("GetConnectionUnixProcessID", [.string(owner)]) { self.setProcess($0.first, of: owner) }
    }

    private func setProcess(_ process: VariantValue?, of owner: String) {
        registry.setProcess(process?.integer.flatMap(Int32.init(exactly:)), of: owner)
    }

    private static func wellKnown(_ names: VariantValue?) -> [String] {
        names?.items.compactMap(\.string).filter { !$0.hasPrefix(":") } ?? []
    }

    /// Calls a method of the bus. Identifications wait until all calls are answered. An empty reply means that the
    /// name or connection is gone.
    private func ask(_ method: String, _ arguments: [VariantValue], _ body: @escaping ([VariantValue]) -> Void) {
        guard let bus = connection.bus else { return }
        let service = "org.freedesktop.DBus"
        pendingRequests += 1
        do {
            try bus.call(
                method, of: service, at: "/org/freedesktop/DBus", service: service, arguments,
                type: arguments.isEmpty ? "()" : "(s)", milliseconds: 10_000
            ) { result in
                body((try? result.get()) ?? [])
                self.requestEnded()
            }
        } catch {
            requestEnded()
        }
    }

    private func requestEnded() {
        pendingRequests -= 1
        guard pendingRequests == 0 else { return }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body() }
    }
}

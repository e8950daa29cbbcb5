// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// The registry of identified callers. Identifies each connection once, at its first call, and never by a bare
/// process id (rule C1).
///
/// The bus reports the process id of a connection, but the kernel may have reused that id by then. The registry
/// therefore opens a pidfd first and asks the bus a second time. Only then does the registry read `/proc`, while the
/// pidfd shows that the process still runs. A bus that supplies a pidfd itself (`ProcessFD`) need not be asked again.
/// Used only on the server's thread.
final class CallerRegistry {
    private let connection: ServerConnection
    private let names: NameOwners
    private let launched: LaunchedPrograms
    private let trustedSandboxes: () -> Set<String>
    private var known: [String: BusCaller] = [:]
    /// The callbacks that await the identification of a connection, by the connection's unique name.
    private var waiting: [String: [(BusCaller?) -> Void]] = [:]

    /// Creates a registry without callers.
    ///
    /// - Parameters:
    ///   - launched: The programs that the daemon started for their apps.
    ///   - trustedSandboxes: The systemd units whose sandboxes the user has admitted.
    init(
        over connection: ServerConnection, names: NameOwners, launched: LaunchedPrograms,
        trustedSandboxes: @escaping () -> Set<String>
    ) {
        (self.connection, self.names, self.launched) = (connection, names, launched)
        self.trustedSandboxes = trustedSandboxes
    }

    /// The identified caller with a unique name; `nil` if no such caller is identified.
    subscript(name: String) -> BusCaller? { known[name] }

    /// Identifies the program behind a unique name. Passes `nil` to `body` if the program cannot be identified, for
    /// example because its connection has closed.
    func identify(_ name: String, _ body: @escaping (BusCaller?) -> Void) {
        if let known = known[name] { return body(known) }
        let isFirst = waiting[name] == nil
        waiting[name, default: []].append(body)
        guard isFirst, let bus = connection.bus else { return }
        bus.credentials(of: name) { self.receivedCredentials(of: name, $0) }
    }

    private func receivedCredentials(of sender: String, _ credentials: BusCredentials?) {
        guard let bus = connection.bus, let credentials else { return identified(sender, as: nil) }
        if let descriptor = credentials.processDescriptor {
            return classifyCaller(sender, credentials.process, ProcessHandle(taking: descriptor))
        }
        let handle = ProcessHandle(of: credentials.process)
        bus.credentials(of: sender) { again in
            if let descriptor = again?.processDescriptor { _ = ProcessHandle(taking: descriptor) }
            self.classifyCaller(sender, credentials.process, again?.process == credentials.process ? handle : nil)
        }
    }

    /// Classifies the caller after the owners of all names on the bus are known.
    private func classifyCaller(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) {
        guard !names.isLoading else { return names.whenLoaded { self.classifyCaller(sender, process, handle) } }
        identified(sender, as: classify(sender, process, handle))
    }

    /// Records the caller and runs the callbacks that await its identification.
    private func identified(_ name: String, as caller: BusCaller?) {
        // The connection may have closed in the meantime. Nothing would then remove the recorded caller.
        guard let waiting = waiting.removeValue(forKey: name) else { return }
        known[name] = caller
        for body in waiting { body(caller) }
    }

    private func classify(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) -> BusCaller? {
        guard let handle, let facts = ProcessFacts.read(of: process, handle: handle) else { return nil }
        return CallerClassifier.current(trusted: trustedSandboxes()).caller(
            sender, process: process, facts, ownedNames: names.registry.names(of: sender, process: process),
            launched: launched.app(of: process))
    }

    /// Identifies a caller synchronously, because GDBus requires an immediate result. Blocks until the bus replies.
    /// An identified caller is normally recorded, so that the wait happens once.
    func identifySynchronously(_ sender: String) -> BusCaller? {
        if let known = known[sender] { return known }
        guard let bus = connection.bus else { return nil }
        names.loadSynchronously()
        guard let credentials = bus.credentialsSynchronously(of: sender) else { return nil }
        let handle: ProcessHandle?
        if let descriptor = credentials.processDescriptor {
            handle = ProcessHandle(taking: descriptor)
        } else {
            handle = ProcessHandle(of: credentials.process)
            let again = bus.credentialsSynchronously(of: sender)
            if let descriptor = again?.processDescriptor { _ = ProcessHandle(taking: descriptor) }
            guard again?.process == credentials.process else { return nil }
        }
        let caller = classify(sender, credentials.process, handle)
        // A caller is not recorded while names are still being learned. Its first call classifies the caller again.
        if !names.isLoading, let caller { known[sender] = caller }
        return caller
    }

    /// Removes a closed connection. Passes `nil` to the callbacks that await its identification.
    func forget(_ name: String) {
        known[name] = nil
        for body in waiting.removeValue(forKey: name) ?? [] { body(nil) }
    }

    /// Discards the classifications of all callers except the user's and the RPC server's. Called after the user admits a
    /// sandbox or withdraws the admission. The RPC server cannot be classified again, because it hides its facts from
    /// other programs of the user.
    func forgetClassifications() { known = known.filter { $0.value.isPerson || $0.value.app == BusCaller.rpc } }
}

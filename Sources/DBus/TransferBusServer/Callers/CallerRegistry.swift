// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// The identified callers: each connection once, at its first call, and never by a bare process number (rule C1).
///
/// The bus says which process has a connection. That number may have become another process's by then, so a handle of the
/// process is opened first, the bus is asked once more, and only then `/proc` is read while the handle shows that the process
/// runs. A bus that hands out such a handle itself (`ProcessFD`) is asked once. Used on the server's thread only.
final class CallerRegistry {
    private let connection: ServerConnection
    private let names: NameOwners
    private let launched: LaunchedPrograms
    private let trustedSandboxes: () -> Set<String>
    private var known: [String: BusCaller] = [:]
    /// Closures that wait until connections are identified, by the connections' unique names.
    private var waiting: [String: [(BusCaller?) -> Void]] = [:]

    /// Knows nobody yet.
    ///
    /// - Parameters:
    ///   - launched: the programs that were started for their apps.
    ///   - trustedSandboxes: the systemd units whose sandboxes a person has admitted.
    init(
        over connection: ServerConnection, names: NameOwners, launched: LaunchedPrograms,
        trustedSandboxes: @escaping () -> Set<String>
    ) {
        (self.connection, self.names, self.launched) = (connection, names, launched)
        self.trustedSandboxes = trustedSandboxes
    }

    /// The caller of a unique name; nil where none is identified.
    subscript(name: String) -> BusCaller? { known[name] }

    /// Identifies the program behind a unique name; nil where there is none any more.
    func identify(_ name: String, _ body: @escaping (BusCaller?) -> Void) {
        if let known = known[name] { return body(known) }
        let isFirst = waiting[name] == nil
        waiting[name, default: []].append(body)
        guard isFirst, let bus = connection.bus else { return }
        bus.credentials(of: name) { self.learnedProcess(of: name, $0) }
    }

    private func learnedProcess(of sender: String, _ credentials: BusCredentials?) {
        guard let bus = connection.bus, let credentials else { return identified(sender, as: nil) }
        if let descriptor = credentials.processDescriptor {
            return meet(sender, credentials.process, ProcessHandle(taking: descriptor))
        }
        let handle = ProcessHandle(of: credentials.process)
        bus.credentials(of: sender) { again in
            if let descriptor = again?.processDescriptor { _ = ProcessHandle(taking: descriptor) }
            self.meet(sender, credentials.process, again?.process == credentials.process ? handle : nil)
        }
    }

    /// Classifies the caller once all names on the bus are known.
    private func meet(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) {
        guard !names.isLearning else { return names.whenLearned { self.meet(sender, process, handle) } }
        identified(sender, as: classify(sender, process, handle))
    }

    /// Tells all who wait for it.
    private func identified(_ name: String, as caller: BusCaller?) {
        // The connection may have gone meanwhile: nobody would remove what is kept of it now.
        guard let waiting = waiting.removeValue(forKey: name) else { return }
        known[name] = caller
        for body in waiting { body(caller) }
    }

    private func classify(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) -> BusCaller? {
        guard let handle, let facts = ProcessFacts.read(of: process, handle: handle) else { return nil }
        return CallerClassifier.current(trusted: trustedSandboxes()).caller(
            sender, process: process, facts, ownedNames: names.book.names(of: sender, process: process),
            launched: launched.app(of: process))
    }

    /// Identifies a caller if GDBus wants an answer at once: the bus is asked and waited for, once for each caller.
    func identifyAtOnce(_ sender: String) -> BusCaller? {
        if let known = known[sender] { return known }
        guard let bus = connection.bus else { return nil }
        names.learnAtOnce()
        guard let credentials = bus.credentialsAtOnce(of: sender) else { return nil }
        let handle: ProcessHandle?
        if let descriptor = credentials.processDescriptor {
            handle = ProcessHandle(taking: descriptor)
        } else {
            handle = ProcessHandle(of: credentials.process)
            let again = bus.credentialsAtOnce(of: sender)
            if let descriptor = again?.processDescriptor { _ = ProcessHandle(taking: descriptor) }
            guard again?.process == credentials.process else { return nil }
        }
        let caller = classify(sender, credentials.process, handle)
        // Not kept while names were still being learned: its first call classifies it again.
        if !names.isLearning, let caller { known[sender] = caller }
        return caller
    }

    /// A connection has gone: whoever waits for its identification is told that there is no caller.
    func forget(_ name: String) {
        known[name] = nil
        for body in waiting.removeValue(forKey: name) ?? [] { body(nil) }
    }

    /// Forgets how programs in sandboxes were classified: a person has admitted one, or does so no longer.
    func forgetClassifications() { known = known.filter { $0.value.isPerson } }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// Identifying callers: each connection once, at its first call, and never by a bare process number (rule C1).
///
/// The bus says which process has a connection. That number may have become another process's by then, so a handle of the
/// process is opened first, the bus is asked once more, and only then `/proc` is read while the handle shows that the process
/// runs. A bus that hands out such a handle itself (`ProcessFD`) is asked once.
extension BusServer {
    /// Answers a call once it is known who calls.
    func identifyCaller(of call: BusCall) {
        identify(call.sender) { server, caller in
            guard let caller else {
                return call.fail(
                    BusFault(
                        .accessDenied,
                        "the bus cannot say which process calls, or that has ended; call from a process that runs"))
            }
            server.answer(call, from: caller)
        }
    }

    /// Identifies the program behind a unique name; nil where there is none any more.
    func identify(_ name: String, _ body: @escaping (isolated BusServer, BusCaller?) -> Void) {
        if let known = callers[name] { return body(self, known) }
        let isFirst = unidentified[name] == nil
        unidentified[name, default: []].append(body)
        guard isFirst, let bus else { return }
        bus.credentials(of: name) { credentials in
            self.assumeIsolated { $0.learnedProcess(of: name, credentials) }
        }
    }

    private func learnedProcess(of sender: String, _ credentials: BusCredentials?) {
        guard let bus, let credentials else { return identified(sender, as: nil) }
        if let descriptor = credentials.processDescriptor {
            return meet(sender, credentials.process, ProcessHandle(taking: descriptor))
        }
        let handle = ProcessHandle(of: credentials.process)
        bus.credentials(of: sender) { again in
            if let descriptor = again?.processDescriptor { _ = ProcessHandle(taking: descriptor) }
            let isSame = again?.process == credentials.process
            self.assumeIsolated { $0.meet(sender, credentials.process, isSame ? handle : nil) }
        }
    }

    /// Classifies the caller once all names on the bus are known.
    private func meet(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) {
        guard questions == 0 else { return unmet.append { self.assumeIsolated { $0.meet(sender, process, handle) } } }
        identified(sender, as: classify(sender, process, handle))
    }

    /// Tells all who wait for it.
    private func identified(_ name: String, as caller: BusCaller?) {
        // The connection may have gone meanwhile: nobody would remove what is kept of it now.
        guard let waiting = unidentified.removeValue(forKey: name) else { return }
        callers[name] = caller
        for body in waiting { body(self, caller) }
    }

    private func classify(_ sender: String, _ process: Int32, _ handle: ProcessHandle?) -> BusCaller? {
        guard let handle, let facts = ProcessFacts.read(of: process, handle: handle) else { return nil }
        return CallerClassifier.current(trusted: service.trustedSandboxes).caller(
            sender, process: process, facts, ownedNames: names.names(of: sender, process: process),
            launched: programs.launched.app(of: process))
    }

    /// Identifies a caller if GDBus wants an answer at once: the bus is asked and waited for, once for each caller.
    func callerAtOnce(_ sender: String) -> BusCaller? {
        if let known = callers[sender] { return known }
        guard let bus else { return nil }
        learnNamesAtOnce()
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
        if questions == 0, let caller { callers[sender] = caller }
        return caller
    }

    /// Forgets how programs in sandboxes were classified: a person has admitted one, or does so no longer.
    package nonisolated func reclassify() {
        perform { server in server.callers = server.callers.filter { $0.value.isPerson } }
    }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The owners of well-known names, as the bus tells them.
///
/// Used on the server's thread only.
final class NameOwners {
    private(set) var book = NameBook()
    /// Called with each name that has an owner, and the owner's unique name.
    var onOwner: (_ name: String, _ owner: String) -> Void = { _, _ in }
    private let connection: ServerConnection
    /// The number of answers about names that are on their way.
    private var questions = 0
    private var waiting: [() -> Void] = []

    /// No name is known yet.
    init(over connection: ServerConnection) { self.connection = connection }

    /// Whether some of the names that were asked for are not known yet.
    var isLearning: Bool { questions > 0 }

    /// Calls `body` once the owners of all names are known. Only while ``isLearning``.
    func whenLearned(_ body: @escaping () -> Void) { waiting.append(body) }

    /// Asks for the owners of all names that were taken before the server came; the bus tells later changes by itself.
    func learnAll() {
        ask("ListNames", []) { names in
            for name in Self.wellKnown(names.first) {
                self.ask("GetNameOwner", [.string(name)]) { owner in
                    if let owner = owner.first?.string { self.learn(name, of: owner) }
                }
            }
        }
    }

    /// Asks for what is not known yet and waits for each of some hundred answers: for somebody who wants an answer at once.
    func learnAtOnce() {
        guard isLearning, let bus = connection.bus else { return }
        func ask(_ method: String, _ argument: String? = nil) -> VariantValue? {
            bus.askBus(method, argument, milliseconds: 2000)?.first
        }
        for name in Self.wellKnown(ask("ListNames")) {
            guard let owner = ask("GetNameOwner", name)?.string, book.add(name, to: owner) else { continue }
            setProcess(ask("GetConnectionUnixProcessID", owner), of: owner)
        }
    }

    /// A well-known name came, went or changed hands; `new` is empty where nobody owns it any more.
    func change(_ name: String, from old: String, to new: String) {
        book.remove(name, from: old)
        if !new.isEmpty { learn(name, of: new) }
    }

    /// A connection has gone.
    func forget(owner: String) { book.remove(owner: owner) }

    /// Somebody owns a name: the app of its process is known by it, whichever of its connections calls.
    private func learn(_ name: String, of owner: String) {
        onOwner(name, owner)
        guard book.add(name, to: owner) else { return }
        ask("GetConnectionUnixProcessID", [.string(owner)]) { self.setProcess($0.first, of: owner) }
    }

    private func setProcess(_ process: VariantValue?, of owner: String) {
        book.setProcess(process?.integer.flatMap(Int32.init(exactly:)), of: owner)
    }

    private static func wellKnown(_ names: VariantValue?) -> [String] {
        names?.items.compactMap(\.string).filter { !$0.hasPrefix(":") } ?? []
    }

    /// Asks the bus; identifications wait until all is answered. What is not answered has gone meanwhile.
    private func ask(_ method: String, _ arguments: [VariantValue], _ body: @escaping ([VariantValue]) -> Void) {
        guard let bus = connection.bus else { return }
        let service = "org.freedesktop.DBus"
        questions += 1
        do {
            try bus.call(
                method, of: service, at: "/org/freedesktop/DBus", service: service, arguments,
                type: arguments.isEmpty ? "()" : "(s)", milliseconds: 10_000
            ) { result in
                body((try? result.get()) ?? [])
                self.answered()
            }
        } catch {
            answered()
        }
    }

    private func answered() {
        questions -= 1
        guard questions == 0 else { return }
        let waiting = waiting
        self.waiting = []
        for body in waiting { body() }
    }
}

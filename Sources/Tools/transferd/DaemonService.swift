// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import LinuxClock
import Logging
import SQLiteStore
import ToolSupport
import TransferBus
import TransferEngine
import TransferPolicy
import TransferScheduling
import URLSessionExecutor

/// What stands behind the bus: checks who may do what, hands it to the engine, and keeps the book that lists are made
/// from.
actor DaemonService: TransferService {
    private let engine: TransferEngine
    private let alarm: any Alarm
    private let holdSwitch: HoldSwitch
    private let defaultDirectory: String
    private let stateDirectory: String
    private let logger: Logger
    private var configuration: DaemonConfiguration
    private var book = TransferBook()
    private var localTime: LocalTimeRules
    /// Tells watchers; nil before the bus is there.
    private var tell: (@Sendable (TransferStatus) async -> Void)?
    /// Whose progress was told when, so that it is told four times a second at most.
    private var told: [TransferID: ContinuousClock.Instant] = [:]
    private static let tellInterval = Duration.milliseconds(250)

    init(
        engine: TransferEngine, alarm: any Alarm, holdSwitch: HoldSwitch, configuration: DaemonConfiguration,
        stateDirectory: String, defaultDirectory: String, logger: Logger
    ) {
        self.engine = engine
        self.alarm = alarm
        self.holdSwitch = holdSwitch
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.defaultDirectory = defaultDirectory
        self.logger = logger
        localTime = LocalTimeRules(current: alarm.now().wall)
    }

    /// Fills the book with what the store has.
    func load(_ store: SQLiteStore) async throws {
        for transfer in try await store.ended(limit: 1000).reversed() { book.add(transfer) }
        for transfer in try await store.unfinished() { book.add(transfer) }
    }

    /// Follows the engine until its end.
    func follow(telling tell: @escaping @Sendable (TransferStatus) async -> Void) async {
        self.tell = tell
        for await update in engine.updates {
            switch update {
            case .transfer(let transfer): await take(transfer)
            case .conditions(let conditions): localTime = conditions.localTime
            case .storeTrouble(let error): logger.error("the queue could not be saved", metadata: ["why": "\(error)"])
            }
        }
    }

    private func take(_ update: TransferUpdate) async {
        guard let status = book.apply(update) else { return }
        log(update, status)
        if case .progressed = update.kind {
            let now = ContinuousClock.now
            if let last = told[update.id], now - last < Self.tellInterval { return }
            told[update.id] = now
        }
        if status.state.isOver { told[update.id] = nil }
        await tell?(status)
    }

    private func log(_ update: TransferUpdate, _ status: TransferStatus) {
        let metadata: Logger.Metadata = ["id": "\(status.id)", "url": "\(status.url)", "app": "\(status.app)"]
        switch update.kind {
        case .started: logger.debug("started", metadata: metadata)
        case .waiting, .progressed: break
        case .paused(let explanation, _):
            logger.info("paused: \(explanation.sentence(localTime: localTime))", metadata: metadata)
        case .retrying(_, let failure, _): logger.info("failed for now: \(failure.message)", metadata: metadata)
        case .finished, .failed, .cancelled:
            logger.info("\(status.state.rawValue)\(status.error.map { ": \($0)" } ?? "")", metadata: metadata)
        }
    }

    /// Takes over other settings, as far as they take effect while transfers run.
    func reconfigure(_ configuration: DaemonConfiguration) throws {
        let isPolicyNew = configuration.policy != self.configuration.policy
        if isPolicyNew { engine.setPolicy(try PolicyCatalog.policy(named: configuration.policy)) }
        self.configuration = configuration
    }

    // MARK: TransferService

    nonisolated var now: WallTime { alarm.now().wall }

    func submit(_ requests: [TransferRequest], from caller: BusCaller) async throws -> [TransferID] {
        guard book.openCount(of: caller.app) + requests.count <= configuration.openPerApp else {
            throw BusFault(
                .tooManyTransfers,
                "\(caller.app) has \(book.openCount(of: caller.app)) open transfers and may have "
                    + "\(configuration.openPerApp); wait for some to end")
        }
        let proxies = ProxyRule(explicit: nil)
        let transfers = try requests.enumerated().map { index, request -> NewTransfer in
            do {
                return NewTransfer(try specification(for: request, proxies: proxies, from: caller))
            } catch let error as UsageError {
                let place = requests.count > 1 ? "transfer \(index + 1) of \(requests.count): " : ""
                throw BusFault(.invalidArgument, place + error.description)
            }
        }
        let ids = try await asking { try await engine.submit(transfers) }
        for (id, transfer) in zip(ids, transfers) {
            book.add(id, transfer.specification)
            logger.info(
                "handed over",
                metadata: [
                    "id": "\(id)", "url": "\(TransferSpecification.redacted(url: transfer.specification.url))",
                    "app": "\(caller.app)",
                ])
        }
        return ids
    }

    private func specification(
        for request: TransferRequest, proxies: ProxyRule, from caller: BusCaller
    ) throws -> TransferSpecification {
        let target = try TransferTarget(request.specification.url, proxies: proxies)
        var specification = request.specification
        specification.url = target.url
        specification.credential = specification.credential ?? target.credential
        specification.traits.host = target.host
        specification.traits.isLoopback = target.isLoopback
        specification.traits.app = caller.app
        if let upload = request.upload {
            do throws(TransferFailure) {
                let source = try UploadSource(
                    fileAt: upload.path, method: upload.method, contentType: upload.contentType,
                    resumption: upload.resumption)
                specification.upload = source
                specification.traits.expectedBytesToSend = source.size
            } catch {
                throw UsageError(error.message)
            }
        } else if specification.destination.directory.isEmpty {
            try PrivateFolder.make(defaultDirectory, called: "the folder for files", remedy: "name a directory")
            specification.destination.directory = defaultDirectory
        }
        return specification
    }

    func list(_ filter: TransferFilter, for caller: BusCaller) async throws -> [TransferStatus] {
        func fits(_ status: TransferStatus) -> Bool {
            (caller.isPerson || status.app == caller.app) && filter.session.map { status.session == $0 } ?? true
                && filter.app.map { status.app == $0 } ?? true
        }
        var rows = book.open.values.map(\.status).filter(fits).sorted { $0.id < $1.id }
        if filter.isExplained {
            for index in rows.indices where rows[index].state == .waiting {
                rows[index].sentence = await engine.explanation(of: rows[index].id)?.sentence(localTime: localTime)
            }
        }
        rows += book.ended.reversed().lazy.filter(fits).prefix(filter.ended)
        return rows
    }

    /// How a transfer stands that the caller may reach.
    private func status(of id: TransferID, for caller: BusCaller) throws -> TransferStatus {
        guard let status = book.status(of: id), caller.isPerson || status.app == caller.app else {
            throw BusFault(.noSuchTransfer, "there is no transfer \(id); 'transferctl list --all' shows all there are")
        }
        return status
    }

    func show(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue] {
        var status = try status(of: id, for: caller)
        guard let entry = book.open[id] else { return status.fields }
        if status.state == .waiting {
            status.sentence = await engine.explanation(of: id)?.sentence(localTime: localTime)
        }
        var fields = status.fields
        fields["directory"] = .string(entry.directory)
        fields["constraints"] = .dictionary(entry.constraints.busFields)
        return fields
    }

    func explain(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue] {
        let status = try status(of: id, for: caller)
        guard !status.state.isOver, let explanation = await explanation(of: id) else {
            return ["sentence": .string(status.error ?? "it is \(status.state.rawValue)"), "reasons": .list([])]
        }
        var fields = ExplanationFields.fields(of: explanation, localTime: localTime)
        if explanation.holds.isEmpty { fields["sentence"] = .string("nothing holds it: it runs, or is about to") }
        return fields
    }

    /// Why it waits; just after the start that is known once the engine has looked at the machine, 2 s at most.
    private func explanation(of id: TransferID) async -> Explanation? {
        for _ in 0..<150 {
            if let explanation = await engine.explanation(of: id) { return explanation }
            guard book.open[id] != nil, (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
        }
        return nil
    }

    func steer(_ ids: [TransferID], _ deed: TransferDeed, for caller: BusCaller) async throws {
        for id in ids {
            let status = try status(of: id, for: caller)
            guard !status.state.isOver else {
                throw BusFault(.transferEnded, "transfer \(id) is over: \(status.state.rawValue)")
            }
        }
        for id in ids {
            switch deed {
            case .pause: engine.pause(id)
            case .resume: engine.resume(id)
            case .cancel: engine.cancel(id)
            case .startNow:
                try await asking { try await engine.change(id, .startNow) }
                engine.resume(id)
            }
        }
        // Answered once it is saved: a change that changes nothing comes after all that was asked before.
        for id in ids.suffix(1) { try? await engine.change(id, TransferChange()) }
        for id in ids {
            book.change(id) { entry in
                switch deed {
                case .pause where entry.status.state == .waiting: entry.status.state = .paused
                case .resume where entry.status.state == .paused: entry.status.state = .waiting
                case .startNow:
                    entry.status.kind = .userInitiated
                    if entry.status.state == .paused { entry.status.state = .waiting }
                default: break
                }
            }
            if let status = book.open[id]?.status { await tell?(status) }
        }
    }

    func change(_ id: TransferID, _ values: [String: VariantValue], for caller: BusCaller) async throws {
        let status = try status(of: id, for: caller)
        guard let entry = book.open[id] else {
            throw BusFault(.transferEnded, "transfer \(id) is over: \(status.state.rawValue)")
        }
        var fields = BusFields(values)
        var change = TransferChange()
        change.kind = try fields.choice("kind", of: WorkKind.self)
        change.priority = try fields.integer("priority", in: 0...1000).map(Int.init)
        var constraints = entry.constraints
        if try constraints.take(&fields) { change.constraints = constraints }
        try fields.end(in: "a change")
        try await asking { try await engine.change(id, change) }
        book.change(id) { entry in
            entry.constraints = change.constraints ?? entry.constraints
            entry.status.kind = change.kind ?? entry.status.kind
            entry.status.priority = change.priority ?? entry.status.priority
        }
        if let status = book.open[id]?.status { await tell?(status) }
    }

    func hold(_ request: HoldRequest?, for caller: BusCaller) async throws {
        guard caller.isPerson else {
            throw BusFault(.accessDenied, "only the person can hold everything: run 'transferctl hold'")
        }
        let hold = request.map { request in
            MachineHold(
                by: "the user", why: request.reason.isEmpty ? "no reason was given" : request.reason,
                until: request.seconds.map { now.advanced(by: .seconds(min($0, 3_155_760_000))) })
        }
        do { try holdSwitch.set(hold) } catch {
            throw BusFault(.storeFailed, "the hold cannot be saved: \(error.localizedDescription)")
        }
        logger.info(hold == nil ? "released" : "held", metadata: hold.map { ["why": "\($0.why)"] } ?? [:])
    }

    func properties() async -> [String: VariantValue] {
        [
            "Version": .string(TransferdCommand.version), "ProcessID": .integer(Int64(getpid())),
            "Policy": .string(configuration.policy), "Held": .dictionary(Self.fields(of: holdSwitch.hold)),
            "StateDirectory": .string(stateDirectory),
        ]
    }

    /// The hold as a property.
    static func fields(of fact: Fact<MachineHold?>) -> [String: VariantValue] {
        guard let hold = fact.value else { return [:] }
        var fields: [String: VariantValue] = [
            "reason": .string(hold.why), "since": .string(BusDate(fact.since.wall).description),
        ]
        fields["until"] = hold.until.map { .string(BusDate($0).description) }
        return fields
    }

    /// What the engine refuses, in the bus's words.
    private func asking<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch is EngineEndedError {
            throw BusFault(.shuttingDown, "the daemon is on its way out; the next call starts it again")
        } catch let error as RefusedTransferError {
            throw BusFault(.invalidArgument, error.description)
        } catch let error as TransferChangeError {
            throw BusFault(.invalidArgument, error.description)
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            throw BusFault(.transferEnded, error.description)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferModel

/// Reads one condition of the user and follows its source.
///
/// A source that changes all the time costs ten reads per second at most, because its events are ignored for a tenth of a
/// second after each read, and those of a service on D-Bus for a second. Used on one executor's thread only.
final class CustomConditionReader {
    /// The pause after a change before the source is read again.
    private static let pause: UInt32 = 100
    /// The maximum size of a value's text in bytes.
    private static let sizeLimit = 4096

    private let source: CustomConditionSource
    private let executor: GLibExecutor
    private let serviceTimeLimit: Duration
    private let followsPipes: Bool
    private let deliver: (CustomReading) -> Void
    private var watch: FileWatch?
    private var pipe: GLibSource?
    private var pipeTimer: GLibSource?
    private var pipeDescriptor: Int32 = -1
    private var line = ""
    private var command: SourceCommand?
    private var property: ServiceReader<VariantValue>?
    /// Whether the next reply is the first after the reader of the property was attached.
    private var isFirstReply = false
    private var sessionBus: SystemBus?
    private var timer: GLibSource?
    private var debounce: GLibSource?
    /// The reading that counts, and the one that has to last.
    private var current: CustomReading?
    private var offered: CustomReading?

    /// Creates a reader that does not read anything yet.
    init(
        _ source: CustomConditionSource, on executor: GLibExecutor, serviceTimeLimit: Duration, followsPipes: Bool,
        deliver: @escaping (CustomReading) -> Void
    ) {
        (self.source, self.executor, self.deliver) = (source, executor, deliver)
        (self.serviceTimeLimit, self.followsPipes) = (serviceTimeLimit, followsPipes)
    }

    /// Starts reading. The first delivery, before the return, may be of a pending value.
    func start() {
        deliver(CustomReading(pending: source))
        switch source.origin {
        case .file, .setting, .command: read()
        case .property(let property):
            guard !property.isOnSystemBus else { break }  // The bus that all readers share attaches it.
            sessionBus = SystemBus(
                on: executor, timeLimit: serviceTimeLimit, address: { BusConnection.sessionBusAddress() }
            ) { [weak self] in
                self?.attach(to: $0)
            } onLoss: { [weak self] in
                self?.handleBusLoss()
            }
            sessionBus?.start()
        }
    }

    /// Reads the source now, for example after the machine was asleep.
    func read() {
        switch source.origin {
        case .file(let path), .setting(let path): follow(path)
        case .command(let words):
            timer = executor.after(milliseconds: max(source.interval, .seconds(5)).timerMilliseconds) {
                [weak self] in self?.read()
            }
            guard command?.hasEnded ?? true else { return }
            command = SourceCommand(
                words, name: source.originText, timeLimit: .seconds(5), sizeLimit: Self.sizeLimit, on: executor
            ) { [weak self] content in
                self?.offer(content.problem.map { .failure(SourceProblem(text: $0)) } ?? .success(content.text))
            }
        case .property: property?.refresh()
        }
    }

    /// Stops reading. A running command is ended.
    func stop() {
        command?.end()
        property?.detach()
        sessionBus?.stop()
        closePipe()
        (watch, command, property, sessionBus, timer, debounce) = (nil, nil, nil, nil, nil, nil)
    }

    // MARK: Files

    private func follow(_ path: String) {
        // The watch begins before the read, so that no change between the two is missed.
        watch = FileWatch(path: path, on: executor) { [weak self] in self?.fileChanged(path) }
        guard followPipe(path) else {
            offer(text(ofFile: path))
            // The kernel reports no changes of its own files.
            let isKernelFile = path.hasPrefix("/proc/") || path.hasPrefix("/sys/")
            guard watch == nil || isKernelFile else { return }
            timer = executor.after(milliseconds: source.interval.timerMilliseconds) { [weak self] in self?.follow(path)
            }
            return
        }
        if !followsPipes {
            offer(.failure(SourceProblem(text: "is a FIFO, which only the daemon reads; use a file")))
        } else if current == nil {
            offer(.failure(SourceProblem(text: "has given no value yet")))
        }
    }

    private func fileChanged(_ path: String) {
        watch = nil
        timer = executor.after(milliseconds: Self.pause) { [weak self] in self?.follow(path) }
    }

    private func text(ofFile path: String) -> Result<String, SourceProblem> {
        switch SmallFile.content(path) {
        case .text(let text): .success(text)
        case .failed(ENOENT) where source.origin == .setting(path):
            .failure(SourceProblem(text: "has no value; use 'transferctl conditions set \(source.name) VALUE'"))
        case .failed(let code): .failure(SourceProblem(text: "cannot be read (\(String(cString: strerror(code))))"))
        }
    }

    /// Opens a FIFO, unless it is open. Returns whether the path is one.
    ///
    /// The FIFO is opened for reading and writing, so that it has no end after each writer. Each line reaches one reader
    /// only, so one process per user follows it.
    private func followPipe(_ path: String) -> Bool {
        var (status, opened) = (stat(), stat())
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            closePipe()
            return false
        }
        guard followsPipes else { return true }
        if pipeDescriptor >= 0, fstat(pipeDescriptor, &opened) == 0, opened.st_ino == status.st_ino,
            opened.st_dev == status.st_dev
        {
            return true
        }
        closePipe()
        pipeDescriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipeDescriptor >= 0, fstat(pipeDescriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFIFO else {
            closePipe()
            return false
        }
        watchPipe()
        return true
    }

    private func watchPipe() {
        pipe = executor.watch(descriptor: pipeDescriptor) { [weak self] in self?.readPipe() }
    }

    private func readPipe() {
        pipe?.cancel()
        pipe = nil
        defer { pipeTimer = executor.after(milliseconds: Self.pause) { [weak self] in self?.watchPipe() } }
        var block = [UInt8](repeating: 0, count: Self.sizeLimit)
        let count = Glibc.read(pipeDescriptor, &block, block.count)
        guard count > 0 else { return }
        line = String((line + String(decoding: block[..<count], as: UTF8.self)).suffix(Self.sizeLimit))
        // The last complete line counts.
        let lines = line.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        line = String(lines.last ?? "")
        if lines.count > 1 { offer(.success(String(lines[lines.count - 2]))) }
    }

    private func closePipe() {
        pipe?.cancel()
        (pipe, pipeTimer) = (nil, nil)
        if pipeDescriptor >= 0 { close(pipeDescriptor) }
        pipeDescriptor = -1
    }

    // MARK: Properties

    /// Attaches the reader of a property to the system bus, if the property is there.
    func attach(toSystemBus bus: BusConnection) {
        if source.isOnSystemBus { attach(to: bus) }
    }

    /// Detaches the reader of a property from the system bus, whose connection was lost.
    func handleSystemBusLoss() { if source.isOnSystemBus { handleBusLoss() } }

    private func handleBusLoss() {
        property?.detach()
        (property, timer) = (nil, nil)
        offer(.failure(SourceProblem(text: "cannot be read: there is no bus")))
    }

    private func attach(to bus: BusConnection) {
        guard case .property(let place) = source.origin else { return }
        let reader = ServiceReader<VariantValue>(
            on: executor, name: place.service, timeLimit: serviceTimeLimit,
            hints: [
                // Of any object, because a path such as that of logind's own session is an alias, which no signal has.
                .init(
                    interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged", path: nil,
                    firstArgument: place.interface)
            ],
            read: { bus, cancellation, done in
                bus.properties(
                    of: place.interface, at: place.path, service: place.service, cancellation: cancellation
                ) { result in
                    guard case .success(let properties) = result, let value = properties[place.name] else {
                        return done(.absent)
                    }
                    done(.value(value))
                }
            },
            deliver: { [weak self] in self?.receive($0, over: bus) })
        property?.detach()
        (property, isFirstReply) = (reader, true)
        reader.attach(to: bus)
    }

    private func receive(_ availability: Availability<VariantValue>, over bus: BusConnection) {
        switch availability {
        case .pending: return
        case .absent: offer(.failure(SourceProblem(text: "has no such property, or is not running")))
        case .silent: offer(.failure(SourceProblem(text: "does not reply")))
        case .value(let value):
            offer(.success(value.conditionText))
        }
        guard !isFirstReply else {
            isFirstReply = false
            return
        }
        // The signals of a service that changes all the time would wake this process each time.
        property?.detach()
        timer = executor.after(milliseconds: Self.pause * 10) { [weak self] in
            if self?.property != nil { self?.attach(to: bus) }
        }
    }

    // MARK: Debounce

    /// Receives what was read. The first reading counts at once, and a later one after it has lasted for a while.
    private func offer(_ text: Result<String, SourceProblem>) {
        let reading = CustomReading(source, text)
        guard current != nil else { return accept(reading) }
        guard reading != current else {
            (offered, debounce) = (nil, nil)
            return
        }
        guard reading != offered else { return }
        guard source.debounce > .zero else { return accept(reading) }
        offered = reading
        debounce = executor.after(milliseconds: source.debounce.timerMilliseconds) { [weak self] in
            self?.accept(reading)
        }
    }

    private func accept(_ reading: CustomReading) {
        (current, offered, debounce) = (reading, nil, nil)
        deliver(reading)
    }
}

extension VariantValue {
    /// The value as the text of a condition; empty for a value that is none.
    fileprivate var conditionText: String {
        switch self {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .list, .bytes, .dictionary, .handle, .typed, .other: ""
        }
    }
}

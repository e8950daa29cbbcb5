// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import LinuxKernel
import Logging
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferSessions

/// Accepts transfers from callers within the limits of their apps.
actor TransferIntake {
    private let service: EngineService
    private let registry: TransferRegistry
    private let host: SessionHost
    private let sources: UploadSources
    private let cachedDownloads: CachedDownloads
    private let defaultDirectory: String
    /// The policies of the engine, to which transfers add their own.
    let policies: DaemonPolicies
    private var limits: DaemonConfiguration
    /// The number of transfers that are being submitted, by app. They count toward the limit before the registry
    /// knows them.
    private var arriving: [String: Int] = [:]

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - service: The service that receives accepted transfers.
    ///   - policies: The policies of the engine.
    ///   - registry: The registry that knows the transfers of `service`.
    ///   - defaultDirectory: The folder of downloads that name no folder.
    init(
        service: EngineService, registry: TransferRegistry, host: SessionHost, sources: UploadSources,
        cachedDownloads: CachedDownloads, policies: DaemonPolicies, defaultDirectory: String,
        limits: DaemonConfiguration
    ) {
        self.policies = policies
        (self.service, self.registry, self.host, self.sources) = (service, registry, host, sources)
        (self.cachedDownloads, self.defaultDirectory, self.limits) = (cachedDownloads, defaultDirectory, limits)
    }

    /// Replaces the limits. Accepted transfers stay even if they exceed the new limits.
    func setLimits(_ configuration: DaemonConfiguration) { limits = configuration }

    /// Submits transfers of a caller: either all of them or none.
    ///
    /// - Throws: `BusFault` if the caller lacks the right, a limit is reached, or a request is invalid.
    func submit(_ requests: [TransferRequest], from caller: BusCaller) async throws -> [TransferID] {
        let suspended = await host.read { $0.tasksWithoutTransfers(of: caller.app) }
        try checkRoom(for: requests, of: caller.app, suspended: suspended)
        for request in requests { try await caller.checkUrgency(request.specification.traits.kind, host: host) }
        for request in requests { try caller.checkRights(to: request.specification) }
        await policies.allowOwn(requests.compactMap(\.specification.traits.policy))
        if caller.isSandboxed, requests.contains(where: \.landsInCache) { try await checkFiles(of: caller.app) }
        var kept: [KeptSource] = []
        do {
            let transfers = try await resolved(requests, from: caller, keeping: &kept)
            try checkRoom(for: requests, of: caller.app, suspended: suspended)
            arriving[caller.app, default: 0] += requests.count
            defer { submissionEnded(of: caller.app, count: requests.count) }
            return try await translatingEngineErrors { try await service.submit(transfers) }
        } catch {
            for source in kept { sources.discard(source) }
            throw error
        }
    }

    private func submissionEnded(of app: String, count: Int) {
        let left = arriving[app, default: 0] - count
        arriving[app] = left > 0 ? left : nil
    }

    /// Returns the usage by unfinished transfers that count toward an app's limits.
    private func usage(ofGroupOf app: String) -> TransferRegistry.Usage {
        let group = BusCaller.limitGroup(of: app)
        return registry.usage { BusCaller.limitGroup(of: $0) == group }
    }

    /// Checks that new transfers fit within the limits of their app. The limit on bytes does not apply to the user.
    ///
    /// Sandboxes without a name share the limits of one app, because a program can create any number of them.
    ///
    /// - Throws: `BusFault` with `tooManyTransfers` or `limitExceeded`.
    private func checkRoom(for requests: [TransferRequest], of app: String, suspended: Int) throws {
        let group = BusCaller.limitGroup(of: app)
        let arriving = arriving.reduce(0) { $0 + (BusCaller.limitGroup(of: $1.key) == group ? $1.value : 0) }
        let usage = usage(ofGroupOf: app)
        let open = usage.count + arriving + suspended
        guard open + requests.count <= limits.openPerApp else {
            throw BusFault(
                .tooManyTransfers,
                "\(app) has \(open) unfinished transfers, and \(requests.count) more exceed the maximum of "
                    + "\(limits.openPerApp) (open-per-app); wait for some to end")
        }
        let bytes = requests.reduce(0) { $0 + BookkeepingSize(of: $1.specification).bytes }
        let most = SessionLimits().bytes
        guard app == BusCaller.person || usage.bytes + bytes <= most else {
            throw BusFault(
                .limitExceeded,
                "the unfinished transfers of \(app) use \(usage.bytes) bytes for addresses, header fields, request bodies, and names, "
                    + "and \(bytes) more exceed the maximum of \(most); wait for some to end")
        }
    }

    /// Checks that a new task fits within the limit of its app. Transfers outside sessions count, too.
    ///
    /// - Throws: `BusFault` with `limitExceeded`.
    func checkRoom(for snapshot: TaskSnapshot, in key: SessionKey) async throws {
        let suspended = await host.read { $0.tasksWithoutTransfers(of: key.app) }
        let open = usage(ofGroupOf: key.app).count + suspended
        guard open >= limits.openPerApp else { return }
        // A task that is submitted again already counts.
        let tasks = await host.read { $0.tasks(of: key) }
        guard !tasks.contains(where: { $0.identifier == snapshot.identifier }) else { return }
        throw BusFault(
            .limitExceeded,
            "\(key.app) has \(open) unfinished transfers and tasks, including suspended tasks; the maximum is "
                + "\(limits.openPerApp) (open-per-app); wait for some to end, or cancel some")
    }

    /// Keeps the file of an upload, within the part of the quota that the app's downloads leave.
    private func keep(_ descriptor: Int32, for app: String) async throws -> KeptSource {
        let downloaded = await host.downloadedBytes(of: app) + cachedDownloads.usage(of: app).bytes
        let limit = limits.filesPerApp - min(limits.filesPerApp, downloaded)
        return try await sources.keep(descriptor, for: app, within: limit)
    }

    /// Checks that a download into the daemon's folder fits within the quota of its app.
    ///
    /// - Throws: `BusFault` with `limitExceeded`.
    private func checkFiles(of app: String) async throws {
        let cached = cachedDownloads.usage(of: app)
        let group = BusCaller.limitGroup(of: app)
        let partial = registry.unfinished { $1 == nil && BusCaller.limitGroup(of: $0) == group }
            .reduce(0) { $0 + ($1.isUpload ? 0 : $1.bytes) }
        let bytes = cached.bytes + partial + sources.usage(of: app).bytes + (await host.downloadedBytes(of: app))
        guard bytes < limits.filesPerApp else {
            throw BusFault(
                .limitExceeded,
                "the files of \(app) have \(bytes) bytes; the maximum is \(limits.filesPerApp) (files-per-app); "
                    + "call Discard for finished transfers whose files you have read, or cancel transfers")
        }
        // The number of files is limited, too, because even empty files use disk space.
        guard cached.files < limits.openPerApp else {
            throw BusFault(
                .limitExceeded,
                "\(app) has \(cached.files) finished files; the maximum is \(limits.openPerApp) (open-per-app); "
                    + "call Discard for the files that you have read")
        }
    }

    /// Returns the requests, completed with their hosts, apps, folders, and files.
    ///
    /// - Parameter kept: Receives the files that are kept for the requests, even if this method throws.
    private func resolved(
        _ requests: [TransferRequest], from caller: BusCaller, keeping kept: inout [KeptSource]
    ) async throws -> [TransferRequest] {
        let proxies = ProxyRule(explicit: nil)
        var transfers: [TransferRequest] = []
        for (index, request) in requests.enumerated() {
            do {
                var specification = try specification(for: request, proxies: proxies, from: caller)
                if let upload = request.upload, let descriptor = upload.descriptor {
                    let source = try await keep(descriptor, for: caller.app)
                    kept.append(source)
                    specification.upload = UploadSource(
                        source, of: upload.path, method: upload.method, contentType: upload.contentType,
                        resumption: upload.resumption)
                    specification.traits.expectedBytesToSend = source.size
                }
                transfers.append(TransferRequest(specification, resume: request.resume))
            } catch let error as UsageError {
                let prefix = requests.count > 1 ? "transfer \(index + 1) of \(requests.count): " : ""
                throw BusFault(.invalidArgument, prefix + error.description)
            }
        }
        return transfers
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
        try MirrorList.add(request.specification.mirrors?.urls ?? [], to: &specification, proxies: proxies)
        specification.traits.app = caller.app
        if specification.traits.constraints.window == nil { specification.traits.constraints.window = limits.window }
        specification.isSandboxed = caller.isSandboxed
        if let upload = request.upload {
            // A file that arrives as a descriptor is kept later, and its source is set then.
            guard upload.descriptor == nil else { return specification }
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
            try chooseFolder(of: &specification, for: caller)
        }
        return specification
    }

    /// Sets the folder of a download that names none to a folder of the daemon. Each sandboxed app has its own
    /// folder, which only the daemon can read.
    private func chooseFolder(of specification: inout TransferSpecification, for caller: BusCaller) throws {
        var folder = defaultDirectory
        try PrivateFolder.make(folder, called: "the folder for files", remedy: "specify a directory")
        if caller.isSandboxed {
            folder = cachedDownloads.folder(of: caller.app)
            try PrivateFolder.make(folder, called: "the folder for files", remedy: "pass 'directory-fd'")
            specification.isPrivate = true
            // The folder belongs to the app. A new file never replaces an older one, so the requested collision rule
            // is ignored.
            specification.destination.collision = .rename
        }
        specification.destination.directory = folder
    }
}

extension TransferRequest {
    /// Whether the request is a download into the daemon's own folder, because it names no folder.
    fileprivate var landsInCache: Bool { upload == nil && specification.destination.directory.isEmpty }
}

extension BusCaller {
    /// Checks that the caller may request what the specification requests besides the transfer itself.
    ///
    /// - Throws: `BusFault` with `accessDenied` or `invalidArgument`.
    fileprivate func checkRights(to specification: TransferSpecification) throws {
        for url in [specification.url] + (specification.mirrors?.urls ?? []) { try checkHost(of: url) }
        guard specification.onComplete == nil || isPerson else {
            throw BusFault.onlyPerson("start a program", "add --on-complete")
        }
        try checkConditions(of: specification.traits.constraints.custom)
        guard let policy = specification.traits.policy else { return }
        guard !isSandboxed else {
            throw BusFault(.accessDenied, "a sandboxed program cannot choose a policy: omit 'policy'")
        }
        do { _ = try PolicyCatalog.policy(named: policy) } catch {
            throw BusFault(.invalidArgument, "'policy': \(error)")
        }
    }

    /// Refuses requirements of the user's own conditions to a sandboxed program, which a wait would tell what the user
    /// does.
    ///
    /// - Throws: `BusFault` with `accessDenied`.
    func checkConditions(of custom: [CustomConstraint]?) throws {
        guard isSandboxed, custom?.isEmpty == false else { return }
        throw BusFault(.accessDenied, "a sandboxed program cannot require conditions of the user: omit 'custom'")
    }

    /// Refuses a server of this machine or its network to a program whose sandbox has no network.
    ///
    /// - Throws: `BusFault` with `accessDenied`.
    func checkHost(of url: String) throws {
        let host = URLReference(url).host
        guard !hasNetwork, LocalHost.contains(host) else { return }
        throw BusFault(
            .accessDenied,
            "'\(host.prefix(100))' is on this machine or its network, and the sandbox of \(app) has no access to the network; "
                + "run the app with '--share=network', or use a public server")
    }
}

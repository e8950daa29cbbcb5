// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel
import transferlab

/// The download of a set of files, which appear together or not at all.
struct SetRun {
    private let command: GetCommand
    private let source: SetSource
    /// The secret for the server of the list, or `nil` if there is none.
    private let token: String?
    private let staged: StagedSet
    private let name: String

    /// Validates the command line and finds the staging folder.
    ///
    /// - Throws: `UsageError` with a remedy.
    init(
        _ command: GetCommand, _ text: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let destination = command.destination
        for (isUsed, option) in [
            (command.input != nil, "--input"), (destination.output != nil, "--output"),
            (destination.remoteName, "--remote-name"), (destination.checksum != nil, "--checksum"),
            (destination.checksums != nil, "--checksums"),
            (destination.noClobber, "--no-clobber"), (destination.rename, "--rename"),
        ] where isUsed {
            throw UsageError("--set and \(option) are mutually exclusive; the list names the files and their checksums")
        }
        let folders = command.urls + destination.mirror
        source = try SetSource(text, urls: folders, environment: environment)
        let folder = try PathName.absolute(destination.directory ?? source.folderName)
        staged = try StagedSet(destination: folder, source: text + "\0" + folders.prefix(1).joined())
        name = URL(fileURLWithPath: folder).lastPathComponent
        token = if case .hub = source { HubReference.token(environment: environment) } else { nil }
        self.command = command
    }

    /// Downloads what is missing, and then creates the folder or moves the files into it.
    ///
    /// - Throws: `UsageError` or `UnsuccessfulRun`. The next run of the same command continues.
    func run() async throws {
        // Between the steps that can be interrupted, such as the files that are compared with the list, the next run
        // continues after any end.
        let interruption = Interruption { [staged, isQuiet = command.output.quiet] in
            staged.removeIfUnused()
            if !isQuiet {
                ProgressReport.clearLine()
                Console.error("transferctl: interrupted: run the same command again to continue")
            }
            _exit(128 + (Interruption.signal ?? SIGTERM))
        }
        defer { withExtendedLifetime(interruption) {} }
        if let set = staged.completeList {
            try staged.finish()
            return report(set, wasComplete: false)
        }
        let list: FileSet?
        do { list = try await fileSet() } catch {
            staged.removeIfUnused()
            throw error
        }
        guard let set = list else { return }  // A dry run shows the request for the list.
        var present: Set<String> = []
        switch comparing(set, { advance in staged.present(set, advance: advance) }) {
        case .none: break
        case .some(let paths): present = paths
        case .all:
            staged.remove()
            return report(set, wasComplete: true)
        case .conflict(let path):
            guard command.destination.overwrite else {
                staged.removeIfUnused()
                throw UsageError(
                    "'\(staged.destination)/\(path.printable)' exists and is not the file of the list; use --overwrite or another "
                        + "--directory")
            }
        }
        if !command.local.dryRun { try staged.adopt(set) }
        let missing = comparing(set) { advance in staged.missing(of: set, without: present, advance: advance) }
        if !missing.isEmpty { try await download(missing, of: set) }
        guard !command.local.dryRun else { return staged.removeIfUnused() }
        if let file = staged.fault(in: set, without: present) {
            staged.remove(file)
            throw UsageError("the server's file '\(file.path.printable)' does not have the size of the list")
        }
        try staged.finish()
        report(set, wasComplete: false)
    }

    /// Reads the files of a set, with a bar on a terminal.
    private func comparing<Result>(_ set: FileSet, _ body: (() -> Void) -> Result) -> Result {
        guard !command.output.quiet else { return body({}) }
        var progress = ProgressReport("files compared with the list", total: set.files.count)
        defer { progress.finish() }
        return body { progress.advance() }
    }

    // MARK: The list

    /// Reads the list. Returns `nil` after a dry run that would have to request it.
    private func fileSet() async throws -> FileSet? {
        var pages = ListPages(of: source.name)
        switch source {
        case .file(let path, _):
            return try source.fileSet(of: TextFile.read(path, option: "set"), name: name)
        case .url(let url, _):
            guard let (data, _) = try await fetch(url, of: &pages) else { return nil }
            guard let text = String(data: data, encoding: .utf8) else {
                throw UsageError("\(RedactedURL.text(of: url)) is not UTF-8 text")
            }
            return try source.fileSet(of: text, name: name, allowsLocal: command.local.allowLocalRedirects)
        case .hub(let reference):
            guard let (answer, _) = try await fetch(reference.revisionURL, of: &pages) else { return nil }
            let commit = try reference.commit(in: answer)
            var files: [FileSet.File] = []
            var next: String? = reference.listURL(at: commit)
            while let url = next, let (page, head) = try await fetch(url, of: &pages) {
                files += try reference.files(in: page, at: commit)
                guard files.count <= FileSet.maximumCount else { break }
                next = try head.flatMap { try reference.nextPage(after: $0) }
            }
            return try reference.fileSet(files, name: name)
        }
    }

    /// Downloads a page of the list under the conditions of the command. Returns `nil` after a dry run.
    private func fetch(_ url: String, of pages: inout ListPages) async throws -> (Data, FinalResponseHead?)? {
        let path = staged.downloadedList
        let outcome = try await command.performPlan { now in
            try pages.begin(url, at: now)
            var plan = try plan(for: [InputList.Item(url: url, output: path)], now: now)
            plan.items[0].specification.maximumBytes = ListPages.maximumPageBytes
            plan.items[0].specification.traits.expires = pages.expires
            plan.items[0].specification.keepsResponseHead = true
            if plan.style == .json { plan.style = .quiet }
            return plan
        }
        guard let outcome else {
            staged.removeIfUnused()
            return nil
        }
        guard let data = staged.takeDownloadedList() else {
            throw UsageError("cannot read the list of \(RedactedURL.text(of: url)) in '\(path)'")
        }
        pages.end(data)
        return (data, outcome.head)
    }

    // MARK: The files

    private func download(_ files: [FileSet.File], of set: FileSet) async throws {
        do {
            try await command.performPlan { now in
                let targets = files.map {
                    InputList.Item(
                        url: $0.urls[0], mirrors: Array($0.urls.dropFirst()), output: staged.files + "/" + $0.path,
                        checksum: $0.checksum)
                }
                var plan = try plan(for: targets, now: now)
                for (index, file) in files.enumerated() {
                    guard let size = file.size else { continue }
                    plan.items[index].specification.traits.expectedBytesToReceive = size
                    // A limit of 0 bytes would be none.
                    plan.items[index].specification.maximumBytes = max(1, size)
                }
                plan.set = set
                plan.onComplete = command.local.onComplete
                return plan
            }
        } catch let error as UnsuccessfulRun {
            if !command.output.json, !command.output.quiet {
                let ended = set.files.count { staged.has($0) }
                Console.error(
                    "transferctl: \(ended) of \(set.files.count) files are complete; run the same command again to "
                        + "continue")
            }
            throw error
        }
    }

    /// Returns the plan for targets of the list. Servers other than the list's own receive no secrets.
    private func plan(for targets: [InputList.Item], now: WallTime) throws -> GetPlan {
        var command = command
        // The mirrors are folders, and the list names their files.
        command.destination.mirror = []
        var plan = try GetPlan(command: command, now: now, listed: targets)
        let folders = Set(plan.items.map(\.specification.destination.directory))
        let identities = Dictionary(uniqueKeysWithValues: folders.map { ($0, staged.identity(ofFolder: $0)) })
        for index in plan.items.indices {
            plan.items[index].specification.destination.collision = .overwrite
            let folder = plan.items[index].specification.destination.directory
            plan.items[index].specification.destination.folderIdentity = identities[folder] ?? nil
            if URLReference(plan.items[index].specification.url).origin != source.origin {
                MirrorList.removeSecrets(from: &plan.items[index].specification)
            } else if let token {
                plan.items[index].specification.headers.append(
                    HeaderField(name: "Authorization", value: "Bearer \(token)"))
            }
        }
        (plan.hidesPaths, plan.onComplete) = (true, nil)
        return plan
    }

    // MARK: The end

    private func report(_ set: FileSet, wasComplete: Bool) {
        let bytes = set.files.reduce(Int64(0)) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: staged.destination + "/" + file.path)
            return sum + (attributes?[.size] as? Int64 ?? file.size ?? 0)
        }
        if command.output.json {
            return JSONLine.print([
                "event": "setFinished", "name": set.name, "path": staged.destination, "files": set.files.count,
                "bytes": bytes, "alreadyComplete": wasComplete,
            ])
        }
        guard !command.output.quiet else { return }
        let count = set.files.count == 1 ? "1 file" : "\(set.files.count) files"
        let unchecked = set.files.count { $0.checksum == nil }
        let note = unchecked == 0 ? "" : "; \(unchecked) without a checksum that can be verified"
        Console.error(
            "\(set.name): \(wasComplete ? "already complete" : "finished"), \(count), \(Formatting.bytes(bytes))\(note)"
                .printable)
        if !command.output.noPaths { Console.printPath(staged.destination) }
    }
}

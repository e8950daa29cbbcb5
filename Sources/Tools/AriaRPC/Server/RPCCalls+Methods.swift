// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import TransferModel

/// The methods (aria2c(1), "RPC INTERFACE"), with aria2's parameters and results.
extension RPCCalls {
    /// The maximum number of bytes of a Metalink document.
    private static let maximumMetalink = 1 << 20

    func perform(_ method: RPCMethod, _ parameters: RPCParameters) async throws -> JSONValue {
        switch method {
        case .addURI, .addMetalink, .addTorrent: return try await add(method, parameters)
        case .status, .listActive, .listWaiting, .listStopped, .getURIs, .getFiles, .getServers, .getPeers,
            .getGlobalStat:
            return try await report(method, parameters)
        case .getOption, .changeOption, .getGlobalOption, .changeGlobalOption:
            return try await options(method, parameters)
        case .remove, .forceRemove: return try await control(parameters, .cancel)
        case .pause, .forcePause: return try await control(parameters, .pause)
        case .unpause: return try await control(parameters, .resume)
        case .pauseAll, .forcePauseAll: try await downloads.controlAll(.pause)
        case .unpauseAll: try await downloads.controlAll(.resume)
        case .removeDownloadResult: try await downloads.removeResult(parameters.text(0, "gid"))
        case .purgeDownloadResult: try await downloads.removeResults()
        case .changePosition:
            let id = try DownloadGID.transfer(parameters.text(0, "gid"))
            guard let origin = DownloadOrder.Origin(rawValue: try parameters.text(2, "how")) else {
                throw RPCFault.invalidParameters("'how' must be POS_SET, POS_CUR, or POS_END")
            }
            return .number(Double(try await downloads.move(id, by: parameters.number(1, "pos"), from: origin)))
        case .getVersion:
            return .object([
                "version": .string(version), "enabledFeatures": .array(["HTTPS", "Message Digest", "Metalink"]),
            ])
        case .getSessionInfo: return .object(["sessionId": .string(session)])
        // The daemon saves every change before it answers.
        case .saveSession: break
        case .listMethods: return .array(RPCMethod.allCases.map { .string($0.rawValue) })
        case .listNotifications: return .array(RPCNotification.allCases.map { .string($0.rawValue) })
        case .multicall: throw RPCFault.invalidRequest("system.multicall cannot contain itself")
        }
        return "OK"
    }

    private func add(_ method: RPCMethod, _ parameters: RPCParameters) async throws -> JSONValue {
        guard method != .addTorrent else {
            throw RPCFault("BitTorrent is not supported: use addUri with an http or https URL, or addMetalink")
        }
        let options = try DownloadOptions(parameters.object(1, "options"))
        let position = try parameters.optionalNumber(2, "position")
        guard position ?? 0 >= 0 else { throw RPCFault.invalidParameters("'position' must not be negative") }
        if method == .addURI {
            let urls = try parameters.texts(0, "uris")
            guard urls.count <= DownloadService.maximumCount else {
                throw RPCFault("a download may have \(DownloadService.maximumCount) URIs")
            }
            return .string(DownloadGID.text(try await downloads.add(urls, options, at: position)))
        }
        let text = try parameters.text(0, "metalink")
        guard text.utf8.count <= Self.maximumMetalink / 3 * 4, let data = Data(base64Encoded: text),
            let document = String(data: data, encoding: .utf8)
        else {
            throw RPCFault(
                "the Metalink document must be UTF-8 text of at most \(Self.maximumMetalink) bytes, encoded in Base64")
        }
        let added = try await downloads.add(metalink: document, options, at: position)
        return .array(added.map { .string(DownloadGID.text($0)) })
    }

    private func report(_ method: RPCMethod, _ parameters: RPCParameters) async throws -> JSONValue {
        switch method {
        case .listActive:
            return await reports(try await downloads.downloads([.running]), try parameters.texts(0, "keys"))
        case .listWaiting, .listStopped:
            let states: Set<TransferStatus.State> =
                method == .listWaiting ? [.waiting, .paused] : [.finished, .failed, .cancelled]
            // aria2 lists the earliest result first.
            let listed = try await downloads.downloads(states)
            let page = try Self.page(
                of: method == .listWaiting ? listed : listed.reversed(), at: parameters.number(0, "offset"),
                count: parameters.number(1, "num"))
            return await reports(page, try parameters.texts(2, "keys"))
        case .getGlobalStat: return try await statistics()
        default: break
        }
        let status = try await downloads.download(parameters.text(0, "gid"))
        let report = await downloads.report(status)
        switch method {
        case .getURIs: return report.uris
        case .getFiles: return .array([report.file])
        case .getPeers: return .array([])
        case .getServers:
            guard status.state == .running else { throw RPCFault("GID#\(DownloadGID.text(status.id)) is not active") }
            let server: [String: JSONValue] = [
                "uri": .string(status.url), "currentUri": .string(status.url),
                "downloadSpeed": DownloadReport.number(status.rate ?? 0),
            ]
            return .array([.object(["index": "1", "servers": .array([.object(server)])])])
        default: return report.values(of: try parameters.texts(1, "keys"))
        }
    }

    private func reports(_ listed: [TransferStatus], _ keys: [String]) async -> JSONValue {
        var values: [JSONValue] = []
        for status in listed { values.append(await downloads.report(status).values(of: keys)) }
        return .array(values)
    }

    /// Returns a page of a list. A negative offset counts from the end and reverses the page, as in aria2.
    static func page(of list: [TransferStatus], at offset: Int, count: Int) throws(RPCFault) -> [TransferStatus] {
        guard count >= 0 else { throw .invalidParameters("'num' must not be negative") }
        if offset >= 0 { return Array(list.dropFirst(offset).prefix(count)) }
        return Array(list.reversed().dropFirst(-(offset + 1)).prefix(count))
    }

    private func statistics() async throws -> JSONValue {
        let all = try await downloads.all()
        func count(_ states: Set<TransferStatus.State>) -> JSONValue {
            DownloadReport.number(Int64(all.count { states.contains($0.state) }))
        }
        let stopped = count([.finished, .failed, .cancelled])
        let rate = all.reduce(Int64(0)) { $0 &+ ($1.state == .running ? $1.rate ?? 0 : 0) }
        return .object([
            "downloadSpeed": DownloadReport.number(rate), "uploadSpeed": "0", "numActive": count([.running]),
            "numWaiting": count([.waiting, .paused]), "numStopped": stopped, "numStoppedTotal": stopped,
        ])
    }

    private func options(_ method: RPCMethod, _ parameters: RPCParameters) async throws -> JSONValue {
        switch method {
        case .getOption:
            let report = await downloads.report(try await downloads.download(parameters.text(0, "gid")))
            var values = report.details.options.values
            (values["dir"], values["out"]) = (.string(report.details.directory), .string(report.status.name))
            return .object(values)
        case .changeOption:
            try await downloads.change(
                parameters.text(0, "gid"), DownloadOptions(parameters.object(1, "options")))
            return "OK"
        case .changeGlobalOption:
            try await downloads.changeDefaults(DownloadOptions(parameters.object(0, "options")))
            return "OK"
        default:
            var values = await downloads.defaults.values
            values["dir"] = values["dir"] ?? .string(downloads.settings.folder.path)
            values["transferd.kind"] = values["transferd.kind"] ?? .string(downloads.settings.kind.rawValue)
            return .object(values)
        }
    }

    private func control(_ parameters: RPCParameters, _ action: ControlAction) async throws -> JSONValue {
        let gid = try parameters.text(0, "gid")
        try await downloads.control(gid, action)
        return .string(gid)
    }
}

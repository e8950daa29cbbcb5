// SPDX-License-Identifier: Apache-2.0

/// The methods of aria2's JSON-RPC that the server offers (aria2c(1), "RPC INTERFACE").
enum RPCMethod: String, CaseIterable, Sendable {
    case addURI = "aria2.addUri"
    case addTorrent = "aria2.addTorrent"
    case addMetalink = "aria2.addMetalink"
    case remove = "aria2.remove"
    case forceRemove = "aria2.forceRemove"
    case pause = "aria2.pause"
    case forcePause = "aria2.forcePause"
    case pauseAll = "aria2.pauseAll"
    case forcePauseAll = "aria2.forcePauseAll"
    case unpause = "aria2.unpause"
    case unpauseAll = "aria2.unpauseAll"
    case status = "aria2.tellStatus"
    case listActive = "aria2.tellActive"
    case listWaiting = "aria2.tellWaiting"
    case listStopped = "aria2.tellStopped"
    case getURIs = "aria2.getUris"
    case getFiles = "aria2.getFiles"
    case getServers = "aria2.getServers"
    case getPeers = "aria2.getPeers"
    case getOption = "aria2.getOption"
    case changeOption = "aria2.changeOption"
    case getGlobalOption = "aria2.getGlobalOption"
    case changeGlobalOption = "aria2.changeGlobalOption"
    case getGlobalStat = "aria2.getGlobalStat"
    case changePosition = "aria2.changePosition"
    case purgeDownloadResult = "aria2.purgeDownloadResult"
    case removeDownloadResult = "aria2.removeDownloadResult"
    case getVersion = "aria2.getVersion"
    case getSessionInfo = "aria2.getSessionInfo"
    case saveSession = "aria2.saveSession"
    case multicall = "system.multicall"
    case listMethods = "system.listMethods"
    case listNotifications = "system.listNotifications"

    /// Whether a caller needs the token. The calls inside `system.multicall` have tokens of their own.
    var needsToken: Bool {
        switch self {
        case .multicall, .listMethods, .listNotifications: false
        default: true
        }
    }
}

/// The notifications that the server sends over WebSockets.
enum RPCNotification: String, CaseIterable, Sendable {
    case started = "aria2.onDownloadStart"
    case paused = "aria2.onDownloadPause"
    case stopped = "aria2.onDownloadStop"
    case completed = "aria2.onDownloadComplete"
    case failed = "aria2.onDownloadError"
}

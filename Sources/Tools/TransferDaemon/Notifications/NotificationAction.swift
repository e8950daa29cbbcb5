// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusServer
import TransferModel

/// An action that a notification about ended transfers offers.
enum NotificationAction: Hashable, Sendable {
    /// Open the downloaded file.
    case open(path: String)
    /// Show the downloaded file in its folder. A click on the notification itself does the same.
    case showInFolder(path: String)
    /// Submit the failed transfer again.
    case retry(TransferID)

    /// The buttons of the action.
    var buttons: [NotificationButton] {
        switch self {
        case .open: [NotificationButton(key: "open", label: "Open")]
        case .showInFolder:
            ["default", "show"].map { NotificationButton(key: $0, label: "Show in folder") }
        case .retry: [NotificationButton(key: "retry", label: "Retry")]
        }
    }

    /// Performs the action for the user.
    func perform(by server: BusServer, _ service: DaemonService) async {
        switch self {
        case .open(let path):
            await show(
                path, server, service,
                by: [
                    .init(name: "the portal OpenURI") { await DesktopFiles.open(path, by: server) },
                    .init(name: "xdg-open") { await FilePresenter.xdgOpen(path) },
                ])
        case .showInFolder(let path):
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            await show(
                path, server, service,
                by: [
                    .init(name: "the file manager") { await DesktopFiles.showInFolder(path, by: server) },
                    .init(name: "the portal OpenURI") { await DesktopFiles.openFolder(of: path, by: server) },
                    .init(name: "xdg-open") { await FilePresenter.xdgOpen(folder) },
                ])
        case .retry(let id):
            let person = BusCaller(name: "", app: BusCaller.person, kind: .person)
            do {
                _ = try await CallerService(daemon: service, caller: person).retry([id])
            } catch {
                await server.notify(title: "Not submitted again", body: "\(error)", isFailure: true)
            }
        }
    }

    /// Shows a file, or says in the log and in another notification why that is impossible.
    private func show(
        _ path: String, _ server: BusServer, _ service: DaemonService, by means: [FilePresenter.Means]
    ) async {
        guard let failure = await FilePresenter(logger: service.logger).show(path, by: means) else { return }
        await server.notify(title: "Cannot show the file", body: failure, isFailure: true)
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc

/// A folder that its person has let an app in a sandbox use, as with a file chooser. The document portal
/// (`org.freedesktop.portal.Documents`) shows it to the app, in a file system of its own.
///
/// The app sees its documents as `…/doc/ID/NAME`. This process sees the same folder, with the same rights as the app's, at
/// `$XDG_RUNTIME_DIR/doc/by-app/APP/ID/NAME`; that path holds across restarts of the portal, for as long as the person lets
/// the app have the document.
struct PortalDocument {
    /// The document: `…/doc/by-app/APP/ID`.
    let document: String
    /// The folder, which is the document's or lies below it.
    let path: String

    /// The folder of a descriptor; nil where that is none of the app's documents.
    ///
    /// - Parameter root: the folder in which the portal shows all documents to this process.
    init?(_ descriptor: Int32, _ status: stat, of app: String, root: String = mountPoint) {
        var portal = stat()
        guard !app.contains("/"), app != ".", app != "..", lstat(root, &portal) == 0, portal.st_dev == status.st_dev,
            let seen = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        else { return nil }
        // The path is the sandbox's, in which the documents lie anywhere: the part of it that leads to the same folder here
        // is the one that is meant.
        let parts = seen.split(separator: "/")
        for first in parts.indices.dropLast() {
            let document = "\(root)/by-app/\(app)/\(parts[first])"
            let path = ([document] + parts[(first + 1)...].map(String.init)).joined(separator: "/")
            var found = stat()
            if lstat(path, &found) == 0, found.st_dev == status.st_dev, found.st_ino == status.st_ino {
                (self.document, self.path) = (document, path)
                return
            }
        }
        return nil
    }

    /// The folder in which the portal shows all documents to programs outside sandboxes.
    static var mountPoint: String {
        let runtime = BusConnection.ownEnvironment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        return runtime + "/doc"
    }
}

/// Reaching the portal.
extension BusServer {
    /// Has the bus start the document portal where it does not run: folders of transfers lie in its file system. Returns when
    /// it runs, or when nothing comes of it.
    package func startDocumentPortal() async {
        guard let bus = connection.bus else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            do {
                try bus.call(
                    "GetMountPoint", of: "org.freedesktop.portal.Documents", at: "/org/freedesktop/portal/documents",
                    service: "org.freedesktop.portal.Documents", [], type: "()", milliseconds: 10_000
                ) { _ in continuation.resume() }
            } catch {
                continuation.resume()
            }
        }
    }
}

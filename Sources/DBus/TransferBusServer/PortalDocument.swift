// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc

/// A folder that the user has opened to a sandboxed app, for example in a file chooser. The document portal
/// (`org.freedesktop.portal.Documents`) shows the folder to the app in the portal's own file system.
///
/// The app sees its documents as `…/doc/ID/NAME`. This process sees the same folder, with the app's rights, at
/// `$XDG_RUNTIME_DIR/doc/by-app/APP/ID/NAME`. That path stays valid across restarts of the portal, for as long as the
/// user grants the app the document.
struct PortalDocument {
    /// The path of the document: `…/doc/by-app/APP/ID`.
    let document: String
    /// The path of the folder, which is the document's folder or lies below it.
    let path: String

    /// Finds the document that a folder's descriptor refers to. Returns `nil` if the folder is not in any of the app's
    /// documents.
    ///
    /// - Parameter root: The folder in which the portal shows all documents to this process.
    init?(_ descriptor: Int32, _ status: stat, of app: String, root: String = mountPoint) {
        var portal = stat()
        guard !app.contains("/"), app != ".", app != "..", lstat(root, &portal) == 0, portal.st_dev == status.st_dev,
            let seen = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        else { return nil }
        // The kernel reports the path inside the sandbox, where the documents may be mounted anywhere. The search
        // looks for the part of the path that leads to the same folder in this process.
        let components = seen.split(separator: "/")
        for first in components.indices.dropLast() {
            let document = "\(root)/by-app/\(app)/\(components[first])"
            let path = ([document] + components[(first + 1)...].map(String.init)).joined(separator: "/")
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

/// Access to the document portal.
extension BusServer {
    /// Asks the bus to start the document portal, because some folders of transfers lie in the portal's file system.
    /// Returns after the portal is running, or after the attempt fails. The attempt times out after 10 s.
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

// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// Requests to the services of the desktop that show files to the user.
///
/// Each function returns a description of the error, or `nil` on success.
package enum DesktopFiles {
    /// Opens a file with the program that the user chose for its type, over the portal (org.freedesktop.portal.OpenURI).
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - server: The server whose bus is used.
    package static func open(_ path: String, by server: isolated BusServer) async -> String? {
        await askPortal("OpenFile", about: path, by: server)
    }

    /// Shows a file in its folder, over the portal.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - server: The server whose bus is used.
    package static func openFolder(of path: String, by server: isolated BusServer) async -> String? {
        await askPortal("OpenDirectory", about: path, by: server)
    }

    /// Shows a file in its folder with the user's file manager (org.freedesktop.FileManager1).
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - server: The server whose bus is used.
    package static func showInFolder(_ path: String, by server: isolated BusServer) async -> String? {
        await call(
            "ShowItems", of: "org.freedesktop.FileManager1", at: "/org/freedesktop/FileManager1",
            service: "org.freedesktop.FileManager1",
            [.list([.string(URL(filePath: path).absoluteString)]), .string("")], type: "(ass)",
            by: server)
    }

    private static func askPortal(
        _ method: String, about path: String, by server: isolated BusServer
    ) async -> String? {
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        return await call(
            method, of: "org.freedesktop.portal.OpenURI", at: "/org/freedesktop/portal/desktop",
            service: "org.freedesktop.portal.Desktop", [.string(""), .handle(0), .dictionary([:])], type: "(sha{sv})",
            descriptors: [file], by: server)
    }

    private static func call(
        _ method: String, of interface: String, at path: String, service: String, _ arguments: [VariantValue],
        type: String, descriptors: [Int32] = [], by server: isolated BusServer
    ) async -> String? {
        guard let bus = server.connection.bus else { return "the session bus is not connected" }
        return await withCheckedContinuation { continuation in
            do {
                try bus.call(
                    method, of: interface, at: path, service: service, arguments, type: type, milliseconds: 30_000,
                    descriptors: descriptors
                ) { result in
                    switch result {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error.message)
                    }
                }
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
    }
}

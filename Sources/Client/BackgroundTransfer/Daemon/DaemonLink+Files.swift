// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import GLibBridge
import Glibc
import TransferBusProtocol
internal import TransferModel

/// Retrieval of finished files whose paths a sandboxed program cannot reach.
///
/// The daemon passes a descriptor of the file. The bytes are copied to a temporary file, which is then reported as
/// the finished file.
extension DaemonLink {
    /// Reports an event after the events before it. If the event is for a file that must be fetched, reports the
    /// event after the copy.
    func deliver(_ event: SessionEvent, in identifier: String, from path: String) {
        guard sessions[identifier]?.delayed == nil else {
            sessions[identifier]?.delayed?.append(event)
            return
        }
        guard case .downloaded(let file) = event.kind, let number = event.number, access(file, R_OK) != 0, let bus
        else {
            sessions[identifier]?.events.yield(event)
            return
        }
        sessions[identifier]?.delayed = []
        let serial = sessions[identifier]?.serial
        bus.file(
            from: "Open", of: TransferBusName.sessionInterface, at: path, service: TransferBusName.service,
            number: number
        ) { result in
            let opened = result.map(OpenFile.init(taking:))
            DispatchQueue.global().async {
                let copy: String?
                switch opened {
                case .success(let source):
                    copy = Self.copy(source)
                    if copy == nil {
                        Log.warning("'\(identifier)': a finished file cannot be copied to a temporary file")
                    }
                case .failure(let error):
                    copy = nil
                    Log.warning(
                        """
                        '\(identifier)': the finished file of event \(number) cannot be read (\(error.message)). If an earlier \
                        run of this program has moved the file and ended before it handled the event, nothing is lost
                        """)
                }
                var deliveredEvent = event
                deliveredEvent.kind = .downloaded(path: copy ?? file)
                self.perform { [deliveredEvent] link in
                    guard link.sessions[identifier]?.serial == serial else { return }
                    link.sessions[identifier]?.events.yield(deliveredEvent)
                    let waiting = link.sessions[identifier]?.delayed ?? []
                    link.sessions[identifier]?.delayed = nil
                    for event in waiting { link.deliver(event, in: identifier, from: path) }
                }
            }
        }
    }

    /// Copies a file to a temporary file of this program. Returns `nil` if that fails.
    private static func copy(_ file: OpenFile) -> String? {
        let path = NSTemporaryDirectory() + "CFNetworkDownload_\(UUID().uuidString).tmp"
        let copy = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { return nil }
        let source = FileHandle(fileDescriptor: file.number, closeOnDealloc: false)
        let target = FileHandle(fileDescriptor: copy, closeOnDealloc: true)
        do {
            while let bytes = try source.read(upToCount: 1 << 20), !bytes.isEmpty {
                try target.write(contentsOf: bytes)
            }
            return path
        } catch {
            unlink(path)
            return nil
        }
    }
}

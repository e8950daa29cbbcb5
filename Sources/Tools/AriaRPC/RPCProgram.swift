// SPDX-License-Identifier: Apache-2.0
import CConfinement
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import LinuxKernel
import ProgramVersion
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The program `transfer-rpc`, which the daemon starts while `[rpc]` is enabled in `config.toml`.
///
/// It offers aria2's JSON-RPC on this machine's loopback interface, and performs the calls over D-Bus as an app of its
/// own. What reads the requests of strangers is therefore outside the daemon, and has no more rights than an app.
package struct RPCProgram {
    private let settings: RPCSettings
    private let bus: String
    private let folder: DownloadFolder
    private let hasLandlock: Bool

    /// Runs the program. Does not return.
    package static func main() -> Never {
        MemoryPools.limit(to: 2)
        do {
            let program = try RPCProgram(readingFrom: ChildProgram.passedFileNumber)
            Task {
                do {
                    try await program.run()
                    exit(0)
                } catch {
                    fail(error)
                }
            }
            dispatchMain()
        } catch {
            fail(error)
        }
    }

    private static func fail(_ error: any Error) -> Never {
        FileHandle.standardError.write(Data("transfer-rpc: \(error)\n".utf8))
        exit(1)
    }

    /// Reads the settings from the daemon, and confines this process.
    ///
    /// Must be called while the process has a single thread.
    ///
    /// - Parameter descriptor: The socket to the daemon. The process ends when the daemon closes its end.
    package init(readingFrom descriptor: Int32) throws {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n"), line.count < 1 << 20 { line.append(byte) }
        guard let order = try? JSONDecoder().decode(RPCOrder.self, from: Data(line)) else {
            throw UsageError("this program is started by transferd; enable [rpc] in config.toml")
        }
        (settings, bus) = (order.settings, order.bus)
        do { folder = try DownloadFolder(settings.directory) } catch {
            throw UsageError("\(error.message); set 'directory' in [rpc] of config.toml")
        }
        hasLandlock = Self.confineFiles(downloads: folder.path)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) > 0 {}
            exit(0)
        }
    }

    /// Serves until the daemon ends.
    package func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let listeners = try Self.listeners(on: settings.port)
        let client = BusClient()
        try await client.connect(address: bus)
        let downloads = DownloadService(
            client, ended: EndedTransfers(of: client), settings: .init(folder: folder, kind: settings.kind))
        let news = NewsFeed()
        let calls = RPCCalls(
            downloads: downloads, tokens: TokenCheck(settings.token ?? ""),
            version: SoftwareVersion.ofThisBuild.description)
        let handler = RPCHandler(
            calls: calls, origins: OriginRule(origins: settings.origins, port: settings.port), news: news)
        let slots = ConnectionSlots()
        let updates = try await client.updates()
        // The daemon identifies this program at its first call. Later, it could no longer.
        _ = try await downloads.all()
        Self.confineCalls(hasLandlock: hasLandlock)
        let pool = SocketPool.make()
        try await pool.prepare()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            for listener in listeners {
                group.addTask {
                    try await ClientConnection.serve(AsyncSocket(socket: listener, pool: pool), slots, handler)
                }
            }
            group.addTask {
                for await update in updates {
                    if case .changed(let status, _) = update { await news.report(status) }
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Opens the port on the loopback addresses of this machine, of which IPv6 may be missing.
    private static func listeners(on port: Int) throws -> [Socket] {
        let number = UInt16(port)
        do {
            var listeners = [try listener(.inet(ip4: "127.0.0.1", port: number))]
            if let second = try? listener(.inet6(ip6: "::1", port: number)) { listeners.append(second) }
            return listeners
        } catch {
            throw UsageError(
                "cannot listen on port \(port): \(error); another program may use it: set another 'port' in [rpc] of "
                    + "config.toml")
        }
    }

    private static func listener(_ address: some SocketAddress) throws -> Socket {
        let socket = try Socket(domain: Int32(type(of: address).family))
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: address)
        try socket.listen()
        return socket
    }

    // MARK: Confinement

    /// Gives up access to files that the server never needs, as far as the kernel supports it. The server itself writes no
    /// file, because the daemon and its workers do that.
    ///
    /// - Returns: Whether Landlock is in effect.
    private static func confineFiles(downloads: String) -> Bool {
        var limit = rlimit(rlim_cur: 512, rlim_max: 512)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard transfer_is_sanitized() == 0 else { return false }
        _ = transfer_confine_privileges()
        let version = transfer_landlock_version()
        guard version > 0 else { return false }
        let rules = transfer_landlock_begin(version)
        guard rules >= 0 else { return false }
        for path in ["/usr", "/lib", "/lib64", "/etc", "/proc", "/dev", "/run"] {
            _ = transfer_landlock_allow(rules, path, Int32(TRANSFER_ACCESS_READ), version)
        }
        _ = transfer_landlock_allow(
            rules, downloads, Int32(TRANSFER_ACCESS_READ | TRANSFER_ACCESS_FOLDERS), version)
        return transfer_landlock_enforce(rules) == 0
    }

    /// Gives up system calls that the server never needs once it listens and is connected to the bus, and hides its memory
    /// with the token from other programs of the user.
    private static func confineCalls(hasLandlock: Bool) {
        guard transfer_is_sanitized() == 0 else { return }
        _ = transfer_confine_memory()
        _ = transfer_seccomp_enforce(hasLandlock ? 0 : 1, 1)
    }
}

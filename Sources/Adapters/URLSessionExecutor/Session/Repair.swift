// SPDX-License-Identifier: Apache-2.0
import URLSessionRepair

/// The switch of the repair of URLSession.
struct Repair: Hashable, Sendable {
    /// Whether FoundationNetworking's faults are mended.
    var isAtWork: Bool
    /// A sentence on what a person should know of the repair; nil where it was tested here, or is switched off.
    var warning: String?

    /// The repair after an installation that ended like that.
    ///
    /// - Parameters:
    ///   - state: how much of it is in place: all or nothing.
    ///   - reason: why nothing of it is.
    ///   - build: the number of FoundationNetworking's build; "" where it has none.
    ///   - isEnabled: whether it is wanted.
    init(state: transfer_urlsession_repair_state, reason: String, build: String, isEnabled: Bool) {
        isAtWork = isEnabled && state != transfer_urlsession_repair_absent
        guard isEnabled, state != transfer_urlsession_repair_tested else { return }
        let name = "FoundationNetworking (\(build.isEmpty ? "a build without a number" : "build \(build)"))"
        warning =
            isAtWork
            ? """
            The repair of URLSession was never tested with this \(name). All of its checks hold, so that it is at work; \
            where transfers fail or the worker ends, set TRANSFER_URLSESSION_REPAIR=off and report the build.
            """
            : """
            Nothing of the repair of URLSession could be put into \(name): \(reason). Transfers are slower, and servers \
            can end the worker; build with a toolchain that the repair was tested with.
            """
    }

    /// Puts the repair in place or changes its options; all of it is in place afterwards, or nothing.
    static func install(isEnabled: Bool, bufferSize: Int, caFile: String?, proxy: String?) -> Repair {
        func run(_ caFile: UnsafePointer<CChar>?, _ proxy: UnsafePointer<CChar>?) -> Repair {
            var options = transfer_urlsession_repair_options(
                enabled: isEnabled ? 1 : 0, buffer_size: bufferSize, ca_file: caFile, proxy: proxy)
            let state = transfer_urlsession_repair_install(&options)
            return Repair(
                state: state, reason: String(cString: transfer_urlsession_repair_reason()),
                build: String(cString: transfer_urlsession_foundation_build()), isEnabled: isEnabled)
        }
        switch (caFile, proxy) {
        case (let caFile?, let proxy?): return caFile.withCString { file in proxy.withCString { run(file, $0) } }
        case (let caFile?, nil): return caFile.withCString { run($0, nil) }
        case (nil, let proxy?): return proxy.withCString { run(nil, $0) }
        case (nil, nil): return run(nil, nil)
        }
    }
}

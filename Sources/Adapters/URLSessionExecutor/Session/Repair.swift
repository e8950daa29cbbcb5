// SPDX-License-Identifier: Apache-2.0
import URLSessionRepair

/// The switch of the repair.
enum Repair {
    /// Puts the repair in place or changes it; true when it is at work.
    static func install(isEnabled: Bool, bufferSize: Int, caFile: String?, proxy: String?) -> Bool {
        func run(_ caFile: UnsafePointer<CChar>?, _ proxy: UnsafePointer<CChar>?) -> Bool {
            var options = transfer_urlsession_repair_options(
                enabled: isEnabled ? 1 : 0, buffer_size: bufferSize, ca_file: caFile, proxy: proxy)
            return transfer_urlsession_repair_install(&options) >= 9 && isEnabled
        }
        switch (caFile, proxy) {
        case (let caFile?, let proxy?): return caFile.withCString { file in proxy.withCString { run(file, $0) } }
        case (let caFile?, nil): return caFile.withCString { run($0, nil) }
        case (nil, let proxy?): return proxy.withCString { run(nil, $0) }
        case (nil, nil): return run(nil, nil)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import TransferDaemon

@main
enum Transferd {
    static func main() { DaemonProgram.main() }
}

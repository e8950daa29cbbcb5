// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
import TransferDaemon
import TransferWorker
import transferlab

#if RPC
import AriaRPC
#endif

/// The entry point of the file that contains all programs.
@main
enum Program {
    /// Runs the program that the name of the file selects. Not asynchronous, because some programs must prepare the
    /// process before it starts a second thread.
    static func main() {
        StandardFiles.replaceMissing()
        let file = OwnExecutable.path
        switch SelectedProgram(file: file, called: CommandLine.arguments.first ?? "") {
        case .control(let personality)?: ControlProgram.main(as: personality)
        case .daemon?: DaemonProgram.main()
        case .lab?: LabProgram.main()
        case .worker?: TransferWorker.run()
        case .rpc?:
            #if RPC
            RPCProgram.main()
            #else
            Console.error("transfer-rpc: this build has no server for aria2's JSON-RPC; build with the trait RPC")
            exit(ExitStatus.usage.rawValue)
            #endif
        case nil:
            Console.error(
                "'\(file)' does not have the name of a program of Background Transfer. Install the file as transferctl, "
                    + "transferd, transferlab, transfer-rpc, or transfer-worker.")
            exit(ExitStatus.usage.rawValue)
        }
    }
}

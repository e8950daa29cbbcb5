// SPDX-License-Identifier: Apache-2.0
import Logging
import TransferEngine
internal import TransferModel

/// The log messages about workers, which are identified by number.
struct WorkerLog: Sendable {
    let logger: Logger

    func started(_ number: Int, process: Int32, isIsolated: Bool) {
        logger.debug(
            "worker started",
            metadata: ["worker": "\(number)", "process": "\(process)", "isolated": "\(isIsolated)"])
    }

    func confined(_ number: Int, _ confinement: WorkerConfinement) {
        let metadata: Logger.Metadata = ["worker": "\(number)", "confinement": "\(confinement)"]
        logger.debug("worker confined", metadata: metadata)
        if !confinement.missing.isEmpty { logger.warning("worker is only partially confined", metadata: metadata) }
    }

    func ended(_ number: Int, _ end: WorkerProcess.End, _ worker: WorkerState?, lost: [TransferID]) {
        let isExpected = end.isOrderly && lost.isEmpty
        var metadata: Logger.Metadata = ["worker": "\(number)"]
        if let worker { metadata["process"] = "\(worker.process.number)" }
        if !lost.isEmpty { metadata["transfers"] = .array(lost.map { "\($0)" }) }
        if let fault = end.fault { metadata["fault"] = "\(fault)" }
        if !end.errorOutput.isEmpty { metadata["errorOutput"] = "\(end.errorOutput)" }
        if let refusal = worker?.refusal { metadata["refusal"] = "\(refusal)" }
        logger.log(level: isExpected ? .debug : .error, "worker \(end.summary)", metadata: metadata)
    }

    func write(_ level: Logger.Level, _ what: Logger.Message, _ number: Int) {
        logger.log(level: level, "worker \(what)", metadata: ["worker": "\(number)"])
    }
}

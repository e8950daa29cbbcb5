// SPDX-License-Identifier: Apache-2.0
package import Logging
package import TransferModel
internal import TransferScheduling

extension Logger {
    /// Logs an update: a start at level `debug`; a submission, a restart, a pause, a retry, an end, or a deadline at risk
    /// at level `info`. Other updates are not logged.
    package func record(_ update: TransferUpdate, localTime: LocalTimeRules) {
        guard let status = update.status else { return }
        var metadata: Logger.Metadata = ["id": "\(status.id)", "url": "\(status.url)", "app": "\(status.app)"]
        switch update.kind {
        case .submitted: info("submitted", metadata: metadata)
        case .started: debug("started", metadata: metadata)
        case .changed, .paused, .resumed, .waiting, .progressed: break
        case .restarted(let cause):
            metadata["why"] = "\(cause.rawValue)"
            info("starting over", metadata: metadata)
        case .stopped(let explanation, _):
            metadata["why"] = "\(explanation.sentence(localTime: localTime))"
            info("stopped", metadata: metadata)
        case .deadline(let state, _):
            info(state == .missed ? "missed its deadline" : "deadline at risk", metadata: metadata)
        case .retrying(_, let failure, _):
            metadata["why"] = "\(failure.message)"
            info("will retry", metadata: metadata)
        case .finished, .failed, .cancelled:
            metadata["why"] = status.error.map { "\($0)" }
            info("\(status.state.displayName)", metadata: metadata)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel

extension TransferUpdate {
    /// Whether the transfer is over.
    var isEnd: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        case .submitted, .changed, .paused, .resumed, .waiting, .started, .progressed, .stopped, .retrying: false
        }
    }

    /// Whether it is over without what was asked for.
    var isFailure: Bool {
        switch kind {
        case .finished(let completion): completion.isFailure
        case .failed, .cancelled: true
        case .submitted, .changed, .paused, .resumed, .waiting, .started, .progressed, .stopped, .retrying: false
        }
    }
}

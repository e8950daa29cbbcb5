// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferScheduling

extension EngineService: WatchedTransferManager {
    /// Returns all updates until the engine's end. Call this method once, before the engine runs, because the
    /// engine's updates have one consumer.
    ///
    /// The reasons for a wait are reported only for the first unfinished transfers, up to the limit of the service.
    /// Each watched transfer costs the engine an explanation for every event.
    package func updates() -> AsyncStream<ServiceUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: ServiceUpdate.self)
        let known = engine.registry?.unfinishedNumbers { _ in true } ?? []
        let following = Task {
            let window = WatchWindow(size: explanationLimit)
            watch(window.add(known))
            for await update in engine.updates {
                switch update {
                case .transfer(let transfer):
                    if case .submitted = transfer.kind { watch(window.add([transfer.id])) }
                    guard let status = transfer.status else { continue }
                    if status.state.isEnded { watch(window.ended(transfer.id)) }
                    continuation.yield(.changed(status, TransferEvent(transfer, localTime: localTime)))
                case .conditions(let conditions): continuation.yield(.conditions(conditions))
                case .storeError(let error): continuation.yield(.storeError(error))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return stream
    }

    private func watch(_ ids: [TransferID]) { for id in ids { engine.watch(id) } }
}

extension TransferEvent {
    /// Creates an event from an update of the engine, or returns `nil` if the update only confirms a request.
    fileprivate init?(_ update: TransferUpdate, localTime: LocalTimeRules) {
        time = update.time.wall
        switch update.kind {
        case .submitted, .changed, .paused, .resumed: return nil
        case .waiting(let explanation): kind = .waiting(WaitExplanation(explanation, localTime: localTime))
        case .deadline(let state, let outlook):
            kind = .deadline(state, sentence: outlook?.phrase(localTime: localTime) ?? "")
        case .started: kind = .started
        case .progressed: kind = .progressed
        case .restarted(let cause): kind = .restarted(cause)
        case .stopped(let explanation, _): kind = .stopped(WaitExplanation(explanation, localTime: localTime))
        case .retrying(let explanation, _, _): kind = .retrying(WaitExplanation(explanation, localTime: localTime))
        case .finished(let completion): kind = .ended(completion)
        case .failed, .cancelled: kind = .ended(nil)
        }
    }
}

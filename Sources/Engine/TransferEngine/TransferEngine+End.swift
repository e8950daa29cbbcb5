// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

extension TransferEngine {
    /// Stops all attempts and saves what their ends report.
    func wind() async {
        state = .winding
        answerAwaitingExplanations()
        let executor = executor
        async let ended: Void = { [inbox] in
            await executor.shutdown()
            inbox.put(.executorEnded)
        }()
        while case let messages = await inbox.take(), !messages.isEmpty {
            for message in messages {
                switch message {
                case .report(let id, let attempt, let report): await save(report, of: id, attempt: attempt)
                case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
                case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
                case .action(let request): request.reply.resume(throwing: EngineEndedError())
                case .policy(_, let reply): reply.resume()
                case .explain(let id, let reply): reply.resume(returning: explanation(of: id))
                case .ping(let reply): reply.resume()
                case .executorEnded: inbox.close()
                case .unreadable(let id, _): await handle(.stopped(id, bytes: records[id]?.resume?.bytes ?? 0))
                case .conditions, .alarm, .command, .budgets, .shutDown: break  // Too late, or asked again.
                }
            }
            await settle()
        }
        await ended
        await commit(learnedNow())
        await flush()
    }

    /// Answers those who asked for something before the engine failed to start.
    func refuseWhatWaits() async {
        inbox.close()
        for message in await inbox.take() {
            switch message {
            case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
            case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
            case .action(let request): request.reply.resume(throwing: EngineEndedError())
            case .policy(_, let reply): reply.resume()
            case .explain(_, let reply): reply.resume(returning: nil)
            case .ping(let reply): reply.resume()
            case .conditions, .alarm, .command, .budgets, .report, .unreadable, .shutDown, .executorEnded:
                break  // Nobody waits for these.
            }
        }
    }
}

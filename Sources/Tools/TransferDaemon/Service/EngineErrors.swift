// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferSessions

/// Runs `body`, and translates errors of the engine to errors of the bus.
@discardableResult
func translatingEngineErrors<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> Value {
    do {
        return try await body()
    } catch is EngineEndedError {
        throw BusFault(.shuttingDown, "the daemon is shutting down; the next call starts it again")
    } catch let error as RefusedTransferError {
        throw BusFault(.invalidArgument, error.description)
    } catch let error as TransferChangeError {
        throw BusFault(.invalidArgument, error.description)
    } catch let error as TransferStoreError where error.code == .noSuchTransfer {
        throw BusFault(.transferEnded, error.description)
    }
}

extension BusCaller {
    /// Rejects urgent work of an app in the background (rule C13).
    ///
    /// - Throws: `BusFault` with `accessDenied`.
    func checkUrgency(_ kind: WorkKind?, host: SessionHost) async throws {
        guard kind == .userInitiated, !isPerson else { return }
        guard await host.read({ $0.isInFront(app) }) else {
            throw BusFault(
                .accessDenied,
                "'userInitiated' is for transfers that the user waits for, and \(app) is in the background: use 'normal', "
                    + "or let the user start the transfer ('transferctl now')")
        }
    }
}

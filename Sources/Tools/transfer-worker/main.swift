// SPDX-License-Identifier: Apache-2.0
import TransferWorker

// The worker process of programs that embed the engine and are not their own worker. Install this program beside
// them, or in ../libexec/background-transfer.
TransferWorker.run()

import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The error of a store that could not be opened, so that the command did nothing.
struct CouldNotRun: Error {
  let cause: KeepsakeError

  /// Runs a closure that opens something, and marks its error as a failure to open.
  static func opening<Result>(_ open: () async throws -> Result) async throws -> Result {
    do { return try await open() } catch let error as KeepsakeError {
      throw CouldNotRun(cause: error)
    }
  }
}

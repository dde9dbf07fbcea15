import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// Everything that the store, and the Git repository around the file, tell about a file.
struct FileAudit {
  let file: AuditedFile
  /// The audit of the file's bytes; nil if the store does not have them.
  let trail: Audit.Trail?
  let naming: FileCalls
  /// The first commit with the file's bytes, if it was asked for.
  var commit: GitCommit?

  init(of file: AuditedFile, in store: Store) async throws {
    self.file = file
    naming = try await store.calls(naming: file.url)
    do {
      trail = if let id = file.id { try await store.audit(id) } else { nil }
    } catch let error as KeepsakeError where error.code == .notFound {
      trail = nil
    }
  }

  /// Whether nothing is known of the file.
  var isEmpty: Bool { trail == nil && naming.calls.isEmpty && commit == nil }
}

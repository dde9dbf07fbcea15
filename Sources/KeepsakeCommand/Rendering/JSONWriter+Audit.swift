import Keepsake
import KeepsakeFormats

extension JSONWriter {
  /// Writes the audit of a session.
  ///
  /// - Parameters:
  ///   - report: The audit.
  ///   - calls: The session's calls that name files.
  mutating func write(_ report: Audit.SessionReport, naming calls: [FileCalls.Call]) {
    write(report) { writer in
      writer.key("calls")
      writer.array(calls) { $1.write($0) }
    }
  }
}

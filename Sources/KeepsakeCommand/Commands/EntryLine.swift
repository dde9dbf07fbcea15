#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A line of input for `append` with an entry in JSON, as `show --json` prints it or with fewer members.
///
/// An unknown member is an error, because its content would be lost. An attachment may consist of an artifact's id only.
struct EntryLine {
  /// The number of the line, counted from 1 and including blank lines.
  let number: Int
  let entry: Entry

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - bytes: The line.
  ///   - number: The number of the line, for messages.
  ///   - now: The time of attachments for which the line gives none.
  init(_ bytes: [UInt8], number: Int, now: Date) throws {
    self.number = number
    do {
      entry = try EntryInput.entry(try JSON(validating: bytes), now: now)
    } catch let error as JSONError {
      throw Self.refused("Can't read line \(number): \(error)", nil)
    } catch let error as KeepsakeError {
      throw Self.refused(error.message, number)
    } catch let fault as EntryInput.Fault {
      let near = fault.unknown.map { UsageError.suggestion(for: $0, among: fault.known) } ?? ""
      throw Self.refused(fault.message + near, number)
    }
  }

  /// Makes the error for a line that is refused.
  static func refused(_ message: String, _ line: Int?) -> CommandError {
    let place = line.map { "Line \($0): " } ?? ""
    let end = message.hasSuffix("?") ? "" : "."
    return CommandError(message: "\(place)\(message.clause)\(end) Nothing was appended.")
  }
}

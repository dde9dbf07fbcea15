/// The error of a copy that can't be restored.
package struct CopyFault: Error, Sendable, CustomStringConvertible {
  /// The fault as a clause, such as "entry 5 of session … has another content than its digest says".
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}

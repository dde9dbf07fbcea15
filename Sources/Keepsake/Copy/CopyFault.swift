/// Why a copy can't be taken over: a sentence that goes on from what is wrong with it.
package struct CopyFault: Error, Sendable, CustomStringConvertible {
  /// What is not as it should be, where: "entry 5 of session … has another content than its digest says".
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}

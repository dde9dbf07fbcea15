import Keepsake

/// A failure that the model can put right, with a sentence that says how.
struct ToolError: Error, Sendable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A command line that a bench does not understand.
package struct Misuse: Error {
  package let message: String

  package init(message: String) { self.message = message }
}

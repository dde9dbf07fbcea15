import KeepsakeFiles

/// Gathers the answers to the messages of one array, and gives them as an array when the last one is there.
final class Batch: Sendable {
  private struct State {
    var answers: [[UInt8]?]
    var left: Int
  }

  private let state: Locked<State>
  private let then: @Sendable ([UInt8]) -> Void

  /// Creates a gathering.
  ///
  /// - Parameters:
  ///   - count: The number of messages.
  ///   - then: Gets the array; it is not called if no message is answered.
  init(_ count: Int, then: @escaping @Sendable ([UInt8]) -> Void) {
    state = Locked(State(answers: Array(repeating: nil, count: count), left: count))
    self.then = then
  }

  /// Takes the answer to the message at an index; nil if it has none.
  func take(_ answer: [UInt8]?, at index: Int) {
    let answers = state.withLock { state -> [[UInt8]]? in
      state.answers[index] = answer
      state.left -= 1
      return state.left == 0 ? state.answers.compactMap { $0 } : nil
    }
    guard let answers, !answers.isEmpty else { return }
    then([0x5B] + answers.joined(separator: [0x2C]) + [0x5D])
  }
}

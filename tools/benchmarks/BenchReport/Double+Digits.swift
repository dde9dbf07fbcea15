extension Double {
  /// The number as a text with about three digits.
  package var short: String {
    magnitude < 10
      ? hundredths : magnitude < 100 ? "\((self * 10).rounded() / 10)" : "\(Int(rounded()))"
  }

  package var hundredths: String { "\((self * 100).rounded() / 100)" }
  package var thousandths: String { "\((self * 1000).rounded() / 1000)" }
}

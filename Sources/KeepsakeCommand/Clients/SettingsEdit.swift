/// A change to the text of settings, by which all other bytes stay as they are.
struct SettingsEdit: Equatable {
  /// The whole text with the change.
  let text: [UInt8]
  /// The entry as it stood before; nil if there was none.
  let old: String?
  /// The entry as it is to be; nil if it is taken away.
  let new: String?

  /// The reason why settings can't be changed by a program.
  struct Refusal: Error {
    let message: String
  }
}

/// The signs by which a ``SharedWriter`` decides whether to hold the transaction of a change while the hub decides.
struct Foresight {
  /// SQLite's `data_version` when a change was tried last.
  var dataVersion: Int64?
  /// The time that the hub took for its last answer.
  var answerTime: Duration?
}

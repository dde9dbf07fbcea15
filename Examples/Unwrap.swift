/// What has to be there by now.
func unwrap<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

private struct Missing: Error, CustomStringConvertible {
  var description: String { "something that was kept is not there" }
}

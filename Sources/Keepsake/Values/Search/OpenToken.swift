/// The token that is being read, by its start, and the end of its last letter so far.
struct OpenToken {
  var start: Int?
  var end = 0
}

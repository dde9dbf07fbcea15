import Keepsake

extension RecordReader {
  /// Attaches the sound of a part in the form of OpenAI's services; nil where there is none.
  mutating func attach(inputAudio part: JSONObject, madeBy maker: Entry.MadeBy)
    -> Entry.Segment.Content?
  {
    guard let inner = part.object("input_audio"), let data = inner["data"],
      inner.kind("data") == .string
    else { return nil }
    let type = inner.string("format").map { MediaType($0 == "mp3" ? "audio/mpeg" : "audio/\($0)") }
    return attach(
      base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: type, label: nil,
      madeBy: maker)
  }
}

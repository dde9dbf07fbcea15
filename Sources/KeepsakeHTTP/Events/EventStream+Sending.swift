extension EventStream {
  /// Sends an event.
  ///
  /// Does not wait: the event is put into the buffer, and the server's thread sends it. Line breaks in the data are
  /// kept; those in the id and in the name, and NUL, are sent as spaces.
  /// - Parameters:
  ///   - id: The id that the client names in `Last-Event-ID` when it connects again.
  ///   - event: The name of the event; nil for the usual one, `message`.
  ///   - data: The text of the event.
  /// - Returns: Whether the stream was open, and had room.
  @discardableResult
  package func send(id: String? = nil, event: String? = nil, data: String) -> Bool {
    var text: [UInt8] = []
    text.reserveCapacity(data.utf8.count + 32)
    if let id { Self.append("id: ", id, to: &text) }
    if let event { Self.append("event: ", event, to: &text) }
    Self.appendData(data, to: &text)
    text.append(0x0A)
    return add(text)
  }

  /// Ends the stream after what was sent before.
  package func close() { finish(.closed) }

  private static func append(_ name: String, _ value: String, to text: inout [UInt8]) {
    text += name.utf8
    text += value.utf8.map { $0 == 0x0A || $0 == 0x0D || $0 == 0 ? 0x20 : $0 }
    text.append(0x0A)
  }

  /// Adds a line for each line of the data. Lines may end in CR, LF, or both.
  private static func appendData(_ data: String, to text: inout [UInt8]) {
    text += "data: ".utf8
    var previous: UInt8 = 0
    for byte in data.utf8 {
      switch byte {
      case 0x0A where previous == 0x0D: break
      case 0x0A, 0x0D:
        text += "\ndata: ".utf8
      default: text.append(byte)
      }
      previous = byte
    }
    text.append(0x0A)
  }
}

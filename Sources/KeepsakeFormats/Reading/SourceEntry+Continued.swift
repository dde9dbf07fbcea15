import Keepsake

extension SourceEntry {
  /// Returns one entry with the contents of this entry followed by those of another.
  func continued(by next: SourceEntry) -> SourceEntry {
    var entry = entry
    var rest = next.entry.segments[...]
    if case .text(let start)? = entry.segments.last?.content,
      case .text(let end)? = rest.first?.content
    {
      entry.segments[entry.segments.count - 1] = .text(start + end)
      rest = rest.dropFirst()
    }
    for segment in rest {
      var segment = segment
      if case .attachment(let index) = segment.content {
        segment.content = .attachment(index + attachments.count)
      }
      entry.segments.append(segment)
    }
    entry.usage = next.entry.usage ?? entry.usage
    entry.signature = next.entry.signature ?? entry.signature
    return SourceEntry(entry, attaching: attachments + next.attachments)
  }
}

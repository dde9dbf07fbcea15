import Foundation
import Testing

@testable import Keepsake

@Suite("A store that is open for reading and for writing in one process")
struct ReadThenWriteTests {
  @Test func `shows what is written, and is told apart from one that can't be written`()
    async throws
  {
    let made = try await Store.temporary()
    let session = try await made.createSession()
    try await session.append(.prompt("one"))
    let url = made.url
    await made.close()
    let reader = try await Store(at: url, options: .readOnly)
    let error = await #expect(throws: KeepsakeError.self) { try await Store(at: url) }
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("this process has it open for reading") == true)
    await reader.close()

    let writer = try await Store(at: url)
    let other = try await Store(at: url, options: .readOnly)
    let written = try await writer.session(session.id).append(.prompt("more"))
    #expect(try await other.session(session.id).entries(last: 1) == [written])
    await other.close()
    await writer.close()
    try await Store(at: url).removeTemporary()
  }
}

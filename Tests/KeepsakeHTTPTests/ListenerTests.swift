import Foundation
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeTestSupport
import Testing

@Suite struct `A place to listen at` {
  private let folder = NSTemporaryDirectory() + "keepsake-http-\(UInt32.random(in: 0 ... .max))"

  private func server(_ places: [HTTPListener]) -> HTTPServer {
    HTTPServer(places, handler: TestHandler { _ in HTTPResponse(text: "here") })
  }

  private func status(_ client: RawClient, host: String) throws -> Int {
    try client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    return try client.reply().status
  }

  /// B7: nobody but this machine can connect.
  @Test func `B7 is this machine alone, by both of its addresses`() throws {
    let server = server([.loopback(port: 0)])
    try server.start()
    defer { server.stop(within: .zero) }
    let port = try #require(server.port)
    #expect(try status(RawClient(port: port), host: "127.0.0.1:\(port)") == 200)
    if server.places.count > 1 {
      #expect(try status(RawClient(port: port, address: "::1"), host: "[::1]:\(port)") == 200)
    }
    #expect(Set(server.places).isSubset(of: ["127.0.0.1:\(port)", "[::1]:\(port)"]))
    #if os(Linux)
      let own = "0100007F"
      let places = try ListeningPlaces.addresses(at: Int(port))
      #expect(places.contains(own))
      #expect(places.isSubset(of: [own, "00000000000000000000000001000000"]))
    #endif
  }

  @Test func `is refused where somebody else is, with what to do`() throws {
    let first = server([.loopback(port: 0)])
    try first.start()
    defer { first.stop(within: .zero) }
    let port = try #require(first.port)
    let second = server([.loopback(port: port)])
    let error = #expect(throws: FileError.self) { try second.start() }
    #expect(error?.code == .exists)
    #expect(error?.message.contains("127.0.0.1:\(port)") == true)
    #expect(error?.message.contains("choose another port") == true)
  }

  @Test(arguments: ["nowhere", "1.2.3", "", "203.0.113.77"])
  func `is refused where this machine has no such address`(address: String) throws {
    let server = server([.address(address, port: 0)])
    #expect(throws: FileError.self) { try server.start() }
  }

  @Test func `may be a socket that only its owner can use`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/socket"
    let first = server([.unix(path: path)])
    try first.start()
    #expect(first.port == nil && first.places == [path])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try status(RawClient(unixPath: path), host: "localhost") == 200)
    #expect(try status(RawClient(unixPath: path), host: "evil.example") == 403)
    // A second one leaves the first alone.
    let error = #expect(throws: FileError.self) { try server([.unix(path: path)]).start() }
    #expect(error?.code == .exists)
    #expect(try status(RawClient(unixPath: path), host: "localhost") == 200)
    #expect(first.stop(within: .seconds(30)))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// Starts a server at a path, and tries again for two seconds: a program that another test starts at this moment holds a
  /// copy of the old socket until it runs.
  private func startedSoon(at path: String) throws -> HTTPServer {
    for _ in 0..<100 {
      let next = server([.unix(path: path)])
      if (try? next.start()) != nil { return next }
      Thread.sleep(forTimeInterval: 0.02)
    }
    let next = server([.unix(path: path)])
    try next.start()
    return next
  }

  @Test func `replaces a socket that nobody answers, and nothing else`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, other) = (folder + "/socket", folder + "/moved")
    // A socket whose server is gone: it was moved away, so that its end did not remove it.
    let gone = server([.unix(path: other)])
    try gone.start()
    try FileManager.default.moveItem(atPath: other, toPath: path)
    #expect(gone.stop(within: .seconds(30)))
    #expect(FileManager.default.fileExists(atPath: path))
    let next = try startedSoon(at: path)
    defer { next.stop(within: .zero) }
    #expect(try status(RawClient(unixPath: path), host: "localhost") == 200)

    let file = folder + "/file"
    try Data("kept".utf8).write(to: URL(filePath: file))
    #expect(throws: FileError.self) { try server([.unix(path: file)]).start() }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    let long = folder + "/" + String(repeating: "a", count: 120)
    #expect(throws: FileError.self) { try server([.unix(path: long)]).start() }
  }
}

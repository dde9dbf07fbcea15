import Foundation
import Testing

@testable import KeepsakeFiles

@Suite("Whose program is at the other end of a connection")
struct PeerOwnerTests {
  private static let list = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100
       1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 101
       2: 0200007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 102
       3: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     7        0 103
    """

  @Test func `the end that asks is found by both addresses`() {
    func owner(_ local: String, _ remote: String) -> UInt32? {
      StreamSocket.owner(of: local, to: remote, in: Self.list)?.user
    }
    #expect(owner("0100007F:C001", "0100007F:1F90") == 1000)
    #expect(owner("0200007F:C001", "0100007F:1F90") == 1001)
    #expect(owner("0100007F:1F90", "0100007F:C001") == 7)
    #expect(owner("0100007F:C002", "0100007F:1F90") == nil)
    #expect(StreamSocket.owner(of: "x", to: "y", in: "") == nil)
    #expect(StreamSocket.owner(of: "x", to: "y", in: "head\nshort line\n") == nil)
  }

  #if os(Linux)
    @Test(arguments: ["127.0.0.1", "::1"])
    func `a connection of this process belongs to this user`(address: String) throws {
      let listener = try SocketListener(address: address, port: 0)
      let deadline = Instant.now.advanced(by: .seconds(20))
      let client = try StreamSocket(address: address, port: listener.port, deadline: deadline)
      var found: StreamSocket?
      while found == nil, Instant.now < deadline { found = try listener.accept() }
      let server = try #require(found)
      #expect(server.peerOwner == PeerOwner(user: geteuid()))
      #expect(server.peerOwner?.mayActForUs == true)
      #expect(client.peerOwner == PeerOwner(user: geteuid()))
    }
  #endif

  @Test func `another user may not act for this one, and the one who may do everything may`() {
    #expect(PeerOwner(user: 0).mayActForUs)
    #expect(PeerOwner(user: geteuid()).mayActForUs)
    #expect(!PeerOwner(user: geteuid() &+ 4711).mayActForUs)
  }
}

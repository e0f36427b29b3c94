/// Finds nodes by a hash of something they have. Several may share one: whoever asks compares.
///
/// Chains of slot numbers through two arrays, and heads that double as it grows: 12 bytes a node and 4 to 8 a head.
struct SlotIndex: Sendable {
    private var heads: [Int32] = Array(repeating: -1, count: 16)
    private var links: [Link] = []
    private(set) var count = 0

    private struct Link {
        var hash: UInt32 = 0
        var next: Int32 = -1
        var previous: Int32 = Link.absent

        /// Not in the index. At the head of a chain it is −1.
        static let absent: Int32 = -2
    }

    mutating func insert(_ slot: Int32, hash: Int) {
        while links.count <= Int(slot) { links.append(Link()) }
        if count >= heads.count { grow() }
        links[Int(slot)].hash = SlotIndex.fold(hash)
        link(slot)
        count += 1
    }

    mutating func remove(_ slot: Int32) {
        guard Int(slot) < links.count, links[Int(slot)].previous != Link.absent else { return }
        let gone = links[Int(slot)]
        if gone.previous >= 0 {
            links[Int(gone.previous)].next = gone.next
        } else {
            heads[head(gone.hash)] = gone.next
        }
        if gone.next >= 0 { links[Int(gone.next)].previous = gone.previous }
        links[Int(slot)] = Link()
        count -= 1
    }

    /// The first with this hash for which `isIt` holds.
    func first(hash: Int, where isIt: (Int32) -> Bool) -> Int32? {
        let hash = SlotIndex.fold(hash)
        var next = heads[head(hash)]
        while next >= 0 {
            let link = links[Int(next)]
            if link.hash == hash, isIt(next) { return next }
            next = link.next
        }
        return nil
    }

    /// Calls `body` with each that has this hash, in no order.
    func forEach(hash: Int, _ body: (Int32) -> Void) {
        let hash = SlotIndex.fold(hash)
        var next = heads[head(hash)]
        while next >= 0 {
            let link = links[Int(next)]
            if link.hash == hash { body(next) }
            next = link.next
        }
    }

    private func head(_ hash: UInt32) -> Int { Int(hash) & (heads.count - 1) }

    private mutating func link(_ slot: Int32) {
        let head = head(links[Int(slot)].hash)
        let next = heads[head]
        links[Int(slot)].next = next
        links[Int(slot)].previous = -1
        if next >= 0 { links[Int(next)].previous = slot }
        heads[head] = slot
    }

    private mutating func grow() {
        heads = Array(repeating: -1, count: heads.count * 2)
        for slot in links.indices where links[slot].previous != Link.absent { link(Int32(slot)) }
    }

    private static func fold(_ hash: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: hash) ^ UInt32(truncatingIfNeeded: hash >> 32)
    }
}

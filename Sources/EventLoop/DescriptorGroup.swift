import CLinux
import Glibc

/// Many descriptors that the loop looks at as one: what a turn of it costs does not grow with those that have nothing to say.
@Loop
package final class DescriptorGroup {
    /// A watch of one descriptor, of which there may be several.
    private struct Member {
        let number: UInt64
        let conditions: DescriptorWatch.Conditions
        let body: @Loop (DescriptorWatch.Conditions) -> Void
    }

    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var members: [Int32: [Member]] = [:]
    private var lastNumber: UInt64 = 0
    /// Who is ready, for a part of them at a time.
    private var ready = [focusd_ready](repeating: focusd_ready(), count: DescriptorGroup.readyAtOnce)

    private static let readyAtOnce = 64
    /// Parts in one turn of the loop: so that everybody has a turn before anybody has the next.
    private static let partsAtOnce = 16

    package init() {
        descriptor = focusd_group_create()
        guard descriptor >= 0 else { return }
        watch = DescriptorWatch(descriptor, for: .readable) { [weak self] _ in self?.dispatch() }
    }

    /// Watches a descriptor; nil where it cannot. The number is for ``remove(_:of:)``, which must come before it is closed.
    func add(
        _ member: Int32, for conditions: DescriptorWatch.Conditions,
        _ body: @escaping @Loop (DescriptorWatch.Conditions) -> Void
    ) -> UInt64? {
        guard descriptor >= 0 else { return nil }
        lastNumber += 1
        let others = members[member] ?? []
        members[member] = others + [Member(number: lastNumber, conditions: conditions, body: body)]
        guard tell(member) else {
            members[member] = others.isEmpty ? nil : others
            return nil
        }
        return lastNumber
    }

    func remove(_ number: UInt64, of member: Int32) {
        guard let left = members[member]?.filter({ $0.number != number }) else { return }
        members[member] = left.isEmpty ? nil : left
        _ = tell(member)
    }

    private func tell(_ member: Int32) -> Bool {
        let wanted = members[member]?.reduce(into: DescriptorWatch.Conditions()) { $0.formUnion($1.conditions) }
        return focusd_group_watch(descriptor, member, wanted?.rawValue ?? 0) == 0
    }

    private func dispatch() {
        // What is called back may end all of this.
        var told: Set<Int32> = []
        for _ in 0..<DescriptorGroup.partsAtOnce where !members.isEmpty {
            let count = Int(focusd_group_take(descriptor, &ready, Int32(DescriptorGroup.readyAtOnce)))
            guard count > 0 else { return }
            var isAnyNew = false
            for one in ready[..<count] where told.insert(one.descriptor).inserted {
                isAnyNew = true
                tell(one.descriptor, DescriptorWatch.Conditions(rawValue: one.conditions))
            }
            // They come in a circle: from here on all would have another turn.
            guard isAnyNew, count == DescriptorGroup.readyAtOnce else { return }
        }
    }

    private func tell(_ descriptor: Int32, _ conditions: DescriptorWatch.Conditions) {
        for member in members[descriptor] ?? [] {
            // An end is told to everybody, as poll does.
            guard !conditions.isDisjoint(with: member.conditions.union([.hangUp, .failed])),
                members[descriptor]?.contains(where: { $0.number == member.number }) == true
            else { continue }
            member.body(conditions)
        }
    }

    isolated deinit {
        watch?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }
}

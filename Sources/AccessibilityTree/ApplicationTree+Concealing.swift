/// What is inside of password fields and terminals: it is in the tree, without a word of what it says.
///
/// Toolkits give pieces of a text names, descriptions and attributes made of that text.
extension ApplicationTree {
    /// Whether it is inside of a password field or a terminal; those themselves, which have labels, are not.
    package func isConcealed(_ slot: Slot) -> Bool { self[slot].flags.contains(.isConcealed) }

    /// To be called where a node got another parent: forgets what it says, and all below it, where that is no longer
    /// anybody's business.
    mutating func settleConcealment(of slot: Slot) {
        var waiting = [slot]
        while let current = waiting.popLast() {
            let parent = self[current].parent
            let isInside = parent >= 0 && conceals(Slot(number: parent))
            guard isInside != isConcealed(current) else { continue }
            if isInside {
                self[current].flags.insert(.isConcealed)
                setName("", of: current)
                setDescription("", of: current)
                setAttributes(nil, of: current)
            } else {
                // It says it again when it is looked at the next time.
                self[current].flags.remove(.isConcealed)
            }
            appendBelow(current, to: &waiting)
        }
    }

    /// To be called where a node's role is another.
    mutating func settleConcealment(below slot: Slot) {
        var children: [Slot] = []
        appendBelow(slot, to: &children)
        for child in children { settleConcealment(of: child) }
    }

    private func conceals(_ parent: Slot) -> Bool { self[parent].role.isSecret || isConcealed(parent) }

    private func appendBelow(_ slot: Slot, to slots: inout [Slot]) {
        for child in self[slot].children where self[child].parent == slot.number { slots.append(child) }
        slots += unlisted[slot] ?? []
    }
}

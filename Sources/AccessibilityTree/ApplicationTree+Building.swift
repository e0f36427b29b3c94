extension ApplicationTree {
    /// Makes a node the top of a tree; an application may have several. Nil where there is no room.
    package mutating func insertRoot(_ path: String) -> Slot? {
        guard let slot = slot(at: path) ?? make(path) else { return nil }
        guard !self[slot].flags.contains(.isRoot) else { return slot }
        self[slot].flags.insert(.isRoot)
        unattachedCount -= self[slot].parent < 0 ? 1 : 0
        roots.append(slot)
        if isRead(slot) { changed(.inserted(slot)) }
        return slot
    }

    /// Takes what is said of a node, known before or not. Who its parent is, is kept until ``arrange()``.
    ///
    /// Nil where there is no room for one more.
    @discardableResult
    package mutating func take(_ item: TreeItem) -> Slot? {
        guard let slot = slot(at: item.path) ?? make(item.path) else { return nil }
        update(slot, item)
        if let children = item.children {
            setChildren(of: slot, children)
        } else if let parent = item.parent, parent.busName == busName, parent.path != item.path,
            let above = self.slot(at: parent.path) ?? make(parent.path)
        {
            told.append(Told(parent: above.number, index: Int32(clamping: item.index ?? -1), slot: slot.number))
        }
        return slot
    }

    /// Takes what a node says of itself.
    package mutating func update(_ slot: Slot, _ item: TreeItem) {
        let wasRead = isRead(slot)
        setRole(item.role, of: slot)
        setStates(item.states, of: slot)
        setName(item.name, of: slot)
        setDescription(item.description, of: slot)
        self[slot].interfaces = item.interfaces
        self[slot].statedChildren = Int32(clamping: item.childCount ?? -1)
        guard !wasRead else { return }
        self[slot].flags.insert(.isRead)
        if self[slot].parent >= 0 || isRoot(slot) { changed(.inserted(slot)) }
    }

    /// Makes lists of children of what the items since the last time said of their parents.
    ///
    /// Returns those whose list is not certain and must be asked for: the number or the places do not fit.
    package mutating func arrange() -> [Slot] {
        var all: [Told] = []
        swap(&all, &told)
        all.sort { ($0.parent, $0.index, $0.slot) < ($1.parent, $1.index, $1.slot) }
        var uncertain: [Slot] = []
        var start = 0
        var children: [Slot] = []
        while start < all.count {
            let parent = Slot(number: all[start].parent)
            var end = start
            children.removeAll(keepingCapacity: true)
            var isCertain = isRead(parent)
            while end < all.count, all[end].parent == parent.number {
                if Int(all[end].index) != end - start { isCertain = false }
                children.append(Slot(number: all[end].slot))
                end += 1
            }
            start = end
            if states(of: parent).contains(.managesDescendants) { continue }
            if Int(self[parent].statedChildren) != children.count { isCertain = false }
            setChildren(of: parent, children)
            if !isCertain {
                self[parent].flags.remove(.isListed)
                uncertain.append(parent)
            }
        }
        return uncertain
    }

    /// Takes the list of children that a node says it has. References to other applications were left out before.
    ///
    /// Those that were unknown are in the tree from now on, and are not read. True where the list was another before.
    @discardableResult
    package mutating func setChildren(of parent: Slot, _ paths: [String]) -> Bool {
        var slots: [Slot] = []
        slots.reserveCapacity(min(paths.count, limits.maximumChildren))
        for path in paths.prefix(limits.maximumChildren) {
            guard let slot = slot(at: path) ?? make(path) else {
                markCut(parent)
                break
            }
            slots.append(slot)
        }
        if paths.count > limits.maximumChildren { markCut(parent) }
        return setChildren(of: parent, slots)
    }

    @discardableResult
    mutating func setChildren(of parent: Slot, _ wanted: [Slot]) -> Bool {
        guard !states(of: parent).contains(.managesDescendants) else { return false }
        var children = wanted
        if children.count > limits.maximumChildren {
            children.removeLast(children.count - limits.maximumChildren)
            markCut(parent)
        }
        self[parent].flags.insert(.isListed)
        let before = self[parent].children
        guard before != children else { return false }
        if !children.isEmpty, depth(of: parent) >= limits.maximumDepth {
            self[parent].flags.insert(.hasDepthCut)
            oddities.cuts += 1
            for child in children where self[child].parent < 0 && !isRoot(child) { remove(child) }
            return false
        }
        self[parent].children = children
        changed(.children(parent))
        attach(children, to: parent)
        if !before.isEmpty {
            let kept = Set(children)
            for child in before where !kept.contains(child) { unlist(child, from: parent) }
        }
        return true
    }

    /// Gives a node its children: each that has no parent yet gets this one.
    private mutating func attach(_ children: [Slot], to parent: Slot) {
        var isInOrder = true
        for (place, child) in children.enumerated() {
            if self[child].parent == parent.number, !isUnlisted(child) {
                self[child].place = Int32(place)
                continue
            }
            if isUnlisted(child) { takeFromUnlisted(child) }
            if self[child].parent < 0, !isRoot(child), child != parent, !isInside(parent, child) {
                self[child].parent = parent.number
                self[child].place = Int32(place)
                unattachedCount -= 1
                if isRead(child) { changed(.inserted(child)) }
            } else {
                isInOrder = false
                if child == parent || isInside(parent, child) {
                    oddities.cycles += 1
                } else {
                    oddities.secondParents += 1
                }
                if otherListers[child]?.contains(parent) != true { otherListers[child, default: []].append(parent) }
            }
        }
        guard !isInOrder || Set(children).count != children.count else { return }
        oddities.wrongCounts += 1
    }

    /// A node is not listed any more by one that did. Without anybody else who lists it, it is gone.
    mutating func unlist(_ child: Slot, from parent: Slot) {
        guard contains(child) else { return }
        guard self[child].parent == parent.number else {
            otherListers[child]?.removeAll { $0 == parent }
            if otherListers[child]?.isEmpty == true { otherListers[child] = nil }
            return
        }
        let others = otherListers[child] ?? []
        guard let next = others.first(where: { !isInside($0, child) && $0 != child }) else { return remove(child) }
        let rest = others.filter { $0 != next }
        otherListers[child] = rest.isEmpty ? nil : rest
        self[child].parent = next.number
        changed(.children(next))
        changed(.inserted(child))
    }

    /// Whether a node is the other or below it.
    package func isInside(_ slot: Slot, _ ancestor: Slot) -> Bool {
        // A leaf holds nothing: most questions end here.
        if self[ancestor].children.isEmpty, unlisted[ancestor] == nil { return slot == ancestor }
        var next: Int32 = slot.number
        var steps = 0
        while next >= 0, steps <= limits.maximumDepth + 1 {
            if next == ancestor.number { return true }
            next = entries[Int(next)].parent
            steps += 1
        }
        return false
    }

    /// Forgets what no root leads to. Ends a loading.
    package mutating func prune() {
        var isReached = [Bool](repeating: false, count: entries.count)
        var waiting = roots
        while let slot = waiting.popLast() {
            guard !isReached[Int(slot.number)] else { continue }
            isReached[Int(slot.number)] = true
            waiting += self[slot].children.filter { self[$0].parent == slot.number }
            waiting += unlisted[slot] ?? []
        }
        for number in entries.indices where !isReached[number] && entries[number].flags.contains(.isUsed) {
            // A removal takes others along.
            if entries[number].flags.contains(.isUsed) { remove(Slot(number: Int32(number))) }
        }
        told.removeAll()
    }

    // MARK: - Room

    mutating func make(_ path: String) -> Slot? {
        guard nodeCount < limits.maximumNodes else {
            oddities.cuts += 1
            return nil
        }
        let number: Int32
        if let used = free.popLast() {
            number = used
        } else {
            number = Int32(entries.count)
            entries.append(Entry())
        }
        entries[Int(number)].path = path
        entries[Int(number)].flags = .isUsed
        paths.insert(number, hash: path.hashValue)
        nodeCount += 1
        unattachedCount += 1
        return Slot(number: number)
    }

    private mutating func markCut(_ slot: Slot) {
        if !self[slot].flags.contains(.hasChildrenCut) { oddities.cuts += 1 }
        self[slot].flags.insert(.hasChildrenCut)
    }

    /// Forgets a node and all that hangs below it.
    package mutating func remove(_ slot: Slot) {
        guard contains(slot) else { return }
        var doomed = [slot]
        var next = 0
        while next < doomed.count {
            let current = doomed[next]
            next += 1
            for child in self[current].children where self[child].parent == current.number {
                self[child].parent = -1
                unattachedCount += 1
                // Who else lists it keeps it.
                if let lister = otherListers[child]?.first(where: { other in
                    contains(other) && !doomed.contains(other) && !isInside(other, child)
                }) {
                    self[child].parent = lister.number
                    unattachedCount -= 1
                    otherListers[child]?.removeAll { $0 == lister }
                    changed(.inserted(child))
                } else {
                    doomed.append(child)
                }
            }
            for child in unlisted[current] ?? [] {
                self[child].parent = -1
                unattachedCount += 1
                doomed.append(child)
            }
        }
        for slot in doomed { erase(slot) }
    }

    private mutating func erase(_ slot: Slot) {
        guard contains(slot) else { return }
        let entry = self[slot]
        if entry.parent >= 0 {
            let parent = Slot(number: entry.parent)
            if entry.flags.contains(.isUnlisted) {
                takeFromUnlisted(slot)
            } else if let place = position(of: slot) {
                self[parent].children.remove(at: place)
                changed(.children(parent))
            }
        } else if !entry.flags.contains(.isRoot) {
            unattachedCount -= 1
        }
        for lister in otherListers.removeValue(forKey: slot) ?? [] where contains(lister) {
            self[lister].children.removeAll { $0 == slot }
            changed(.children(lister))
        }
        for child in entry.children where contains(child) && self[child].parent != slot.number {
            otherListers[child]?.removeAll { $0 == slot }
            if otherListers[child]?.isEmpty == true { otherListers[child] = nil }
        }
        if entry.flags.contains(.isRoot) { roots.removeAll { $0 == slot } }
        paths.remove(slot.number)
        names.remove(slot.number)
        rolesIndex.remove(slot.number)
        descriptions[slot] = nil
        attributesOf[slot] = nil
        unlisted[slot] = nil
        forgetID(of: slot)
        entries[Int(slot.number)] = Entry()
        free.append(slot.number)
        nodeCount -= 1
        changed(.removed(slot))
    }

    mutating func takeFromUnlisted(_ slot: Slot) {
        let parent = Slot(number: self[slot].parent)
        unlisted[parent]?.removeAll { $0 == slot }
        if unlisted[parent]?.isEmpty == true { unlisted[parent] = nil }
        self[slot].flags.remove(.isUnlisted)
        self[slot].parent = -1
        unattachedCount += 1
    }
}

extension ApplicationTree {
    /// Makes a node the top of a tree; an application may have several. Nil where there is no room.
    package mutating func insertRoot(_ path: String) -> Slot? {
        guard let slot = slotOrNew(path) else { return nil }
        guard !self[slot].flags.contains(.isRoot) else { return slot }
        if isUnlisted(slot) {
            takeFromUnlisted(slot)
        } else if let parent = parent(of: slot) {
            // It goes on to be listed there, as by one that is not its parent.
            self[slot].parent = -1
            unattachedCount += 1
            insertOtherLister(parent, of: slot)
        }
        self[slot].flags.insert(.isRoot)
        settleConcealment(of: slot)
        unattachedCount -= 1
        roots.append(slot)
        if isRead(slot) { changed(.inserted(slot)) }
        return slot
    }

    /// Takes what is said of a node, known before or not. Who its parent is, is kept until ``arrange()``.
    ///
    /// Nil where there is no room for one more.
    @discardableResult
    package mutating func take(_ item: TreeItem) -> Slot? {
        guard let slot = slotOrNew(item.path) else { return nil }
        update(slot, item)
        if let children = item.children {
            setChildren(of: slot, children)
            return slot
        }
        if let count = item.childCount, count != self[slot].children.count { self[slot].flags.remove(.isListed) }
        if let parent = item.parent, parent.busName == busName, parent.path != item.path,
            let above = slotOrNew(parent.path)
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
        if item.childCount == 0, self[slot].children.isEmpty, !item.states.contains(.managesDescendants) {
            self[slot].flags.insert(.isListed)
        } else if item.children == nil, let count = item.childCount, count != self[slot].children.count {
            // Its list is another by now, or was never right.
            self[slot].flags.remove(.isListed)
        }
        guard !wasRead else { return }
        self[slot].flags.insert(.isRead)
        if !self[slot].flags.contains(.hasID) { unaskedIDCount += 1 }
        rolesIndex.insert(slot.number, hash: ApplicationTree.spread(item.role))
        if self[slot].parent >= 0 || isRoot(slot) { changed(.inserted(slot)) }
    }

    /// Makes lists of children of what the items since the last time said of their parents.
    ///
    /// Returns those whose list is not certain and must be asked for: the number or the places do not fit, or it never
    /// came. Where an item was taken twice, the later one counts.
    package mutating func arrange() -> [Slot] {
        var all: [Told] = []
        swap(&all, &told)
        keepLast(&all)
        all.sort { ($0.parent, $0.index, $0.slot) < ($1.parent, $1.index, $1.slot) }
        // A node may leave one list for another, in whatever order they are made.
        dropped = []
        var start = 0
        while start < all.count {
            let parent = Slot(number: all[start].parent)
            var end = start
            var children: [Slot] = []
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
            if !isCertain, !hasDepthCut(parent) { self[parent].flags.remove(.isListed) }
        }
        settleDropped()
        return entries.indices.compactMap { number in
            let isMissing = entries[number].flags.isDisjoint(with: .isListed) && entries[number].flags.contains(.isRead)
            guard isMissing, !entries[number].states.contains(.managesDescendants) else { return nil }
            return Slot(number: Int32(number))
        }
    }

    private mutating func settleDropped() {
        let all = dropped ?? []
        dropped = nil
        // ORDER: all are let go before any looks for another parent, so that no parent is one that let go.
        let orphans = all.filter { letGo($0.child, by: $0.parent) }
        for (child, _) in orphans where contains(child) && self[child].parent < 0 {
            if !adopt(child) { remove(child) }
        }
    }

    private func keepLast(_ all: inout [Told]) {
        var last = [Int32](repeating: -1, count: entries.count)
        var isRepeated = false
        for (place, told) in all.enumerated() {
            if last[Int(told.slot)] >= 0 { isRepeated = true }
            last[Int(told.slot)] = Int32(place)
        }
        guard isRepeated else { return }
        all = all.enumerated().filter { last[Int($0.element.slot)] == Int32($0.offset) }.map(\.element)
    }

    /// Takes the list of children that a node says it has. References to other applications were left out before.
    ///
    /// Those that were unknown are in the tree from now on, and are not read. True where the list was another before.
    @discardableResult
    package mutating func setChildren(of parent: Slot, _ paths: [String]) -> Bool {
        guard !states(of: parent).contains(.managesDescendants) else { return false }
        guard paths.isEmpty || depth(of: parent) < limits.maximumDepth else { return cutBelow(parent) }
        var slots: [Slot] = []
        slots.reserveCapacity(min(paths.count, limits.maximumChildren))
        for path in paths.prefix(limits.maximumChildren) {
            guard let slot = slotOrNew(path) else {
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
        let before = self[parent].children
        if before == children {
            self[parent].flags.insert(.isListed)
            return false
        }
        guard children.isEmpty || depth(of: parent) < limits.maximumDepth else { return cutBelow(parent) }
        if otherListingCount > limits.maximumNodes {
            // Everybody lists everybody: what has its place elsewhere is left out.
            let count = children.count
            children.removeAll { self[$0].parent >= 0 && self[$0].parent != parent.number || isRoot($0) }
            if children.count < count { markCut(parent) }
        }
        self[parent].flags.insert(.isListed)
        self[parent].children = children
        let known = before.isEmpty ? [] : Set(before)
        if attach(children, to: parent, known: known) {
            var seen: Set<Slot> = []
            children.removeAll { !seen.insert($0).inserted }
            self[parent].children = children
            renumber(parent)
            oddities.wrongCounts += 1
        }
        changed(.children(parent))
        if !before.isEmpty {
            let kept = Set(children)
            for child in before where !kept.contains(child) { unlist(child, from: parent) }
        }
        return children != before
    }

    /// Keeps no children of a node at the last level.
    private mutating func cutBelow(_ parent: Slot) -> Bool {
        if !hasDepthCut(parent) { oddities.cutLevels += 1 }
        self[parent].flags.formUnion([.hasDepthCut, .isListed])
        return dropChildren(of: parent)
    }

    /// Takes all children off a node's list. True where there were some.
    mutating func dropChildren(of parent: Slot) -> Bool {
        let before = self[parent].children
        guard !before.isEmpty else { return false }
        self[parent].children = []
        changed(.children(parent))
        for child in before { unlist(child, from: parent) }
        return true
    }

    /// Gives a node its children: each that has no parent yet gets this one. True where the list names one twice.
    private mutating func attach(_ children: [Slot], to parent: Slot, known: Set<Slot>) -> Bool {
        var isRepeated = false
        var elsewhere: Set<Slot> = []
        for (place, child) in children.enumerated() {
            if self[child].parent == parent.number, !isUnlisted(child) {
                let before = Int(self[child].place)
                if before < place, children[before] == child { isRepeated = true }
                self[child].place = Int32(place)
            } else if mayHang(child), !isInside(parent, child) {
                hang(child, below: parent, at: place)
            } else if !elsewhere.insert(child).inserted {
                isRepeated = true
            } else if !known.contains(child) {
                list(child, by: parent)
            }
        }
        return isRepeated
    }

    /// Whether a node waits for a parent.
    func mayHang(_ child: Slot) -> Bool { (self[child].parent < 0 || isUnlisted(child)) && !isRoot(child) }

    mutating func hang(_ child: Slot, below parent: Slot, at place: Int) {
        if isUnlisted(child) { takeFromUnlisted(child) }
        // It may have been below this one when the list came.
        if !otherListers.isEmpty { removeOtherLister(parent, of: child) }
        self[child].parent = parent.number
        self[child].place = Int32(place)
        unattachedCount -= 1
        settleConcealment(of: child)
        if isRead(child) { changed(.inserted(child)) }
    }

    /// Remembers that a node is listed by one that cannot be its parent.
    mutating func list(_ child: Slot, by parent: Slot) {
        if isInside(parent, child) {
            oddities.cycles += 1
        } else {
            oddities.secondParents += 1
        }
        insertOtherLister(parent, of: child)
    }

    /// A node is not listed any more by one that did. Without anybody else who lists it, it is gone.
    mutating func unlist(_ child: Slot, from parent: Slot) {
        guard contains(child) else { return }
        if dropped != nil {
            dropped?.append((child, parent))
        } else if letGo(child, by: parent), !adopt(child) {
            remove(child)
        }
    }

    /// Ends what a list that is no more made of a node. True where it has no parent now.
    private mutating func letGo(_ child: Slot, by parent: Slot) -> Bool {
        guard self[child].parent == parent.number, !isUnlisted(child) else {
            removeOtherLister(parent, of: child)
            return false
        }
        self[child].parent = -1
        unattachedCount += 1
        return true
    }

    /// Gives a node that lost its parent to another that lists it. False where none of those can have it.
    mutating func adopt(_ child: Slot) -> Bool {
        guard !otherListers.isEmpty, let listers = otherListers[child] else { return false }
        // More than a few are nonsense, and their order does not matter.
        let few = listers.count <= 64 ? listers.sorted { $0.number < $1.number } : Array(listers.prefix(64))
        let next = few.first { lister in
            !self[lister].flags.contains(.isDoomed) && depth(of: lister) < limits.maximumDepth
                && !isInside(lister, child)
        }
        guard let next, let place = self[next].children.firstIndex(of: child) else { return false }
        removeOtherLister(next, of: child)
        hang(child, below: next, at: place)
        changed(.children(next))
        return true
    }

    /// Whether a node is the other or below it.
    package func isInside(_ slot: Slot, _ ancestor: Slot) -> Bool {
        // A leaf holds nothing: most questions end here.
        if self[ancestor].children.isEmpty, dropped?.isEmpty != false, unlisted.isEmpty || unlisted[ancestor] == nil {
            return slot == ancestor
        }
        // No node is inside itself, so this ends.
        var next: Int32 = slot.number
        while next >= 0 {
            if next == ancestor.number { return true }
            next = entries[Int(next)].parent
        }
        return false
    }

    /// Forgets what no root leads to, and what hangs too deep. Ends a loading.
    package mutating func prune() {
        // What has no parent goes with all that is below it, save what others list.
        for number in entries.indices {
            guard entries[number].flags.contains(.isUsed), entries[number].parent < 0 else { continue }
            if !entries[number].flags.contains(.isRoot) { remove(Slot(number: Int32(number))) }
        }
        // Whole branches may have been hung in below their last level.
        var waiting = roots.map { (slot: $0, depth: 0) }
        while let (slot, depth) = waiting.popLast() {
            guard contains(slot) else { continue }
            if depth >= limits.maximumDepth, !self[slot].children.isEmpty || unlisted[slot] != nil {
                _ = cutBelow(slot)
                for child in unlisted[slot] ?? [] { remove(child) }
                continue
            }
            for child in self[slot].children where self[child].parent == slot.number {
                if !self[child].children.isEmpty || !unlisted.isEmpty { waiting.append((child, depth + 1)) }
            }
            if !unlisted.isEmpty { waiting += (unlisted[slot] ?? []).map { ($0, depth + 1) } }
        }
        told.removeAll()
    }

    // MARK: - Room

    /// The node of this path, known before or new and in no list yet. Nil where there is no room.
    mutating func slotOrNew(_ path: String) -> Slot? {
        let hash = path.hashValue
        if let known = slot(at: path, hash: hash) { return known }
        guard nodeCount < limits.maximumNodes else {
            oddities.cutNodes += 1
            return nil
        }
        let number: Int32
        if let used = free.popLast() {
            number = used
        } else {
            number = Int32(entries.count)
            entries.append(Entry())
        }
        (entries[Int(number)].pathStart, entries[Int(number)].pathEnd) = pathStarts.split(path)
        entries[Int(number)].flags = .isUsed
        paths.insert(number, hash: hash)
        nodeCount += 1
        unattachedCount += 1
        return Slot(number: number)
    }

    mutating func markCut(_ slot: Slot) {
        if !self[slot].flags.contains(.hasChildrenCut) { oddities.cutChildren += 1 }
        self[slot].flags.insert(.hasChildrenCut)
    }
}

extension ApplicationTree {
    /// What must be asked after an event: it told of something that is not known.
    package enum Question: Hashable, Sendable {
        /// What this node is.
        case item(Slot)
        /// Whom it lists as its children.
        case children(Slot)
    }

    /// A node says that it has one more child. An unknown parent is nobody's business: it is not in the tree.
    package mutating func childAdded(to parentPath: String, at index: Int?, _ childPath: String) -> [Question] {
        guard let parent = slot(at: parentPath), !states(of: parent).contains(.managesDescendants) else { return [] }
        // Its list has not come yet, and will have the child in it.
        guard isListed(parent) else { return [] }
        let known = slot(at: childPath)
        if let known, lists(parent, known) {
            // Told twice, or moved among its siblings.
            return place(of: known, in: parent) == index ? [] : [.children(parent)]
        }
        let count = self[parent].children.count
        guard let index, index >= 0, index <= count else {
            return hasChildrenCut(parent) && (index ?? 0) > count ? [] : [.children(parent)]
        }
        guard depth(of: parent) < limits.maximumDepth else {
            if !hasDepthCut(parent) { oddities.cutLevels += 1 }
            self[parent].flags.insert(.hasDepthCut)
            return []
        }
        guard index < limits.maximumChildren, otherListingCount <= limits.maximumNodes,
            let child = known ?? slotOrNew(childPath)
        else {
            markCut(parent)
            return []
        }
        insert(child, below: parent, at: index)
        guard contains(child) else { return [] }
        if !isRead(child) { return [.item(child)] }
        return isListed(child) || states(of: child).contains(.managesDescendants) ? [] : [.children(child)]
    }

    private func lists(_ parent: Slot, _ child: Slot) -> Bool {
        if self[child].parent == parent.number { return !isUnlisted(child) }
        return otherListers[child]?.contains(parent) == true
    }

    private func place(of child: Slot, in parent: Slot) -> Int? {
        self[child].parent == parent.number ? position(of: child) : self[parent].children.firstIndex(of: child)
    }

    private mutating func insert(_ child: Slot, below parent: Slot, at index: Int) {
        self[parent].children.insert(child, at: index)
        changed(.children(parent))
        if mayHang(child), !isInside(parent, child) {
            hang(child, below: parent, at: index)
        } else {
            list(child, by: parent)
        }
        if self[parent].children.count > limits.maximumChildren {
            markCut(parent)
            unlist(self[parent].children.removeLast(), from: parent)
        }
        self[parent].statedChildren = Int32(clamping: self[parent].children.count)
    }

    /// A node says that it has a child less. True where that was news.
    @discardableResult
    package mutating func childRemoved(from parentPath: String, _ childPath: String) -> Bool {
        guard let parent = slot(at: parentPath), let child = slot(at: childPath) else { return false }
        if isUnlisted(child), self[child].parent == parent.number {
            remove(child)
            return true
        }
        guard lists(parent, child), let place = place(of: child, in: parent) else { return false }
        removeChild(of: parent, at: place)
        self[parent].statedChildren = Int32(clamping: self[parent].children.count)
        changed(.children(parent))
        unlist(child, from: parent)
        return true
    }

    /// Takes what a cache says of a new object, which may not be in any list yet.
    ///
    /// Returns the node whose list must be asked for if no signal names the new one soon.
    package mutating func itemAdded(_ item: TreeItem) -> Slot? {
        let known = slot(at: item.path)
        if known == nil, unattachedCount >= limits.maximumUnattached { return nil }
        guard let slot = known ?? slotOrNew(item.path) else { return nil }
        update(slot, item)
        if let children = item.children { setChildren(of: slot, children) }
        if item.childCount == 0, !isListed(slot), !item.states.contains(.managesDescendants) {
            _ = dropChildren(of: slot)
            self[slot].flags.insert(.isListed)
        }
        guard contains(slot), self[slot].parent < 0, !isRoot(slot), let parent = item.parent,
            parent.busName == busName, let above = self.slot(at: parent.path),
            !states(of: above).contains(.managesDescendants)
        else { return nil }
        return above
    }

    /// Hangs a node that focus is on below its parent, which does not list it: broken ancestry, or made when needed.
    package mutating func insertUnlisted(_ item: TreeItem, below parent: Slot) -> Slot? {
        guard let slot = slotOrNew(item.path) else { return nil }
        update(slot, item)
        guard contains(parent), self[slot].parent < 0, !isRoot(slot), depth(of: parent) < limits.maximumDepth,
            !isInside(parent, slot)
        else { return slot }
        // It may be listed by one that was below it.
        if adopt(slot) { return slot }
        self[slot].parent = parent.number
        self[slot].flags.insert(.isUnlisted)
        unattachedCount -= 1
        unlisted[parent, default: []].append(slot)
        settleConcealment(of: slot)
        changed(.inserted(slot))
        if let first = unlisted[parent]?.first, unlistedChildren(of: parent).count > limits.maximumUnlisted {
            remove(first)
        }
        return contains(slot) ? slot : nil
    }

    /// Hangs a child at the place that its parent, who makes its children when they are asked for, gave it.
    package mutating func insertMade(_ item: TreeItem, below parent: Slot, at place: Int) -> Slot? {
        for other in unlistedChildren(of: parent) where madePosition(of: other) == place {
            self[other].flags.remove(.isPlaced)
            if path(of: other) != item.path { changed(.children(parent)) }
        }
        guard let slot = insertUnlisted(item, below: parent), isUnlisted(slot), self[slot].parent == parent.number
        else {
            return nil
        }
        self[slot].place = Int32(clamping: place)
        self[slot].flags.insert(.isPlaced)
        changed(.inserted(slot))
        return slot
    }

    // MARK: - What a node says of itself

    /// True where that was news.
    @discardableResult
    package mutating func setState(_ state: State, _ isOn: Bool, of slot: Slot) -> Bool {
        var states = self[slot].states
        if isOn { states.insert(state) } else { states.remove(state) }
        return setStates(states, of: slot)
    }

    @discardableResult
    package mutating func setStates(_ states: StateSet, of slot: Slot) -> Bool {
        let before = self[slot].states
        guard before != states else { return false }
        self[slot].states = states
        if isRead(slot) { changed(.states(slot, StateSet(bits: before.bits ^ states.bits))) }
        if before.contains(.managesDescendants) != states.contains(.managesDescendants) {
            // What it lists is not kept, or is not known.
            self[slot].flags.remove(.isListed)
            _ = dropChildren(of: slot)
        }
        return true
    }

    /// How many children the application says there are; nil where it does not know. True where that was news.
    @discardableResult
    package mutating func setStatedChildCount(_ count: Int?, of slot: Slot) -> Bool {
        let count = Int32(clamping: count ?? -1)
        guard self[slot].statedChildren != count else { return false }
        self[slot].statedChildren = count
        return true
    }

    @discardableResult
    package mutating func setName(_ name: String, of slot: Slot) -> Bool {
        let isCut = name.utf8.count > limits.maximumTextBytes && !isConcealed(slot)
        let name = isConcealed(slot) ? "" : cut(name)
        if isCut { self[slot].flags.insert(.hasNameCut) } else { self[slot].flags.remove(.hasNameCut) }
        let before = self[slot].name
        guard !name.utf8.elementsEqual(before.utf8) else { return false }
        if !before.isEmpty { names.remove(slot.number) }
        self[slot].name = name
        if !name.isEmpty { names.insert(slot.number, hash: PlainText.normal(name).hashValue) }
        if isRead(slot) { changed(.name(slot)) }
        return true
    }

    @discardableResult
    package mutating func setRole(_ role: Role, of slot: Slot) -> Bool {
        guard self[slot].role != role else { return false }
        let wasSecret = self[slot].role.isSecret
        self[slot].role = role
        if role.isSecret != wasSecret { settleConcealment(below: slot) }
        // The others come into the index when they are read.
        guard isRead(slot) else { return true }
        rolesIndex.remove(slot.number)
        rolesIndex.insert(slot.number, hash: ApplicationTree.spread(role))
        changed(.role(slot))
        return true
    }

    @discardableResult
    package mutating func setDescription(_ description: String, of slot: Slot) -> Bool {
        if description.isEmpty, descriptions.isEmpty { return false }
        let description = isConcealed(slot) ? "" : cut(description)
        guard (descriptions[slot] ?? "") != description else { return false }
        descriptions[slot] = description.isEmpty ? nil : description
        if isRead(slot) { changed(.description(slot)) }
        return true
    }

    package mutating func setID(_ id: String, of slot: Slot) {
        let id = cut(id)
        guard self.id(of: slot) != id else { return }
        forgetID(of: slot)
        if isRead(slot), !self[slot].flags.contains(.hasID) { unaskedIDCount -= 1 }
        self[slot].flags.insert(.hasID)
        if !id.isEmpty {
            ids[slot] = id
            idIndex[id, default: []].append(slot)
        }
        changed(.id(slot))
    }

    /// What was asked of it beside what a cache tells may be otherwise by now: it is asked again when it is needed.
    package mutating func forgetFacts(of slot: Slot) {
        setAttributes(nil, of: slot)
        guard self[slot].flags.contains(.hasID) else { return }
        forgetID(of: slot)
        self[slot].flags.remove(.hasID)
        if isRead(slot) { unaskedIDCount += 1 }
        changed(.id(slot))
    }

    mutating func forgetID(of slot: Slot) {
        guard let before = ids.removeValue(forKey: slot) else { return }
        idIndex[before]?.removeAll { $0 == slot }
        if idIndex[before]?.isEmpty == true { idIndex[before] = nil }
    }

    /// Nil forgets them: they are asked for again when they are needed.
    package mutating func setAttributes(_ attributes: [String: String]?, of slot: Slot) {
        let attributes = attributes.flatMap { isConcealed(slot) ? nil : cut($0) }
        guard attributesOf[slot] != attributes else { return }
        attributesOf[slot] = attributes
        changed(.attributes(slot))
    }

    private mutating func cut(_ text: String) -> String {
        guard text.utf8.count > limits.maximumTextBytes else { return text }
        oddities.cutTexts += 1
        return PlainText.cut(text, maximumBytes: limits.maximumTextBytes)
    }

    private mutating func cut(_ attributes: [String: String]) -> [String: String] {
        let isLong = attributes.contains { key, value in
            key.utf8.count > limits.maximumTextBytes || value.utf8.count > limits.maximumTextBytes
        }
        guard isLong || attributes.count > limits.maximumAttributes else { return attributes }
        oddities.cutTexts += 1
        let kept = attributes.sorted { $0.key < $1.key }.prefix(limits.maximumAttributes)
        let pairs = kept.map { key, value in
            (
                PlainText.cut(key, maximumBytes: limits.maximumTextBytes),
                PlainText.cut(value, maximumBytes: limits.maximumTextBytes)
            )
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

// What a move from one leaf to another leaves behind (behaviours §6).

export interface BranchCollection {
  /** Entries being left, oldest first: from behind the common ancestor to the old leaf. */
  ids: string[];
  /** Deepest entry that both paths share, or null. */
  commonAncestorId: string | null;
}

/**
 * What a move from one leaf to another leaves behind: the old path without what it shares with the new one. Both paths
 * are full paths from the root, so that a compaction on the way does not hide the ancestor.
 */
export function collectEntriesForBranchSummary(
  oldPath: readonly string[],
  targetPath: readonly string[],
): BranchCollection {
  let shared = 0;
  while (shared < oldPath.length && shared < targetPath.length && oldPath[shared] === targetPath[shared]) shared++;
  return { ids: oldPath.slice(shared), commonAncestorId: shared === 0 ? null : oldPath[shared - 1]! };
}

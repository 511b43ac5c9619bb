/** Removes one thing after another. What fails is told to `onFailure` and left for a later round. */
export async function removeEach<Thing>(
  things: readonly Thing[],
  remove: (thing: Thing) => Promise<void>,
  onFailure: (thing: Thing, error: unknown) => void,
): Promise<{ removed: number; failed: number }> {
  const counts = { removed: 0, failed: 0 }
  for (const thing of things) {
    try {
      await remove(thing)
      counts.removed += 1
    } catch (error) {
      onFailure(thing, error)
      counts.failed += 1
    }
  }
  return counts
}

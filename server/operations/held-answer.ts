/** Makes an answer and gives it again for `heldMs` after it is there, however often somebody asks. A failure is not given again. */
export function heldAnswer<T>(heldMs: number, make: () => Promise<T>): () => Promise<T> {
  let held: Promise<T> | undefined
  const forget = () => {
    held = undefined
  }
  return () => {
    if (held) return held
    held = make()
    held.then(() => setTimeout(forget, heldMs).unref(), forget)
    return held
  }
}

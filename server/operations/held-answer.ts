/** Makes an answer and returns it for every call until `heldMs` after it is there. A failure is not returned again. */
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

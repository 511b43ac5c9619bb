/** Calls at once, then at most once in `pauseMs`: what comes meanwhile is one call at its end. */
export function spaced(call: () => void, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const run = () => {
    isWanted = false
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) run()
    }, pauseMs)
    call()
  }
  return () => {
    if (timer === undefined) run()
    else isWanted = true
  }
}

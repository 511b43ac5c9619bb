import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The first requests and polls are over by then. */
const afterMs = 2000

/**
 * Writes the compile cache for the next start, which Node would otherwise do only at an orderly exit. Then runs the
 * garbage collector once: loading the program makes most of the garbage that the process will ever have, and an idle
 * V8 never collects it.
 */
export function tidyAfterStart(): void {
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NodeJS.GCFunction
    void collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, afterMs).unref()
}

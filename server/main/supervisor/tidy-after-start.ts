import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The first requests and looks are over by then. */
const afterMs = 2000

/**
 * Keeps what was compiled for the next start, which Node would do only at an orderly end. Then collects once what the
 * start left: loading the program makes most of the garbage it will ever have, and V8 collects none while nothing
 * happens, so an idle process would keep it.
 */
export function tidyAfterStart(): void {
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NodeJS.GCFunction
    void collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, afterMs).unref()
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The first requests and looks are over by then. */
const afterMs = 2000

/**
 * Collects once what the start of a process left: loading the program makes most of the garbage it will ever have,
 * and V8 collects none while nothing happens, so an idle process would keep it.
 */
export function giveBackStartMemory(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NodeJS.GCFunction
    void collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, afterMs).unref()
}

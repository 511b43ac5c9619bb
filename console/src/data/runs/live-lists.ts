import { lookOf } from '../../design/states.ts'
import { isStreamUp } from '../live/held-stream.ts'

const liveMs = 2000
const quietMs = 20_000

/**
 * The time until a list of runs is read again while the event stream is down: short while one of the runs goes on, long while only a new
 * run could change the list.
 */
export const untilNextRead = (runs: readonly { status: string }[] | undefined): number | false =>
  !isStreamUp.get() && (runs?.some(({ status }) => lookOf('run', status).isLive) ? liveMs : quietMs)

import { lookOf } from '../design/states.ts'
import { isStreamUp } from './held-stream.ts'

const liveMs = 2000
const quietMs = 20_000

/** How soon a list of runs is read again while no events tell of changes: soon while one of them goes on, seldom while only a new one could change it. */
export const untilNextRead = (runs: readonly { status: string }[] | undefined): number | false =>
  !isStreamUp.get() && (runs?.some(({ status }) => lookOf('run', status).isLive) ? liveMs : quietMs)

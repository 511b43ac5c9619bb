import type { LogReply, LogRequest } from './log-messages.ts'
import { LogStore } from './log-store.ts'

/** The worker that has the bytes of one log. */
const store = new LogStore()
const reportMs = 100
/** Requests for rows are answered between slices of work. */
const workMs = 30
let isWorking = false
let isReportDue = false
let hasLines = false

const send = (replies: LogReply[]) => {
  for (const reply of replies) self.postMessage(reply)
}

self.addEventListener('message', ({ data }: MessageEvent<LogRequest>) => {
  send(store.take(data))
  if (data.kind === 'rows' || data.kind === 'ask') return
  if (!hasLines && (data.kind === 'bytes' || data.kind === 'tail')) {
    // The first lines wait for no other.
    hasLines = true
    send(store.report())
  }
  reportLater()
  workLater()
})

function reportLater(): void {
  if (isReportDue) return
  isReportDue = true
  setTimeout(() => {
    isReportDue = false
    send(store.report())
  }, reportMs)
}

function workLater(): void {
  if (isWorking) return
  isWorking = true
  setTimeout(work)
}

function work(): void {
  const until = performance.now() + workMs
  let isMore = true
  while (isMore && performance.now() < until) isMore = store.work()
  reportLater()
  isWorking = false
  if (isMore) workLater()
}

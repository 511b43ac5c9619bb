/** Where a log comes from. */
export type LogSource =
  /** It has ended: reads all of it, or its last bytes. */
  | { kind: 'stored'; read: (range: { tail?: number }, signal: AbortSignal) => Promise<Response> }
  /** It goes on: the address of its events (`followRunLog`, `followBuildLog`). */
  | { kind: 'live'; address: string }

/** Takes in a log; the worker has the bytes. */
export interface LogSink {
  add: (chunk: Uint8Array<ArrayBuffer>) => void
  addTail: (chunk: Uint8Array<ArrayBuffer>) => void
  expect: (bytes: number) => void
  /** A log that goes on cannot be followed at the moment. */
  interrupt: (isInterrupted: boolean) => void
  end: () => void
}

const tailBytes = 256 * 1024

/** Reads a log that has ended. `fromEnd`: its last bytes first. */
export async function readLog(
  { read }: Extract<LogSource, { kind: 'stored' }>,
  sink: LogSink,
  { fromEnd, signal }: { fromEnd: boolean; signal: AbortSignal },
): Promise<void> {
  if (fromEnd) await pass(await read({ tail: tailBytes }, signal), (chunk) => sink.addTail(chunk))
  const response = await read({}, signal)
  const bytes = Number(response.headers.get('content-length'))
  if (bytes > 0) sink.expect(bytes)
  await pass(response, (chunk) => sink.add(chunk))
  sink.end()
}

async function pass(response: Response, take: (chunk: Uint8Array<ArrayBuffer>) => void): Promise<void> {
  if (!response.ok) throw new Error(`a log was answered with ${response.status}`)
  const reader = response.body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) take(part.value)
}

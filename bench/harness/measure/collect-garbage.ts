import { once } from 'node:events'

/** Environment that a Node process needs to be started with for `collectGarbage`. */
export const inspectable = (port: number): Record<string, string> => ({
  NODE_OPTIONS: `--inspect=127.0.0.1:${port}`,
})

/**
 * Has a process free what it does not use: without, its memory also has what the requests before have left, as much as its
 * garbage collector saw fit.
 */
export async function collectGarbage(port: number): Promise<void> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await listed.json()) as { webSocketDebuggerUrl: string }[]
  if (!target) throw new Error('the process cannot be inspected')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  const [{ data }] = (await once(socket, 'message')) as [{ data: string }]
  socket.close()
  if ('error' in (JSON.parse(data) as object)) throw new Error('the process did not collect its garbage')
}

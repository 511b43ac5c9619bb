import { setTimeout as sleep } from 'node:timers/promises'

const clearScreen = '\u001b[H\u001b[2J'

/** Shows a text again and again until Ctrl-C: in place on a terminal, one after another elsewhere. */
export async function showRefreshed(everyMs: number, read: () => Promise<string>): Promise<void> {
  const end = new AbortController()
  process.once('SIGINT', () => end.abort())
  while (!end.signal.aborted) {
    const text = await read()
    process.stdout.write(process.stdout.isTTY ? `${clearScreen}${text}` : text)
    await sleep(everyMs, undefined, { signal: end.signal }).catch(() => undefined)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'

/* Runs of the task that the tests deploy, which waits for an hour if its text is `wait`. */

export const room = 'daily-numbers'
const pollMs = 200

/** The `sandbox` command of the person who deployed the task. */
interface Commands {
  sandbox(...argv: string[]): Promise<string>
}

/** Starts a run that goes on until it is ended, and returns its id once its program runs. */
export async function startWaiting(commands: Commands): Promise<string> {
  const text = await commands.sandbox('run', 'words', '--room', room, '--set', 'text=wait', '--json')
  const id = /run_[0-9a-f]+/.exec(text)?.[0]
  if (id === undefined) throw new Error(text)
  await untilRun(commands, id, 'running')
  return id
}

/** Waits until the run has the state. A run that has ended in another one never will. */
export async function untilRun(commands: Commands, id: string, state: string): Promise<void> {
  for (;;) {
    const { items } = JSON.parse(await commands.sandbox('runs', '--room', room, '--json')) as {
      items: { id: string; status: string; terminal_at: string | null }[]
    }
    const run = items.find((item) => item.id === id)
    if (run?.status === state) return
    if (run === undefined || run.terminal_at) throw new Error(`the run is ${run?.status}, not ${state}`)
    await sleep(pollMs)
  }
}

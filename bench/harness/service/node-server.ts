import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** An HTTP server in a separate Node process. */
export interface NodeServer {
  port: number
  pid: number
  stop(): Promise<void>
}

export interface NodeServerPlan {
  script: string
  args?: readonly string[]
  env: Record<string, string>
  port: number
  /** A path that the server answers, with any status, once it is up. */
  path: string
}

const startTimeoutMs = 60_000

/** Starts the script and resolves once it answers. */
export async function startNodeServer({
  script,
  args = [],
  env,
  port,
  path,
}: NodeServerPlan): Promise<NodeServer> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  for (const until = Date.now() + startTimeoutMs; ; await sleep(50)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer) return { port, pid: child.pid ?? 0, stop }
    if (child.exitCode !== null || Date.now() > until) {
      await stop()
      throw new Error(`${script} does not answer`)
    }
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { ExecutorRefused } from '../port/errors.ts'
import type { RefusalCause } from '../port/refusal-causes.ts'

/** Debian packages of the tools that the network needs. */
const packages: Record<string, string> = {
  ip: 'iproute2',
  nft: 'nftables',
  nsenter: 'util-linux',
  unshare: 'util-linux',
}

const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

export interface ToolCall {
  /** Cause of a refusal. */
  slug: RefusalCause
  input?: string
  /** Path of the network namespace to work in; absent: the host's. */
  namespace?: string
}

/** Runs a host tool and returns its output; refuses with `slug` and the first line of its error output. */
export async function runTool(argv: [string, ...string[]], call: ToolCall): Promise<string> {
  const [tool] = argv
  const [program, ...rest] = call.namespace ? ['nsenter', `--net=${call.namespace}`, ...argv] : argv
  const child = spawn(program ?? tool, rest, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'close') as Promise<[number | null]>
  child.stdin.on('error', () => undefined)
  child.stdin.end(call.input ?? '')
  try {
    const [output, problem, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    if (code === 0) return output
    if (code === 126 || code === 127) throw toolMissing(tool, call.slug)
    const reason = code === null ? 'it was killed' : (problem.trim().split('\n')[0] ?? `exit code ${code}`)
    throw new ExecutorRefused(call.slug, `${argv.slice(0, 3).join(' ')} failed: ${reason}`)
  } catch (error) {
    if (error instanceof ExecutorRefused) throw error
    throw toolMissing(tool, call.slug)
  }
}

const toolMissing = (tool: string, slug: RefusalCause) => {
  const way = `apt-get install ${packages[tool] ?? tool}, or SANDBOX_RUNTIME_EGRESS=false for no network in sandboxes`
  return new ExecutorRefused(slug, `${tool} cannot be run: ${way}`)
}
